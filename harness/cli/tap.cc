// mcp-assay tap: stands between a client and its server, and judges both.
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/passive_options.h"
#include "harness/cli/tap_secrets.h"
#include "harness/frame/command.h"
#include "harness/frame/exit_status.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/trust_option.h"
#include "harness/tap/http_recorder.h"
#include "harness/tap/recorder.h"
#include "harness/tap/transcript_log.h"
#include "harness/watch/feed.h"
#include "reference/transport/http_forwarder.h"
#include "reference/transport/observed_handler.h"
#include "reference/transport/passage.h"
#include "reference/transport/unique_fd.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

// As a shell says it of a command that it cannot start.
constexpr int kCannotExecute = 126;
constexpr int kNoSuchCommand = 127;

constexpr std::int64_t kAnyPort = -1;

// "20251125T103000-4711": no two sessions of one machine have the same.
std::string session_name() {
  return fmt::format("{:%Y%m%dT%H%M%S}-{}", fmt::gmtime(std::time(nullptr)), ::getpid());
}

class TapCommand : public Command {
 public:
  std::string_view name() const override { return "tap"; }
  std::string_view summary() const override {
    return "Pass traffic between a client and its server, and judge both";
  }

  void declare(Arguments& arguments) override {
    arguments.group("What to judge");
    arguments.command_line(command_, "The stdio server that the client wants to start");
    arguments.text("--url", url_, "URL",
                   "Be a proxy for the HTTP server at this URL, on this machine, until Ctrl-C");
    arguments.number("--listen", port_, 0, 65535, "PORT",
                     "With --url: the port on 127.0.0.1 (default: a free one)");
    trust_.declare(arguments);
    passive_.declare(arguments);
    arguments.text("--transcript", transcript_, "FILE",
                   "Keep everything that passes, as JSON lines (at most 1 GiB); 'judge' reads it");
    arguments.flag("--redact", removes_values_,
                   "Remove all values from the transcript. Credentials in headers, and secrets in "
                   "COMMAND and the environment, are always hidden");
    arguments.text("--watch", watch_, "SOCKET",
                   "Show the traffic in the 'watch' at this socket (default: MCP_ASSAY_WATCH)");
    arguments.footer(
        "Write it before the server's command, in the configuration of any client:\n"
        "\n"
        "  \"command\": \"mcp-assay\",\n"
        "  \"args\": [\"tap\", \"--report\", \"html=/tmp/{party}-{session}.html\", \"--\",\n"
        "           \"npx\", \"-y\", \"@modelcontextprotocol/server-everything\"]\n"
        "\n"
        "Every byte passes unchanged, and so do ends of input, signals and the exit status. tap "
        "writes\n"
        "nothing to these streams: look into the reports. In a path, {session} becomes time and "
        "process, and\n"
        "{party} becomes server or client.\n"
        "\n"
        "  mcp-assay tap --url https://example.com/mcp --listen 8080 --report html={party}.html\n"
        "\n"
        "listens at http://127.0.0.1:8080/mcp, for any number of clients.\n"
        "\n"
        "Exit status: the server's; 126 or 127 if it cannot be started, 2 for a wrong command "
        "line. With\n"
        "--url: 0 conformant, 1 unexpected violations, 2 a wrong command line or a report that "
        "could not be\n"
        "written, 3 nothing could be judged, 130 more passed than could be judged.");
  }

  int run() override {
    if (command_.empty() == url_.empty()) {
      throw UsageError("give the server's command after --, or --url URL");
    }
    if (port_ != kAnyPort && url_.empty()) throw UsageError("--listen needs --url");
    trust_.apply();
    if (removes_values_ && transcript_.empty()) throw UsageError("--redact needs --transcript");
    hide_secrets(command_, *vault_);
    passive_.set_session(session_name());
    passive_.prepare();
    if (url_.empty() && passive_.claims_standard_output()) {
      throw UsageError("standard output is the client's: give the report a file");
    }
    const char* watch = std::getenv("MCP_ASSAY_WATCH");
    if (watch_.empty() && watch != nullptr) watch_ = watch;
    if (transcript_.empty() && watch_.empty() && !passive_.writes_anything()) {
      throw UsageError("nothing would be kept: give --report, --transcript or --watch");
    }
    open_log();
    open_watch();
    return url_.empty() ? run_stdio() : run_http();
  }

 private:
  int run_stdio() {
    harness::Recorder recorder(vault_, [this](const harness::EventPtr& event) { keep(event); });
    // Reports that cannot be written are told there, once the server is done with it.
    const transport::UniqueFd errors(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    auto opened = transport::Passage::open(command_, recorder);
    if (const auto* failure = std::get_if<transport::Failure>(&opened)) {
      fmt::print(stderr, "mcp-assay tap: {}\n", reports::printable_line(failure->detail));
      return failure->kind == transport::Failure::Kind::kNotFound ? kNoSuchCommand : kCannotExecute;
    }
    const transport::ProcessExit exit =
        std::get<std::unique_ptr<transport::Passage>>(opened)->wait();
    std::vector<harness::RecordedSession> sessions;
    sessions.push_back(recorder.finish(exit));
    if (errors.is_open()) ::dup2(errors.get(), STDERR_FILENO);
    report(std::move(sessions), recorder.shortfall());
    transport::end_like(exit);
  }

  int run_http() {
    const auto parsed = transport::HttpUrl::parse(url_);
    if (const auto* failure = std::get_if<transport::Failure>(&parsed)) {
      throw UsageError(failure->detail);
    }
    const auto& server = std::get<transport::HttpUrl>(parsed);
    vault_->add_query(url_);
    const Interrupt interrupt;
    harness::HttpRecorder recorder(vault_, [this](const harness::EventPtr& event) { keep(event); });
    {
      transport::HttpForwarder forwarder(server, transport::ConnectOptions{});
      transport::HttpListener listener({.port = static_cast<int>(std::max<std::int64_t>(port_, 0))},
                                       transport::observed(forwarder.handler(), recorder));
      if (const auto trouble = listener.start()) throw UsageError(*trouble);
      fmt::print("listening on http://127.0.0.1:{}{}\n", listener.port(),
                 reports::printable_line(server.target));
      std::fflush(stdout);
      await(interrupt.token());
      listener.stop();
    }
    recorder.drain();
    if (feed_) feed_->finish();
    std::vector<harness::RecordedSession> sessions = recorder.finish();
    return report(std::move(sessions), recorder.shortfall());
  }

  static void await(const std::stop_token& stop) {
    std::mutex mutex;  // guards nothing: only the stop is waited for
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
  }

  void open_log() {
    if (transcript_.empty()) return;
    const std::string path = passive_.path_of_session(transcript_);
    passive_.claim(path);
    log_.emplace(
        path, url_.empty() ? "tap stdio" : "tap http",
        [vault = vault_](std::string& text) { vault->redact(text); },
        removes_values_ ? harness::TranscriptLog::Values::kRemoved
                        : harness::TranscriptLog::Values::kKept);
    if (log_->is_open()) return;
    throw UsageError(fmt::format("cannot write the transcript '{}': {}",
                                 reports::printable_line(path), log_->problem()));
  }
  // Where nobody watches the traffic goes on all the same.
  void open_watch() {
    if (watch_.empty()) return;
    harness::WatchFeed::Session session;
    session.name = passive_.path_of_session("{session}");
    session.target = url_.empty() ? fmt::format("{}", fmt::join(command_, " ")) : url_;
    if (!url_.empty()) session.transport = harness::TransportKind::kHttp;
    feed_.emplace(watch_, session, vault_);
    if (!feed_->is_connected()) {
      passive_.remark(fmt::format("no watch listens at '{}'", reports::printable_line(watch_)));
    }
  }
  void keep(const harness::EventPtr& event) {
    if (log_) log_->write(*event);
    if (feed_) feed_->show(event);
  }

  // The exit status that the verdicts come to.
  int report(std::vector<harness::RecordedSession> sessions, const std::string& shortfall) {
    if (log_) log_->finish();
    if (feed_) feed_->finish();
    for (harness::RecordedSession& session : sessions) passive_.judge(std::move(session));
    if (!shortfall.empty()) {
      passive_.cut_short(shortfall + ": what came after that is not judged");
    } else if (log_ && !log_->problem().empty()) {
      passive_.remark("the transcript could not be written whole: " + log_->problem());
    }
    reports::Target target;
    target.command = command_;
    target.url = url_;
    const auto results = passive_.finish(target, *vault_, "tap");
    int worst = passive_.write(results) ? kConformant : kUsage;
    for (const reports::Result& result : results) worst = std::max(worst, exit_status(result));
    return worst;
  }

  PassiveOptions passive_;
  std::string transcript_;
  bool removes_values_ = false;
  TrustOption trust_;
  std::string url_;
  std::int64_t port_ = kAnyPort;
  std::vector<std::string> command_;
  std::shared_ptr<reports::Vault> vault_ = std::make_shared<reports::Vault>();
  std::optional<harness::TranscriptLog> log_;
  std::string watch_;
  std::optional<harness::WatchFeed> feed_;
};

const CommandRegistration<TapCommand> kTapCommandRegistration;

}  // namespace
}  // namespace assay::cli
