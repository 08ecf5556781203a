// mcp-assay reference-server: a conformant server, and with --fault one that is not.
#include <fmt/format.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "reference/model/revision.h"
#include "reference/server/server.h"
#include "reference/transport/http_server.h"
#include "reference/transport/stdio_self.h"

namespace assay::cli {
namespace {

// SIGINT and SIGTERM as a descriptor that becomes readable. Made before any thread is started, so
// that every thread inherits the blocked signals and none is interrupted.
class StopSignals {
 public:
  StopSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    descriptor_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~StopSignals() { ::close(descriptor_); }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  int descriptor() const { return descriptor_; }
  // Returns when one of them has arrived.
  void wait() const {
    signalfd_siginfo info;
    while (::read(descriptor_, &info, sizeof info) < 0 && errno == EINTR) {
    }
  }

 private:
  int descriptor_ = -1;
};

class ReferenceServerCommand : public Command {
 public:
  std::string_view name() const override { return "reference-server"; }
  std::string_view summary() const override {
    return "Run the reference server, faultless or with chosen faults";
  }

  void declare(Arguments& arguments) override {
    arguments.choice("--transport", transport_, {"stdio", "http"}, "How it is reached (stdio)");
    arguments.number("--port", port_, 0, 65535, "N", "Port to listen on; 0 picks a free one (0)");
    arguments.choice(
        "--answers", answers_, {"auto", "json", "sse"},
        "How HTTP requests are answered: with JSON where that is enough (auto), always "
        "with JSON, always with an event stream");
    arguments.texts("--revision", revisions_, "R", "Speak only this revision (repeatable)");
    arguments.number("--page-size", page_size_, 1, 1'000'000, "N", "Items per page of a list (50)");
  }

  int run() override {
    server::Options options = read_options();
    const StopSignals signals;
    server::Server server(std::move(options));
    return transport_ == "http" ? serve_http(server, signals) : serve_stdio(server, signals);
  }

 private:
  server::Options read_options() const {
    server::Options options;
    options.page_size = static_cast<std::size_t>(page_size_);
    if (revisions_.empty()) return options;
    options.revisions.clear();
    for (const model::Revision known : model::Revision::handshake()) {
      for (const std::string& text : revisions_) {
        if (text == known.text()) {
          options.revisions.push_back(known);
          break;
        }
      }
    }
    for (const std::string& text : revisions_) check_revision(text);
    return options;
  }

  static void check_revision(const std::string& text) {
    std::string known;
    for (const model::Revision revision : model::Revision::handshake()) {
      if (revision.text() == text) return;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", revision.text());
    }
    throw UsageError(fmt::format("unknown revision '{}'; known: {}", text, known));
  }

  int serve_stdio(transport::SessionFactory& server, const StopSignals& signals) const {
    transport::serve_stdio(server, {.stop = signals.descriptor()});
    return kConformant;
  }

  int serve_http(server::Server& server, const StopSignals& signals) const {
    using Answers = transport::HttpServerOptions::Answers;
    transport::HttpServerOptions options;
    options.port = static_cast<int>(port_);
    options.revisions = server.options().revisions;
    options.answers = answers_ == "json"  ? Answers::kJson
                      : answers_ == "sse" ? Answers::kSse
                                          : Answers::kAuto;
    transport::HttpServer http(server, std::move(options));
    if (const std::optional<std::string> trouble = http.start()) {
      fmt::print(stderr, "mcp-assay reference-server: {}\n", *trouble);
      return kNotTested;
    }
    fmt::print("listening on {}\n", http.url());
    std::fflush(stdout);
    signals.wait();
    return kConformant;
  }

  std::string transport_ = "stdio";
  std::string answers_ = "auto";
  std::int64_t port_ = 0;
  std::vector<std::string> revisions_;
  std::int64_t page_size_ = 50;
};

const CommandRegistration<ReferenceServerCommand> kRegistration;

}  // namespace
}  // namespace assay::cli
