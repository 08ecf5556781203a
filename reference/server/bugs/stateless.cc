// Bugs in what requests that stand alone carry: `_meta`, states, subscriptions, repeated headers.
#include <algorithm>
#include <string>

#include "reference/server/bugs/bug.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using wire::Decoded;
using wire::Message;
using wire::MessageKind;

constexpr std::int64_t kUnsupportedVersion = -32022;
constexpr std::int64_t kMissingCapability = -32021;
constexpr const char* kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kMetaLogLevel = "io.modelcontextprotocol/logLevel";
// What is shorter is no state of ours.
constexpr std::size_t kShortestState = 100;

[[noreturn]] void give_up() {
  std::abort();
}

// The params of a request that stands alone; null for everything else.
Json params_alone(const Decoded& arrived) {
  const auto* message = std::get_if<Message>(&arrived);
  const bool is_request = message != nullptr && message->kind() == MessageKind::kRequest &&
                          message->has_params() && message->params().is_object();
  return is_request && message->params().contains("_meta") ? message->params() : Json();
}

Json meta_of(const Decoded& arrived) {
  const Json params = params_alone(arrived);
  return params.is_object() ? params["_meta"] : Json();
}

std::string state_in(const Json& json) {
  const Json state = json.is_object() ? json.value("requestState", Json()) : Json();
  return state.is_string() ? state.get<std::string>() : std::string();
}

bool trusted_capabilities(BugState&, const Decoded& arrived, transport::Sink&) {
  const Json meta = meta_of(arrived);
  if (meta.is_object() && !meta.contains(kMetaCapabilities)) give_up();
  return false;
}

bool trusted_log_level(BugState&, const Decoded& arrived, transport::Sink&) {
  const Json meta = meta_of(arrived);
  if (!meta.is_object() || !meta.contains(kMetaLogLevel)) return false;
  if (!meta[kMetaLogLevel].is_string()) give_up();
  return false;
}

bool trusted_trace(BugState&, const Decoded& arrived, transport::Sink&) {
  const Json meta = meta_of(arrived);
  if (!meta.is_object() || !meta.contains("traceparent")) return false;
  if (!meta["traceparent"].is_string()) give_up();
  return false;
}

bool unpaired_digits(BugState&, const Decoded& arrived, transport::Sink&) {
  const std::string state = state_in(params_alone(arrived));
  if (state.size() >= kShortestState && state.size() % 2 != 0) give_up();
  return false;
}

bool state_again(BugState& state, const Decoded& arrived, transport::Sink&) {
  const std::string own = state_in(params_alone(arrived));
  if (own.size() < kShortestState) return false;
  if (!state.seen_ids.insert(own).second) give_up();
  return false;
}

std::string owned_state(const std::string& state, const Json& params) {
  return state + " of " + wire::encode(params.value("name", Json()));
}

void remember_owner(BugState& state, Departure& departure, int) {
  if (!departure.is_result() || departure.request() == nullptr) return;
  const std::string given = state_in(departure.result());
  if (given.empty()) return;
  state.seen_ids.insert(given);
  state.seen_ids.insert(owned_state(given, departure.request()->params()));
}

bool state_of_another(BugState& state, const Decoded& arrived, transport::Sink&) {
  const Json params = params_alone(arrived);
  const std::string own = state_in(params);
  if (state.seen_ids.contains(own) && !state.seen_ids.contains(owned_state(own, params))) give_up();
  return false;
}

bool trusted_input(BugState&, const Decoded& arrived, transport::Sink&) {
  const Json params = params_alone(arrived);
  const Json given = params.is_object() ? params.value("inputResponses", Json()) : Json();
  if (!given.is_object()) return false;
  for (const Json& each : given) {
    if (!each.is_object()) give_up();
  }
  return false;
}

bool first_of_no_uris(BugState&, const Decoded& arrived, transport::Sink&) {
  const Json params = params_alone(arrived);
  const Json filter = params.is_object() ? params.value("notifications", Json()) : Json();
  const Json uris = filter.is_object() ? filter.value("resourceSubscriptions", Json()) : Json();
  if (uris.is_array() && uris.empty()) give_up();
  return false;
}

bool keep_subscription(BugState& state, const Decoded& arrived, transport::Sink&) {
  constexpr std::size_t kKept = 100'000;
  const auto* message = std::get_if<Message>(&arrived);
  if (message != nullptr && message->method() == "subscriptions/listen") {
    state.leaked.push_back(std::make_unique<std::vector<char>>(kKept, 'x'));
  }
  return false;
}

void subscribe_to_tools(BugState&, Departure& departure, int) {
  Json& json = departure.json();
  const bool is_acknowledged = json.is_object() && json.value("method", Json()) ==
                                                       "notifications/subscriptions/acknowledged";
  if (is_acknowledged) json["params"]["notifications"]["toolsListChanged"] = true;
}

void serve_any_version(BugState&, Departure& departure, int) {
  if (!departure.has_error_code(kUnsupportedVersion)) return;
  departure.json().erase("error");
  departure.json()["result"] = {{"resultType", "complete"}};
}

void ask_regardless(BugState&, Departure& departure, int) {
  if (!departure.has_error_code(kMissingCapability)) return;
  departure.json().erase("error");
  departure.json()["result"] = {
      {"resultType", "input_required"},
      {"inputRequests", {{"roots", {{"method", "roots/list"}, {"params", Json::object()}}}}}};
}

void fail_on_bad_coding(const transport::HttpHead& request, std::string_view,
                        transport::HttpReply& reply) {
  const auto name = transport::find_header(request.headers, "Mcp-Name");
  if (name && name->starts_with("=?base64?!")) {
    reply = {.status = 500, .headers = {}, .body = {}, .stream = nullptr};
  }
}

std::vector<Bug> stateless_meta_bugs() {
  return {
      {.id = "crash-meta-capabilities",
       .description = "Crashes on a _meta that says nothing of the client's capabilities",
       .shows_as = "crash",
       .arrival = trusted_capabilities},
      {.id = "crash-meta-log-level",
       .description = "Crashes on a log level that is not text",
       .shows_as = "crash",
       .arrival = trusted_log_level},
      {.id = "crash-meta-trace",
       .description = "Crashes on a traceparent that is not text",
       .shows_as = "crash",
       .arrival = trusted_trace},
      {.id = "accepts-unknown-version",
       .description = "Serves requests in revisions that do not exist",
       .shows_as = "accepted",
       .departure = serve_any_version},
  };
}

std::vector<Bug> stateless_state_bugs() {
  return {
      {.id = "crash-state-odd",
       .description = "Crashes on a state with a character too many or too few",
       .shows_as = "crash",
       .arrival = unpaired_digits},
      {.id = "crash-state-again",
       .description = "Crashes on a state that was given back before",
       .shows_as = "crash",
       .arrival = state_again},
      {.id = "crash-state-of-another",
       .description = "Crashes on a state that it gave for another request",
       .shows_as = "crash",
       .arrival = state_of_another,
       .departure = remember_owner},
      {.id = "crash-input-kind",
       .description = "Crashes on input that is not an object",
       .shows_as = "crash",
       .arrival = trusted_input},
      {.id = "asks-regardless",
       .description = "Asks for roots where its client lacks a capability",
       .shows_as = "accepted",
       .departure = ask_regardless},
  };
}

std::vector<Bug> stateless_listening_bugs() {
  return {
      {.id = "crash-listen-no-uris",
       .description = "Crashes on a subscription to an empty list of resources",
       .shows_as = "crash",
       .arrival = first_of_no_uris},
      {.id = "listen-to-tools",
       .description = "Subscribes everybody to the list of tools",
       .shows_as = "accepted",
       .departure = subscribe_to_tools},
      {.id = "leak-listen",
       .description = "Keeps 100 kB for each subscription, even when it has ended",
       .shows_as = "growing-memory",
       .seen_over = SeenOver::kStdioOnly,
       .arrival = keep_subscription},
      {.id = "http-500-field",
       .description = "Fails with 500 when Mcp-Name is badly encoded",
       .shows_as = "server-error",
       .seen_over = SeenOver::kHttpOnly,
       .reply = fail_on_bad_coding},
      {.id = "http-method-field",
       .description = "Does not hold Mcp-Method against the body",
       .shows_as = "accepted",
       .seen_over = SeenOver::kHttpOnly,
       .neglects = transport::HttpDuty::kChecksMethodHeader},
      {.id = "http-name-field",
       .description = "Does not hold Mcp-Name against the body",
       .shows_as = "accepted",
       .seen_over = SeenOver::kHttpOnly,
       .neglects = transport::HttpDuty::kChecksNameHeader},
      {.id = "http-parameter-field",
       .description = "Does not hold Mcp-Param-* against the body",
       .shows_as = "accepted",
       .seen_over = SeenOver::kHttpOnly,
       .neglects = transport::HttpDuty::kChecksParameterHeaders},
  };
}

}  // namespace

std::vector<Bug> stateless_bugs() {
  std::vector<Bug> all;
  for (std::vector<Bug> (*table)() :
       {stateless_meta_bugs, stateless_state_bugs, stateless_listening_bugs}) {
    for (Bug& bug : table()) {
      bug.has_handshake = false;
      all.push_back(std::move(bug));
    }
  }
  return all;
}

}  // namespace assay::server
