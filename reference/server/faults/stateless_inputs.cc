// Faults of requests that take several rounds, and of what becomes of the answers. Specification:
// basic/patterns/mrtr, client/elicitation, client/roots (since 2026-07-28).
#include <algorithm>
#include <array>

#include "reference/server/content.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// What is answered came with answers to an earlier round.
bool is_retry(Departure& d) {
  return member(asked_params(d), "inputResponses").is_object();
}

void ask_for_input(Departure& d) {
  become_result(
      d, {{"resultType", "input_required"},
          {"inputRequests",
           {{"user_name",
             {{"method", "elicitation/create"},
              {"params",
               {{"mode", "form"},
                {"message", "Who asks?"},
                {"requestedSchema", {{"type", "object"}, {"properties", Json::object()}}}}}}}}}});
}

template <const char* kMethod>
void ask_on(Departure& d) {
  if (d.is_result_of(kMethod)) ask_for_input(d);
}
constexpr char kAskOnTools[] = "tools/list";
constexpr char kAskOnResources[] = "resources/list";
constexpr char kAskOnComplete[] = "completion/complete";
constexpr char kAskOnDiscover[] = "server/discover";

// Beside what the tool asks, asks for that, although the client has not declared it.
template <const char* kMethod>
void ask_undeclared(Departure& d) {
  const Json& declared = member(member(asked_params(d), "_meta"), kClientCapabilitiesKey);
  if (!is_input_required(d) || allows_asking(declared, kMethod, Json::object())) return;
  Json request = {{"method", kMethod}};
  if (std::string_view(kMethod) == "elicitation/create") {
    request["params"] = {{"message", "Who are you?"},
                         {"requestedSchema", {{"type", "object"}, {"properties", Json::object()}}}};
  } else if (std::string_view(kMethod) == "sampling/createMessage") {
    request["params"] = {
        {"messages", Json::array({{{"role", "user"}, {"content", text_content("Hello")}}})},
        {"maxTokens", 10}};
  }
  d.result()["inputRequests"]["undeclared"] = std::move(request);
}
constexpr char kAskElicitation[] = "elicitation/create";
constexpr char kAskSampling[] = "sampling/createMessage";
constexpr char kAskRoots[] = "roots/list";

std::vector<Fault> request_faults() {
  return {
      {.id = "asks-by-request",
       .description = "Asks the client with a request of its own, as earlier revisions did",
       .breaks = {"mrtr.no-server-requests", "mrtr.requests-by-result",
                  "http.no-requests-on-stream", "stdio.server-no-requests",
                  "transport.binding-directions"},
       .may_break = {"http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (is_input_required(d)) {
               d.before(wire::encode(wire::make_request(wire::Id::of(1), "roots/list")));
             }
           }},
      {.id = "pings-by-request",
       .description = "Pings the client while a tool runs",
       .breaks = {"mrtr.no-server-requests", "http.no-requests-on-stream",
                  "stdio.server-no-requests"},
       .may_break = {"transport.binding-directions", "http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/progress")) {
               d.before(wire::encode(wire::make_request(wire::Id::of_string("ping"), "ping")));
             }
           }},
      {.id = "input-required-for-tools-list",
       .description = "Wants input before it lists its tools",
       .breaks = {"mrtr.unsupported-requests"},
       .may_break = {"tools.list-answered", "mrtr.no-elicitation-undeclared",
                     "mrtr.only-declared-inputs", "caching.hints-on-tools-list"},
       .departure = ask_on<kAskOnTools>},
      {.id = "input-required-for-resources-list",
       .description = "Wants input before it lists its resources",
       .breaks = {"mrtr.unsupported-requests"},
       .may_break = {"resources.list-answered", "mrtr.no-elicitation-undeclared",
                     "mrtr.only-declared-inputs", "caching.hints-on-resources-list"},
       .departure = ask_on<kAskOnResources>},
      {.id = "input-required-for-completion",
       .description = "Wants input before it completes an argument",
       .breaks = {"mrtr.unsupported-requests"},
       .may_break = {"mrtr.no-elicitation-undeclared", "mrtr.only-declared-inputs"},
       .departure = ask_on<kAskOnComplete>},
      {.id = "input-required-for-discovery",
       .description = "Wants input before it says what it speaks",
       .breaks = {"mrtr.unsupported-requests"},
       .may_break = {"discover.implemented", "mrtr.no-elicitation-undeclared",
                     "mrtr.only-declared-inputs", "caching.hints-on-discover"},
       .departure = ask_on<kAskOnDiscover>},
      {.id = "input-request-of-other-kind",
       .description = "Asks for something that no client knows",
       .breaks = {"mrtr.input-request-kinds"},
       .departure =
           [](Departure& d) {
             if (is_input_required(d)) {
               d.result()["inputRequests"]["mood"] = {{"method", "mood/get"}};
             }
           }},
      {.id = "input-request-ping",
       .description = "Asks for a ping in its result",
       .breaks = {"mrtr.input-request-kinds"},
       .departure =
           [](Departure& d) {
             if (is_input_required(d)) {
               d.result()["inputRequests"]["ping"] = {{"method", "ping"}};
             }
           }},
      {.id = "input-required-for-nothing",
       .description = "Needs input, and says neither which nor has a state",
       .breaks = {"mrtr.result-not-empty"},
       .departure =
           [](Departure& d) {
             if (!is_input_required(d)) return;
             d.result().erase("inputRequests");
             d.result().erase("requestState");
           }},
      {.id = "input-key-twice",
       .description = "Asks for two things under one key",
       .breaks = {"mrtr.input-request-keys-unique"},
       .departure =
           [](Departure& d) {
             if (!is_input_required(d) || !d.result().contains("inputRequests")) return;
             std::string text = d.text();
             const std::string opening = "\"inputRequests\":{";
             const std::size_t place = text.find(opening) + opening.size();
             const std::string key = d.result()["inputRequests"].begin().key();
             text.insert(place, "\"" + key + R"(":{"method":"roots/list"},)");
             d.set_bytes(std::move(text));
           }},
      {.id = "form-asked-of-url-only",
       .description = "Asks with forms where elicitation by URL is declared and nothing else",
       .breaks = {"elicitation.undeclared-mode-not-sent"},
       .may_break = {"mrtr.only-declared-inputs", "meta.undeclared-capabilities"},
       .intake =
           [](Json& request, FaultMemory&) {
             if (!has_meta(request)) return;
             Json& declared = meta_of(request)[kClientCapabilitiesKey];
             if (declared.is_object() && declared.contains("elicitation") &&
                 declared["elicitation"].contains("url")) {
               declared["elicitation"]["form"] = Json::object();
             }
           }},
      {.id = "asks-undeclared-by-result",
       .description = "Asks for what the client has not declared",
       .breaks = {"mrtr.only-declared-inputs", "meta.undeclared-capabilities",
                  "mrtr.no-elicitation-undeclared", "meta.missing-capability-error",
                  "meta.missing-capability-400", "elicitation.undeclared-mode-not-sent",
                  "roots.capability-checked", "sampling.tools-only-if-declared"},
       .inside = Switch::kAsksUndeclared},
      {.id = "asks-undeclared-elicitation",
       .description = "Asks users of clients that have none",
       .breaks = {"mrtr.only-declared-inputs", "mrtr.no-elicitation-undeclared"},
       .may_break = {"meta.undeclared-capabilities", "elicitation.undeclared-mode-not-sent"},
       .departure = ask_undeclared<kAskElicitation>},
      {.id = "asks-undeclared-sampling",
       .description = "Asks models of clients that have none",
       .breaks = {"mrtr.only-declared-inputs"},
       .may_break = {"meta.undeclared-capabilities"},
       .departure = ask_undeclared<kAskSampling>},
      {.id = "asks-undeclared-roots",
       .description = "Asks for roots of clients that have none",
       .breaks = {"mrtr.only-declared-inputs", "roots.capability-checked"},
       .may_break = {"meta.undeclared-capabilities"},
       .departure = ask_undeclared<kAskRoots>},
  };
}

// What a request is about: a tool or prompt.
std::string name_of(const Json& request) {
  return string_member(member(request, "params"), "name").value_or("");
}

bool is_refused_state(Departure& d) {
  return d.has_error_code(wire::kInvalidParams) &&
         d.json()["error"].value("message", "").starts_with("requestState");
}

std::vector<Fault> state_faults() {
  return {
      {.id = "state-unverified",
       .description = "Trusts a requestState that was altered",
       .breaks = {"mrtr.tampered-state-rejected", "mrtr.state-integrity-protected",
                  "mrtr.state-distrusted"},
       .may_break = {"mrtr.state-bound-to-request", "mrtr.state-expires"},
       .intake =
           [](Json& request, FaultMemory& memory) {
             const Json& issued = member(memory.of_server, name_of(request).c_str());
             if (has_meta(request) && !issued.is_null() &&
                 request["params"].contains("requestState")) {
               request["params"]["requestState"] = issued;
             }
           },
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!is_input_required(d) || !d.result().contains("requestState")) return;
             memory.of_server[name_of(d.request()->json())] = d.result()["requestState"];
           }},
      {.id = "state-of-any-request",
       .description = "Takes the requestState of one request with another",
       .breaks = {"mrtr.state-bound-to-request"},
       .inside = Switch::kTakesStateOfOthers},
      {.id = "state-for-ever",
       .description = "Takes a requestState that has expired",
       .breaks = {"mrtr.state-expires"},
       .inside = Switch::kTakesStateForEver},
      {.id = "bad-state-in-result",
       .description = "Completes a call with an altered requestState",
       .breaks = {"mrtr.tampered-state-rejected", "mrtr.state-integrity-protected"},
       .may_break = {"mrtr.state-bound-to-request", "mrtr.state-expires", "mrtr.state-distrusted"},
       .departure =
           [](Departure& d) {
             if (is_refused_state(d) && d.answers("tools/call")) {
               become_result(d, tool_text("Whatever the state was, here you are."));
             }
           }},
      {.id = "bad-state-unanswered",
       .description = "Does not answer a request with an altered requestState",
       .breaks = {"mrtr.state-distrusted"},
       .may_break = {"mrtr.state-bound-to-request", "mrtr.state-expires",
                     "mrtr.tampered-state-rejected", "http.request-answer-type"},
       .departure =
           [](Departure& d) {
             if (is_refused_state(d)) d.drop();
           }},
      {.id = "waits-for-the-retry",
       .description = "Does not say what it speaks until the call that needs input was sent again",
       .breaks = {"mrtr.retry-not-assumed"},
       .may_break = {"stateless.interleaved-conversations", "stateless.no-prior-context",
                     "discover.implemented", "versioning.implemented", "http.request-answer-type",
                     "jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             Json& awaited = memory.of_server["awaited"];
             if (is_input_required(d)) {
               awaited = asked_params(d).value("name", "");
             } else if (is_retry(d) && asked_params(d).value("name", "") == awaited) {
               awaited = nullptr;
             } else if (!awaited.is_null() && d.answers("server/discover")) {
               d.drop();
             }
           }},
      {.id = "refuses-until-the-retry",
       .description = "Refuses what else is asked until the call that needs input was sent again",
       .breaks = {"mrtr.retry-not-assumed"},
       .may_break = {"stateless.interleaved-conversations", "stateless.no-prior-context",
                     "discover.implemented", "versioning.implemented"},
       .seen_over = SeenOver::kStdioOnly,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             Json& is_open = memory.of_server["open"];
             if (is_input_required(d)) {
               is_open = true;
             } else if (is_retry(d)) {
               is_open = false;
             } else if (is_open == true && d.answers("server/discover")) {
               become_error(d, wire::kInternalError, "First answer what I asked");
             }
           }},
  };
}

// A key that no tool of ours asks under.
bool has_unexpected_key(const Json& responses) {
  constexpr std::array kKnown = {"user_name", "sample_request", "roots_request", "confirm",
                                 "greeting",  "client_roots",   "step1",         "step2",
                                 "visit",     "values",         "user_context",  "tool_use"};
  for (const auto& [key, value] : responses.items()) {
    if (std::find(kKnown.begin(), kKnown.end(), key) == kKnown.end()) return true;
  }
  return false;
}

// Whether an answer to a form has that action.
bool has_action(const Json& responses, std::string_view action) {
  for (const auto& [key, response] : responses.items()) {
    if (member(response, "action") == action) return true;
  }
  return false;
}

std::vector<Fault> response_faults() {
  return {
      {.id = "input-responses-unread",
       .description = "Accepts anything as an answer",
       .breaks = {"mrtr.responses-validated", "elicitation.server-validates",
                  "sampling.content-validated", "mrtr.protocol-errors-reported"},
       .may_break = {"elicitation.success-not-assumed"},
       .inside = Switch::kTrustsAnswers},
      {.id = "input-responses-by-type-only",
       .description = "Does not hold what a user filled in against the form",
       .breaks = {"elicitation.server-validates"},
       .may_break = {"mrtr.responses-validated"},
       .inside = Switch::kTrustsForms},
      {.id = "bad-input-in-result",
       .description = "Completes a call whose input is malformed, and says it failed",
       .breaks = {"mrtr.protocol-errors-reported"},
       .may_break = {"mrtr.responses-validated"},
       .departure =
           [](Departure& d) {
             const bool is_about_input =
                 d.is_error_of("tools/call", wire::kInvalidParams) &&
                 d.json()["error"].value("message", "").starts_with("inputResponses");
             if (is_about_input) become_result(d, tool_error("Bad input"));
           }},
      {.id = "unexpected-input-refused",
       .description = "Refuses input that it has not asked for",
       .breaks = {"mrtr.unexpected-ignored"},
       .departure =
           [](Departure& d) {
             if (d.is_result() && is_retry(d) &&
                 has_unexpected_key(asked_params(d)["inputResponses"])) {
               become_error(d, wire::kInvalidParams, "Unexpected input");
             }
           }},
      {.id = "missing-input-refused",
       .description = "Answers missing input with an error",
       .breaks = {"mrtr.missing-asked-again"},
       .departure =
           [](Departure& d) {
             if (is_input_required(d) && is_retry(d) && !d.result().contains("requestState")) {
               become_error(d, wire::kInvalidParams, "Input is missing");
             }
           }},
      {.id = "missing-input-as-failure",
       .description = "Answers missing input with a result that says isError",
       .breaks = {"mrtr.missing-asked-again"},
       .departure =
           [](Departure& d) {
             if (!is_input_required(d) || !is_retry(d)) return;
             if (d.result().contains("requestState")) return;
             if (!asked_params(d)["inputResponses"].empty()) return;
             become_result(
                 d, {{"content", tool_text("Input is missing")["content"]}, {"isError", true}});
           }},
      {.id = "declining-is-unanswered",
       .description = "Never answers where the user declines",
       .breaks = {"elicitation.failure-handled", "elicitation.success-not-assumed"},
       .may_break = {"http.request-answer-type"},
       .departure =
           [](Departure& d) {
             if (is_retry(d) && has_action(asked_params(d)["inputResponses"], "decline")) d.drop();
           }},
      {.id = "dismissing-is-unanswered",
       .description = "Never answers where the user dismisses the form",
       .breaks = {"elicitation.failure-handled", "elicitation.success-not-assumed"},
       .may_break = {"http.request-answer-type"},
       .departure =
           [](Departure& d) {
             if (is_retry(d) && has_action(asked_params(d)["inputResponses"], "cancel")) d.drop();
           }},
      {.id = "no-roots-is-unanswered",
       .description = "Never answers where the client has no roots at present",
       .breaks = {"roots.unavailable-handled"},
       .may_break = {"http.request-answer-type"},
       .departure =
           [](Departure& d) {
             if (!is_retry(d)) return;
             for (const auto& [key, response] : asked_params(d)["inputResponses"].items()) {
               const Json& roots = member(response, "roots");
               if (!roots.is_array() || !roots.empty()) continue;
               d.drop();
               return;
             }
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_input_faults() {
  return of_stateless_era({request_faults, state_faults, response_faults});
}

}  // namespace assay::server
