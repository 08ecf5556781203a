// How a client can take odd and harmless messages badly. Specification: basic, "Messages" and
// "_meta"; basic/utilities/cancellation; client/elicitation.
#include <algorithm>

#include "reference/client/faults/fault.h"

namespace assay::client {
namespace {

using transport::Observation;

bool holds(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

bool is_no_json(const Json& message) {
  return message.is_discarded();
}

// An error in answer to nobody.
std::string lone_error(int code) {
  const Json error = {{"jsonrpc", "2.0"},
                      {"id", nullptr},
                      {"error", {{"code", code}, {"message", "What was that?"}}}};
  return error.dump();
}

constexpr int kOwnCode = -32050;

}  // namespace

std::vector<Fault> survival_faults() {
  return {
      {.id = "chokes-on-unknown-cancellation",
       .description = "Breaks off when a request is cancelled that it never had",
       .breaks = {"cancellation.unknown-ignored"},
       .concerns = &model::Revision::has_sessions,
       .chokes =
           [](const Observation&, std::string_view text) {
             return holds(text, "notifications/cancelled") && holds(text, "assay-nobody");
           }},
      {.id = "chokes-on-late-cancellation",
       .description = "Breaks off when a request is cancelled that it has answered",
       .breaks = {"cancellation.completed-ignored", "cancellation.races-handled"},
       .concerns = &model::Revision::has_sessions,
       .chokes =
           [](const Observation&, std::string_view text) {
             return holds(text, "notifications/cancelled") && holds(text, "assay-before");
           }},
      {.id = "chokes-on-malformed-cancellation",
       .description = "Breaks off over a cancellation whose request id is an object",
       .breaks = {"cancellation.malformed-ignored"},
       .concerns = &model::Revision::has_sessions,
       .chokes =
           [](const Observation&, std::string_view text) {
             return holds(text, "notifications/cancelled") && holds(text, "\"requestId\":{");
           }},
      {.id = "chokes-on-unknown-completion",
       .description = "Breaks off when an elicitation is complete that it never had",
       .breaks = {"elicitation.unknown-completion-ignored"},
       .chokes =
           [](const Observation&, std::string_view text) {
             return holds(text, "notifications/elicitation/complete");
           }},
      {.id = "chokes-on-unknown-cancellation-between-pages",
       .description = "Breaks off a list when a request is cancelled that it never had",
       .breaks = {"cancellation.unknown-ignored"},
       .concerns = &model::Revision::is_stateless,
       .chokes =
           [](const Observation&, std::string_view text) {
             return holds(text, "notifications/cancelled") && holds(text, "assay-nobody");
           }},
      {.id = "chokes-on-late-cancellation-between-pages",
       .description = "Breaks off a list when a request is cancelled that was answered",
       .breaks = {"cancellation.completed-ignored"},
       .concerns = &model::Revision::is_stateless,
       .chokes =
           [](const Observation&, std::string_view text) {
             return holds(text, "notifications/cancelled") && holds(text, "\"requestId\":") &&
                    !holds(text, "assay-nobody") && !holds(text, "\"requestId\":{");
           }},
      {.id = "chokes-on-malformed-cancellation-between-pages",
       .description = "Breaks off a list over a cancellation whose request id is an object",
       .breaks = {"cancellation.malformed-ignored"},
       .concerns = &model::Revision::is_stateless,
       .chokes =
           [](const Observation&, std::string_view text) {
             return holds(text, "notifications/cancelled") && holds(text, "\"requestId\":{");
           }},
      {.id = "notification-answered-without-session",
       .description = "Answers a notification with an error",
       .breaks = {"jsonrpc.notification-no-response", "stdio.client-no-responses",
                  "http.client-no-responses", "http.post-body-request-or-notification",
                  "transport.binding-directions"},
       .concerns = &model::Revision::is_stateless,
       .reaction = [](const Json& message, std::string_view) -> std::string {
         const bool is_it =
             message.is_object() && message.value("method", Json()) == "notifications/assay";
         return is_it ? lone_error(kOwnCode) : "";
       }},
      {.id = "chokes-on-stderr-between-pages",
       .description = "Breaks off a list when the server writes to its standard error",
       .breaks = {"stdio.stderr-is-no-error"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::is_stateless,
       .chokes = [](const Observation& heard,
                    std::string_view) { return heard.kind == Observation::Kind::kStderr; }},
      {.id = "reads-on-by-name",
       .description = "Breaks off a list when the server's name is not the one that it had",
       .breaks = {"meta.info-no-behavior"},
       .chokes = [](const Observation&,
                    std::string_view text) { return holds(text, "assay-elsewhere"); }},
      {.id = "batch-answered-in-pieces",
       .description = "Answers the requests of an array one by one",
       .breaks = {"jsonrpc.batch-array-response"},
       .departure =
           [](Departure& d) {
             if (!d.json().is_array()) return;
             const Json all = d.json();
             d.set_bytes(all.front().dump());
             for (std::size_t i = 1; i < all.size(); ++i) d.after(all[i].dump());
           }},
      {.id = "bad-member-spoils-batch",
       .description = "Answers no member of an array in which one is no message",
       .breaks = {"jsonrpc.batch-invalid-member"},
       .intake =
           [](Json& message, const FaultMemory&) {
             const bool has_bad = message.is_array() && !message.empty() &&
                                  message.front().is_object() && message.front().contains("foo");
             if (has_bad) message = Json::array();
           }},
      {.id = "empty-batch-answered-in-array",
       .description = "Answers an empty array with an array",
       .breaks = {"jsonrpc.batch-empty-refused"},
       .reaction = [](const Json& message, std::string_view) -> std::string {
         const bool is_empty = message.is_array() && message.empty();
         return is_empty ? "[" + lone_error(-32600) + "]" : "";
       }},
      {.id = "chokes-on-no-json",
       .description = "Stops at a message that is not JSON",
       .breaks = {"jsonrpc.bad-message-survived"},
       .chokes =
           [](const Observation&, std::string_view text) {
             return !text.empty() && is_no_json(Json::parse(text, nullptr, false));
           }},
      {.id = "notification-answered",
       .description = "Answers a notification with an error",
       .breaks = {"jsonrpc.notification-no-response"},
       .concerns = &model::Revision::has_sessions,
       .reaction = [](const Json& message, std::string_view) -> std::string {
         const bool is_it =
             message.is_object() && message.value("method", Json()) == "notifications/assay";
         return is_it ? lone_error(kOwnCode) : "";
       }},
      {.id = "no-json-odd-code",
       .description = "Answers a message that is not JSON with a wrong error code",
       .breaks = {"jsonrpc.parse-error-code"},
       .reaction = [](const Json& message, std::string_view text) -> std::string {
         return !text.empty() && is_no_json(message) ? lone_error(kOwnCode) : "";
       }},
      {.id = "no-request-odd-code",
       .description = "Answers an invalid request with a wrong error code",
       .breaks = {"jsonrpc.invalid-request-code"},
       .reaction = [](const Json& message, std::string_view) -> std::string {
         const bool is_it = message.is_object() && message.value("method", Json()) == 42;
         return is_it ? lone_error(kOwnCode) : "";
       }},
      {.id = "chokes-on-stderr",
       .description = "Breaks off when the server writes to its standard error",
       .breaks = {"stdio.stderr-is-no-error"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = &model::Revision::has_sessions,
       .chokes = [](const Observation& heard,
                    std::string_view) { return heard.kind == Observation::Kind::kStderr; }},
      {.id = "chokes-on-batch",
       .description = "Breaks off over an array of messages",
       .breaks = {"jsonrpc.batch-receive"},
       .chokes = [](const Observation&, std::string_view text) { return text.starts_with('['); }},
      {.id = "batch-answered-with-nothing",
       .description = "Answers an array of notifications with an empty array",
       .breaks = {"jsonrpc.batch-no-requests-unanswered"},
       .may_break = {"jsonrpc.batch-empty-refused", "jsonrpc.version-2-messages",
                     "stdio.stdin-only-messages"},
       .reaction = [](const Json& message, std::string_view) -> std::string {
         const bool has_request = !message.is_array() ||
                                  std::any_of(message.begin(), message.end(), [](const Json& one) {
                                    return one.is_object() && one.contains("id");
                                  });
         return has_request ? "" : "[]";
       }},
      {.id = "reserved-meta-refused",
       .description = "Refuses a ping with a key in _meta that it does not know",
       .breaks = {"meta.no-assumptions"},
       .concerns = &model::Revision::has_sessions,
       .departure =
           [](Departure& d) {
             const bool is_it = d.answers("ping") && holds(d.json()["id"].dump(), "assay-meta-");
             if (!is_it) return;
             d.json().erase("result");
             d.json()["error"] = {{"code", -32602}, {"message", "No such key"}};
           }},
  };
}

}  // namespace assay::client
