// mcp-assay reference-client: connects to a server and shows what it has.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/reference_client_tour.h"
#include "harness/cli/revision_option.h"
#include "harness/script/mirrored_headers.h"
#include "reference/client/session.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_sse_client.h"
#include "reference/transport/stdio_child.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kClosingTime{5};
constexpr std::chrono::milliseconds kLastWordsTime{500};

std::vector<transport::UserHeader> parse_user_headers(const std::vector<std::string>& texts) {
  std::vector<transport::UserHeader> headers;
  for (const std::string& text : texts) {
    const auto colon = text.find(':');
    const auto value = text.find_first_not_of(' ', colon == std::string::npos ? 0 : colon + 1);
    if (colon == 0 || colon == std::string::npos || text.find_first_of("\r\n") != text.npos) {
      throw UsageError(fmt::format("--header takes 'NAME: VALUE', not '{}'", text));
    }
    headers.push_back(
        {text.substr(0, colon), value == std::string::npos ? "" : text.substr(value), false});
  }
  return headers;
}

class ReferenceClientCommand : public Command {
 public:
  std::string_view name() const override { return "reference-client"; }
  std::string_view summary() const override {
    return "Connect to a server as a conformant client, and show what it has";
  }

  void declare(Arguments& arguments) override {
    arguments.text("--revision", revision_, "R",
                   "The revision to speak; without it the newest that the server speaks");
    arguments.text("--url", url_, "URL", "The server's HTTP endpoint");
    arguments.flag("--http-sse", is_http_sse_, "The URL speaks the older HTTP+SSE of 2024-11-05");
    arguments.texts("--header", headers_, "'NAME: VALUE'", "Send this HTTP header (repeatable)");
    arguments.seconds("--timeout", timeout_, "How long to wait for each answer");
    arguments.command_line(command_, "The server's command, spoken to over stdio");
    arguments.footer(
        "Exit status: 0 the server was seen; 2 usage; 3 it could not be reached, or did not "
        "agree.\n"
        "Example: mcp-assay reference-client -- npx -y @modelcontextprotocol/server-everything");
  }

  int run() override {
    if (url_.empty() == command_.empty()) {
      throw UsageError("give either --url URL or -- COMMAND");
    }
    if (url_.empty() && (is_http_sse_ || !headers_.empty())) {
      throw UsageError("--header and --http-sse need --url");
    }
    const Interrupt interrupt;
    client::SessionOptions options;
    choose_opening(options);
    options.mirrored = [this](const Json& message) {
      return harness::mirrored_headers(message, parameters_);
    };
    options.on_notification = [](std::string_view method, const Json& params) {
      fmt::print(stderr, "notified: {} {}\n", reports::printable_line(method),
                 reports::printable_line(
                     params.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 200)));
    };
    client::ClientSession session(std::move(options));
    std::unique_ptr<transport::ClientTransport> wire = connect(session);
    const int status = visit(session, *wire, interrupt.token());
    end(session, *wire);
    return interrupt.was_requested() ? kInterrupted : status;
  }

 private:
  // Without a revision, the server's era decides; the older HTTP+SSE belongs to one era.
  void choose_opening(client::SessionOptions& options) const {
    using Opening = client::SessionOptions::Opening;
    if (revision_.empty()) {
      options.opening = is_http_sse_ ? Opening::kHandshake : Opening::kEither;
      return;
    }
    const model::Revision revision = parse_revision_option(revision_);
    options.opening = revision.has_handshake() ? Opening::kHandshake : Opening::kStateless;
    (revision.has_handshake() ? options.revision : options.stateless) = revision;
  }

  std::unique_ptr<transport::ClientTransport> connect(transport::Observer& observer) {
    if (url_.empty()) {
      transport::StdioOptions options;
      options.spawn.command = command_;
      return std::make_unique<transport::StdioChild>(std::move(options), observer);
    }
    auto url = transport::HttpUrl::parse(url_);
    if (const auto* failure = std::get_if<transport::Failure>(&url)) {
      throw UsageError(failure->detail);
    }
    transport::HttpClientOptions options;
    options.headers = parse_user_headers(headers_);
    auto& endpoint = std::get<transport::HttpUrl>(url);
    if (is_http_sse_) {
      return std::make_unique<transport::HttpSseClient>(endpoint, std::move(options), observer);
    }
    return std::make_unique<transport::HttpClient>(endpoint, std::move(options), observer);
  }

  int visit(client::ClientSession& session, transport::ClientTransport& wire,
            std::stop_token stop) {
    const auto patience = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1000));
    const std::stop_callback on_stop(stop, [&] { session.give_up("interrupted"); });
    if (const auto failure = session.open(wire)) {
      fmt::print(stderr, "mcp-assay: {}\n", reports::printable_line(failure->detail));
      return kNotTested;
    }
    const client::ServerAnswer reply =
        session.initialize(std::chrono::steady_clock::now() + patience);
    if (!reply.is_result()) {
      const std::string why =
          reply.is_error() ? "it answered initialize with an error: " +
                                 reply.json.dump(-1, ' ', false, Json::error_handler_t::replace)
                           : reply.detail;
      fmt::print(stderr, "mcp-assay: no session with the server: {}\n",
                 reports::printable_line(why));
      show_end_of_child(wire);
      return kNotTested;
    }
    ReferenceClientTour(session, patience, [this](const std::vector<Json>& tools) {
      parameters_.note({{"tools", tools}});
    }).run();
    if (const auto closed = session.closed()) {
      fmt::print(stderr, "mcp-assay: the connection ended: {}\n", reports::printable_line(*closed));
      show_end_of_child(wire);
      return kNotTested;
    }
    return kConformant;
  }

  // Why a child is of no use is often told by how it ended, a moment later, and by its last words.
  static void show_end_of_child(transport::ClientTransport& wire) {
    auto* child = dynamic_cast<transport::StdioChild*>(&wire);
    if (child == nullptr) return;
    const auto exit = child->wait_for_exit(std::chrono::steady_clock::now() + kLastWordsTime);
    if (exit && exit->signal) fmt::print(stderr, "It was ended by signal {}.\n", *exit->signal);
    if (exit && !exit->signal) fmt::print(stderr, "It exited with status {}.\n", exit->code);
    if (child->stderr_tail().empty()) return;
    fmt::print(stderr, "The last it wrote to standard error:\n{}\n",
               reports::printable_text(child->stderr_tail()));
  }

  static void end(client::ClientSession& session, transport::ClientTransport& wire) {
    const auto deadline = std::chrono::steady_clock::now() + kClosingTime;
    if (auto* http = dynamic_cast<transport::HttpClient*>(&wire)) {
      if (const auto lane = http->end_session()) session.wait_until_over(*lane, deadline);
    }
    session.close(deadline);
  }

  std::string revision_;
  std::string url_;
  bool is_http_sse_ = false;
  std::vector<std::string> headers_;
  double timeout_ = 10;
  std::vector<std::string> command_;
  harness::MirroredParameters parameters_;  // used by the thread of run() alone
};

const CommandRegistration<ReferenceClientCommand> kReferenceClientCommandRegistration;

}  // namespace
}  // namespace assay::cli
