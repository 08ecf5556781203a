// mcp-assay reference-client: connects to a server and shows what it has.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/extension_option.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/revision_option.h"
#include "harness/frame/target_words.h"
#include "harness/interop/client_word.h"
#include "harness/programs/heard_notifications.h"
#include "harness/programs/reference_client_acts.h"
#include "harness/programs/reference_client_errands.h"
#include "harness/programs/reference_client_flaws.h"
#include "harness/programs/reference_client_login.h"
#include "harness/programs/reference_client_tour.h"
#include "harness/script/mirrored_headers.h"
#include "reference/client/challenge_watch.h"
#include "reference/client/faults/fault.h"
#include "reference/client/login.h"
#include "reference/client/session.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_fetch.h"
#include "reference/transport/http_sse_client.h"
#include "reference/transport/signals.h"
#include "reference/transport/stdio_child.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

constexpr std::chrono::seconds kClosingTime{5};
// For a server that was sent SIGTERM: a tap before it still judges what passed, on a machine that
// may be busy.
constexpr std::chrono::seconds kTerminateTime{15};
constexpr std::chrono::milliseconds kLastWordsTime{500};
// The scenario in which a client is to give up soon.
constexpr std::string_view kSilentAtFirst = "server-silent-at-first";
constexpr std::chrono::milliseconds kPatienceAtFirst{400};
// That in which it is to speak the older HTTP+SSE.
constexpr std::string_view kOlderHttp = "http-sse";
// The one whose server exits, and is to be started again.
constexpr std::string_view kServerExits = "server-exits";
// Those in which it is to speak with servers of either era.
constexpr std::string_view kOlderServers = "older-server";

class ReferenceClientCommand : public Command {
 public:
  std::string_view name() const override { return "reference-client"; }
  std::string_view summary() const override {
    return "Connect to a server as a conformant client, and show what it offers";
  }

  void declare(Arguments& arguments) override {
    arguments.group("The server");
    arguments.command_line(command_, "The command that starts a server, over stdio");
    arguments.positional("ENDPOINT", endpoint_, false,
                         "The same as --url, as the official conformance suite and 'client' give "
                         "it");
    arguments.text("--url", url_, "URL", "The server's HTTP endpoint");
    arguments.flag("--http-sse", is_http_sse_, "The URL speaks the older HTTP+SSE of 2024-11-05");
    arguments.text("--revision", revision_, "REVISION",
                   "Speak this revision (default: the newest that the server speaks)");
    arguments.texts("--header", headers_, "'NAME: VALUE'", "Send this HTTP header (repeatable)");
    arguments.seconds("--timeout", timeout_, "Longest wait for each answer (default: 10)");
    arguments.group("Logging in");
    arguments.flag("--login-without-browser", logs_in_,
                   "If the server asks for a token, obtain one without a browser: read the code "
                   "from the redirect (for test servers)");
    arguments.text("--client-document", client_document_, "URL",
                   "Use this URL of a client ID metadata document, if the server accepts one");
    arguments.texts("--declare", declared_, "ID",
                    "Declare this extension of authorization, such as oauth-client-credentials "
                    "(repeatable)");
    flaws_.declare(arguments);
    arguments.footer(
        "Example: mcp-assay reference-client -- npx -y @modelcontextprotocol/server-everything\n"
        "\n"
        "Exit status: 0 the client talked to the server, 2 wrong command line, 3 the server could "
        "not be\n"
        "reached, or shares no revision.");
  }

  int run() override {
    if (const auto status = flaws_.list()) return *status;
    if (url_.empty()) url_ = endpoint_;
    faults_ = flaws_.chosen(!url_.empty());
    // As those who start clients to certify them tell them.
    const char* told = std::getenv("MCP_CONFORMANCE_PROTOCOL_VERSION");
    if (revision_.empty() && told != nullptr) revision_ = told;
    const char* scenario = std::getenv("MCP_CONFORMANCE_SCENARIO");
    if (!url_.empty() && scenario != nullptr && kOlderHttp == scenario) is_http_sse_ = true;
    if (url_.empty() == command_.empty()) {
      throw UsageError("give either --url URL or -- COMMAND");
    }
    if (url_.empty() && (is_http_sse_ || !headers_.empty() || logs_in_)) {
      throw UsageError("--header, --http-sse and --login-without-browser need --url");
    }
    const Interrupt interrupt;
    if (logs_in_) login_ = std::make_unique<client::Login>(login_options());
    int status = kNotTested;
    for (bool goes_on = true; goes_on && !interrupt.was_requested();) {
      client::ClientSession session(session_options(told != nullptr));
      std::unique_ptr<transport::ClientTransport> wire = connect(session);
      status = visit(session, *wire, interrupt.token());
      const bool has_lost = has_lost_server(session);
      follow_redirect();
      end(session);
      goes_on = get_token(status) || (has_lost && !std::exchange(is_again_, true));
    }
    return interrupt.was_requested() ? kInterrupted : status;
  }

 private:
  // True if the server refused to go on without a token, and there is another one now.
  bool get_token(int& status) {
    const auto refusal = login_ && watch_ ? watch_->take() : std::nullopt;
    if (!refusal) return false;
    if (login_->takes_nonce(refusal->challenge, refusal->nonce)) return true;
    const auto trouble = login_->answer(refusal->status, refusal->challenge);
    if (!trouble) return true;
    fmt::print(stderr, "mcp-assay: not logged in: {}\n", reports::printable_line(*trouble));
    status = kNotTested;
    return false;
  }

  // With a fault that has it so: the token goes along, wherever that leads.
  void follow_redirect() const {
    const std::string place = login_ && watch_ ? watch_->take_redirect() : "";
    if (place.empty() || !login_->follows_redirects()) return;
    transport::HttpMessage message;
    message.headers = {{"Authorization", login_->authorization()},
                       {"Content-Type", "application/json"}};
    message.body = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
    transport::fetch(place, std::move(message), kClosingTime);
  }

  client::LoginOptions login_options() const {
    client::LoginOptions options;
    options.endpoint = url_;
    if (!revision_.empty()) options.revision = parse_revision_option(revision_);
    options.client_document = client_document_;
    options.wants_offline_access = true;
    options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1000));
    const char* context = std::getenv("MCP_CONFORMANCE_CONTEXT");
    give_proof_keys(options);
    take_login_context(Json::parse(context == nullptr ? "" : context, nullptr, false), options);
    for (const client::Fault* fault : faults_) {
      if (fault->login != nullptr) fault->login(options.conduct);
    }
    return options;
  }

  // `is_certified`: then the client shows its roots as well.
  client::SessionOptions session_options(bool is_certified) {
    client::SessionOptions options;
    choose_opening(options);
    // What can be cancelled by an act is a call, not a task.
    if (std::getenv(harness::kActsVariable) != nullptr) options.offer.durable_tasks = false;
    options.offer.extensions = parse_extension_options(declared_);
    if (is_certified) options.offer.root_list = {{"file:///project", "project"}};
    options.mirrored = [this](const Json& message) {
      return harness::mirrored_headers(message, parameters_);
    };
    for (const client::Fault* fault : faults_) {
      if (fault->options != nullptr) fault->options(options);
    }
    options.on_notification = [this](std::string_view method, const Json& params) {
      heard_.note(method);
      fmt::print(stderr, "notified: {} {}\n", reports::printable_line(method),
                 reports::printable_line(
                     params.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, 200)));
    };
    const bool opens_urls = std::any_of(faults_.begin(), faults_.end(),
                                        [](const auto* fault) { return fault->fetches == "url"; });
    if (opens_urls) {
      options.handlers["elicitation/create"] = [this](const Json& params) -> client::Answer {
        fetch_linked(faults_, params);
        return Json{{"action", "decline"}};
      };
    }
    return options;
  }

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
    const char* scenario = std::getenv("MCP_CONFORMANCE_SCENARIO");
    const bool meets_older =
        scenario != nullptr && std::string_view(scenario).starts_with(kOlderServers);
    if (meets_older) options.opening = Opening::kEither;
  }

  // With the faults, if there are any.
  std::unique_ptr<transport::ClientTransport> connect(transport::Observer& session) {
    if (faults_.empty()) return connect_well(session);
    auto faulty = std::make_unique<client::FaultyWire>(faults_, session);
    faulty_ = faulty.get();
    if (login_) faulty->use_token(login_->access_token());
    faulty->use(connect_well(*faulty));
    return faulty;
  }

  std::unique_ptr<transport::ClientTransport> connect_well(transport::Observer& observer) {
    if (url_.empty()) {
      transport::StdioOptions options;
      options.spawn.command = command_;
      options.terminate_grace = kTerminateTime;
      const bool leaves = std::any_of(faults_.begin(), faults_.end(),
                                      [](const auto* fault) { return fault->leaves_server; });
      // What we start ourselves ends with us; what a shell of ours starts does not.
      if (leaves) {
        const auto shell = {"/bin/sh", "-c", "exec 3<&0; \"$@\" <&3 & wait", "sh"};
        options.spawn.command.insert(options.spawn.command.begin(), shell.begin(), shell.end());
      }
      auto child = std::make_unique<transport::StdioChild>(std::move(options), observer);
      child_ = child.get();
      return child;
    }
    auto url = transport::HttpUrl::parse(login_ ? login_->endpoint() : url_);
    if (const auto* failure = std::get_if<transport::Failure>(&url)) {
      throw UsageError(failure->detail);
    }
    transport::HttpClientOptions options;
    for (const auto& [name, value] : parse_headers(headers_)) {
      options.headers.push_back({name, value, false});
    }
    auto& endpoint = std::get<transport::HttpUrl>(url);
    if (is_http_sse_) {
      options.misdirect = [this](std::string& target) {
        for (const client::Fault* fault : faults_) {
          if (fault->target != nullptr) fault->target(target);
        }
      };
      return std::make_unique<transport::HttpSseClient>(endpoint, std::move(options), observer);
    }
    options.spoil = [this](std::string_view method, std::string_view body,
                           transport::Headers& fields) {
      const std::string shown = login_ ? login_->authorization() : "";
      if (!shown.empty()) fields.emplace_back("Authorization", shown);
      if (login_) login_->prove(method, body, fields);
      if (login_) login_->spoil(fields);
      if (faulty_ != nullptr) faulty_->spoil(method, body, fields);
    };
    watch_ =
        std::make_unique<client::ChallengeWatch>(observer, !login_ || login_->reads_all_fields());
    auto http = std::make_unique<transport::HttpClient>(endpoint, std::move(options), *watch_);
    http_ = http.get();
    return http;
  }

  int visit(client::ClientSession& session, transport::ClientTransport& wire,
            std::stop_token stop) {
    const char* scenario = std::getenv("MCP_CONFORMANCE_SCENARIO");
    const bool is_silent = scenario != nullptr && kSilentAtFirst == scenario;
    const auto patience =
        is_silent ? kPatienceAtFirst
                  : std::chrono::milliseconds(static_cast<std::int64_t>(timeout_ * 1000));
    const std::stop_callback on_stop(stop, [&] { session.give_up("interrupted"); });
    if (const auto failure = session.open(wire)) {
      fmt::print(stderr, "mcp-assay: {}\n", reports::printable_line(failure->detail));
      tell_that_it_does_not_connect(failure->detail);
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
      tell_that_it_does_not_connect(why);
      show_end_of_child();
      return kNotTested;
    }
    for (const client::Fault* fault : faults_) {
      if (fault->aside != nullptr && http_ != nullptr) fault->aside(*http_);
    }
    const bool repeats_in_headers = http_ != nullptr && session.revision()->has_mirrored_headers();
    const OnTools on_tools = [&](std::vector<Json>& tools) {
      if (repeats_in_headers) leave_out_unfit(tools);
      parameters_.note({{"tools", tools}});
      tools_ = tools;
      fetch_linked(faults_, tools);
    };
    if (const char* acts = std::getenv(harness::kActsVariable)) {
      const char* log = std::getenv(harness::kActsLogVariable);
      ReferenceClientActs(session, patience, heard_, on_tools, log == nullptr ? "" : log)
          .run(Json::parse(acts, nullptr, false));
    } else if (!is_again_) {
      ReferenceClientTour(session, patience, on_tools).run();
    }
    const char* context = std::getenv("MCP_CONFORMANCE_CONTEXT");
    if (scenario != nullptr) {
      const Json told = context == nullptr ? Json() : Json::parse(context, nullptr, false);
      ReferenceClientErrands(session, patience, heard_, tools_, on_tools)
          .run(scenario, told, is_again_);
    }
    if (const auto closed = session.closed()) {
      fmt::print(stderr, "mcp-assay: the connection ended: {}\n", reports::printable_line(*closed));
      show_end_of_child();
      return kNotTested;
    }
    return kConformant;
  }

  // Its process ended, and not at our wish, where a client is to show that it starts another one.
  bool has_lost_server(const client::ClientSession& session) const {
    const char* scenario = std::getenv("MCP_CONFORMANCE_SCENARIO");
    const bool is_meant = scenario != nullptr && kServerExits == scenario;
    if (!is_meant || child_ == nullptr || !session.closed()) return false;
    return child_->wait_for_exit(std::chrono::steady_clock::now() + kLastWordsTime).has_value();
  }

  // Why a child is of no use is often told by how it ended, a moment later, and by its last words.
  void show_end_of_child() const {
    if (child_ == nullptr) return;
    const auto exit = child_->wait_for_exit(std::chrono::steady_clock::now() + kLastWordsTime);
    if (exit && exit->signal)
      fmt::print(stderr, "It was ended by {}.\n", transport::signal_words(*exit->signal));
    if (exit && !exit->signal) fmt::print(stderr, "It exited with status {}.\n", exit->code);
    if (child_->stderr_tail().empty()) return;
    fmt::print(stderr, "The last it wrote to standard error:\n{}\n",
               reports::printable_text(child_->stderr_tail()));
  }

  void end(client::ClientSession& session) const {
    const auto deadline = std::chrono::steady_clock::now() + kClosingTime;
    const bool keeps_session = std::any_of(faults_.begin(), faults_.end(),
                                           [](const auto* fault) { return fault->keeps_session; });
    for (const client::Fault* fault : faults_) {
      if (fault->farewell != nullptr && child_ != nullptr) fault->farewell(*child_);
    }
    const bool is_deaf = faulty_ != nullptr && faulty_->has_choked();
    if (faulty_ != nullptr) faulty_->settle(deadline);
    if (http_ != nullptr && !keeps_session && !is_deaf) {
      if (const auto lane = http_->end_session()) session.wait_until_over(*lane, deadline);
    }
    session.close(child_ == nullptr ? deadline : deadline + kTerminateTime);
  }

  std::string revision_;
  std::string url_;
  std::string endpoint_;
  bool is_http_sse_ = false;
  std::vector<std::string> headers_;
  double timeout_ = 10;
  std::vector<std::string> command_;
  ReferenceClientFlaws flaws_;
  bool logs_in_ = false;
  std::string client_document_;
  std::vector<std::string> declared_;
  std::vector<const client::Fault*> faults_;
  std::unique_ptr<client::Login> login_;           // null where it does not log in
  std::unique_ptr<client::ChallengeWatch> watch_;  // of the wire that connect() made last
  // What connect() made, whatever stands around it.
  transport::StdioChild* child_ = nullptr;
  transport::HttpClient* http_ = nullptr;
  HeardNotifications heard_;
  std::vector<Json> tools_;
  bool is_again_ = false;  // the server had exited, and was started again
  client::FaultyWire* faulty_ = nullptr;
  harness::MirroredParameters parameters_;  // used by the thread of run() alone
};

const CommandRegistration<ReferenceClientCommand> kReferenceClientCommandRegistration;

}  // namespace
}  // namespace assay::cli
