// Faults of subscriptions/listen, of cancellation and of log messages where there is no session.
// Specification: basic/patterns/subscriptions, basic/patterns/cancellation,
// server/utilities/logging (since 2026-07-28).
#include "reference/server/faults/rows.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

constexpr std::string_view kAcknowledged = "notifications/subscriptions/acknowledged";
constexpr std::string_view kToolsChanged = "notifications/tools/list_changed";
constexpr std::string_view kPromptsChanged = "notifications/prompts/list_changed";
constexpr std::string_view kWatchedResource = "test://watched-resource";
constexpr std::string_view kUpdated = "notifications/resources/updated";

const Json& subscription_id(Departure& d) {
  return member(member(d.params(), "_meta"), kSubscriptionIdKey);
}

// Any notification that a stream carries.
bool is_told(Departure& d) {
  return d.json().is_object() && !d.json().contains("id") && d.json().contains("params") &&
         !subscription_id(d).is_null();
}
bool is_change(Departure& d) {
  return is_told(d) && !d.is_notification(kAcknowledged) &&
         !d.is_notification("notifications/cancelled");
}

// A notification for the same stream.
std::string beside(Departure& d, std::string_view method, Json params = Json::object()) {
  params["_meta"][kSubscriptionIdKey] = subscription_id(d);
  return wire::encode(wire::make_notification(method, std::move(params)));
}

std::vector<Fault> acknowledgement_faults() {
  return {
      {.id = "subscription-unacknowledged",
       .description = "Acknowledges no subscription",
       .breaks = {"subscriptions.acknowledged-first",
                  "subscriptions.nothing-before-acknowledgment"},
       .departure =
           [](Departure& d) {
             if (d.is_notification(kAcknowledged)) d.drop();
           }},
      {.id = "subscription-acknowledged-late",
       .description = "Tells of a change before it acknowledges the subscription",
       .breaks = {"subscriptions.acknowledged-first",
                  "subscriptions.nothing-before-acknowledgment"},
       .departure =
           [](Departure& d) {
             if (d.is_notification(kAcknowledged) &&
                 d.params()["notifications"].contains("toolsListChanged")) {
               d.before(beside(d, kToolsChanged));
             }
           }},
      {.id = "acknowledgement-without-id",
       .description = "Does not say which subscription it acknowledges",
       .breaks = {"subscriptions.acknowledged-first"},
       .may_break = {"subscriptions.id-on-every-notification",
                     "subscriptions.nothing-before-acknowledgment"},
       .departure =
           [](Departure& d) {
             if (d.is_notification(kAcknowledged)) d.params().erase("_meta");
           }},
      {.id = "changes-without-id",
       .description = "Does not say which subscription a change is told to",
       .breaks = {"subscriptions.id-on-every-notification"},
       .may_break = {"subscriptions.only-requested", "http.stream-messages-relate",
                     "tools.list-changed-notified", "prompts.list-changed-notified",
                     "resources.list-changed-notified"},
       .departure = erases<is_change, "/params/_meta">},
      {.id = "updates-without-id",
       .description = "Does not say which subscription an update is told to",
       .breaks = {"subscriptions.id-on-every-notification"},
       .may_break = {"subscriptions.only-requested", "http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (d.is_notification(kUpdated)) d.params().erase("_meta");
           }},
      {.id = "subscription-id-retyped",
       .description =
           "Writes the id of a subscription as a string if it is a number, and the other way",
       .breaks = {"subscriptions.id-on-every-notification", "subscriptions.acknowledged-first"},
       .may_break = {"subscriptions.nothing-before-acknowledgment", "subscriptions.only-requested",
                     "tools.list-changed-notified", "prompts.list-changed-notified",
                     "resources.list-changed-notified", "http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (!is_told(d)) return;
             Json& id = d.params()["_meta"][kSubscriptionIdKey];
             id = id.is_string() ? Json(7) : Json(id.dump());
           }},
      {.id = "subscription-id-of-another",
       .description = "Notifies of changes with the id of no subscription",
       .breaks = {"subscriptions.id-on-every-notification"},
       .may_break = {"subscriptions.acknowledged-first",
                     "subscriptions.nothing-before-acknowledgment", "subscriptions.only-requested",
                     "tools.list-changed-notified", "prompts.list-changed-notified",
                     "resources.list-changed-notified", "http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (is_change(d)) d.params()["_meta"][kSubscriptionIdKey] = "somebody-else";
           }},
      {.id = "acknowledgement-of-more",
       .description = "Acknowledges and sends notifications that the client did not ask for",
       .breaks = {"subscriptions.only-requested"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification(kAcknowledged)) return;
             if (d.params()["notifications"].contains("promptsListChanged")) return;
             d.params()["notifications"]["promptsListChanged"] = true;
             d.after(beside(d, kPromptsChanged));
           }},
  };
}

// While one is open, and not cancelled.
void refuse_second_listener(Json& message, FaultMemory& memory) {
  const std::string method = message.value("method", "");
  Json& open = memory.of_server["listeners"];
  if (method == "notifications/cancelled" && open.is_object()) {
    open.erase(member(message["params"], "requestId").dump());
  }
  if (method != "subscriptions/listen") return;
  if (!open.empty()) {
    message["params"]["notifications"] = "too many";
  } else {
    open[member(message, "id").dump()] = true;
  }
}

std::vector<Fault> telling_faults() {
  return {
      {.id = "filter-ignored",
       .description = "Tells everybody who listens of everything",
       .breaks = {"subscriptions.only-requested"},
       .inside = Switch::kIgnoresFilters},
      {.id = "declined-kinds-told",
       .description = "Tells of a kind of change whatever the filter says of it, if it is named",
       .breaks = {"subscriptions.only-requested"},
       .intake =
           [](Json& request, FaultMemory&) {
             if (member(request, "method") != "subscriptions/listen" || !has_meta(request)) return;
             Json& filter = request["params"]["notifications"];
             if (!filter.is_object()) return;
             for (Json& kind : filter) {
               if (kind == false) kind = true;
             }
           }},
      {.id = "prompts-told-to-all",
       .description = "Tells of changed prompts who asked for changed tools",
       .breaks = {"subscriptions.only-requested"},
       .departure =
           [](Departure& d) {
             if (d.is_notification(kToolsChanged)) d.after(beside(d, kPromptsChanged));
           }},
      {.id = "updates-of-other-resources",
       .description = "Tells of a resource who listens to any other",
       .breaks = {"subscriptions.only-requested"},
       .intake =
           [](Json& request, FaultMemory&) {
             if (member(request, "method") != "subscriptions/listen" || !has_meta(request)) return;
             Json& filter = request["params"]["notifications"];
             if (!filter.is_object() || !filter.contains("resourceSubscriptions")) return;
             filter["resourceSubscriptions"].push_back(kWatchedResource);
           }},
      {.id = "tools-change-untold",
       .description = "Does not tell who listens that its tools have changed",
       .breaks = {"tools.list-changed-notified"},
       .departure =
           [](Departure& d) {
             if (d.is_notification(kToolsChanged)) d.drop();
           }},
      {.id = "prompts-change-untold",
       .description = "Does not tell who listens that its prompts have changed",
       .breaks = {"prompts.list-changed-notified"},
       .departure =
           [](Departure& d) {
             if (d.is_notification(kPromptsChanged)) d.drop();
           }},
      {.id = "resources-change-untold",
       .description = "Does not tell who listens that its resources have changed",
       .breaks = {"resources.list-changed-notified"},
       .departure = drops<notification<"notifications/resources/list_changed">>},
      {.id = "log-to-listeners",
       .description = "Sends log messages on subscriptions to changes",
       .breaks = {"logging.on-requesting-stream-only", "subscriptions.only-requested"},
       .may_break = {"logging.level-requested", "http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (!is_change(d)) return;
             d.after(beside(d, "notifications/message", {{"level", "info"}, {"data", "changed"}}));
           }},
      {.id = "progress-to-listeners",
       .description = "Reports progress on subscriptions to changes",
       .breaks = {"progress.token-of-active-request"},
       .may_break = {"subscriptions.only-requested", "progress.token-of-running-operation",
                     "http.stream-messages-relate"},
       .departure =
           [](Departure& d) {
             if (!is_change(d)) return;
             d.after(beside(d, "notifications/progress", {{"progressToken", 1}, {"progress", 1}}));
           }},
      {.id = "subscription-ended-mute",
       .description = "Ends a subscription without a result",
       .breaks = {"subscriptions.graceful-end"},
       .may_break = {"http.request-answer-type"},
       .departure = drops<result_of<"subscriptions/listen">>},
      {.id = "subscription-end-uncancelled",
       .description = "Ends a subscription without notifications/cancelled",
       .breaks = {"cancellation.server-ends-subscription"},
       .departure = drops<notification<"notifications/cancelled">>},
      {.id = "subscription-ended-as-error",
       .description = "Ends a subscription with an error",
       .breaks = {"subscriptions.graceful-end"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("subscriptions/listen")) {
               become_error(d, wire::kInternalError, "The end");
             }
           }},
      {.id = "subscription-outlives-cancellation",
       .description = "Notifies of changes after the subscription was cancelled",
       .breaks = {"stdio.cancelled-no-messages"},
       .may_break = {"subscriptions.only-requested", "cancellation.stop-processing"},
       .seen_over = SeenOver::kStdioOnly,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (d.is_notification(kAcknowledged)) {
               memory.of_connection["listener"] = subscription_id(d);
             }
             if (!d.is_result_of("tools/call") || !memory.of_connection.contains("listener"))
               return;
             d.before(wire::encode(wire::make_notification(
                 kToolsChanged,
                 {{"_meta", {{kSubscriptionIdKey, memory.of_connection["listener"]}}}})));
           }},
      {.id = "listeners-one-at-a-time",
       .description = "Refuses a subscription while there is another",
       .breaks = {"stateless.interleaved-conversations"},
       .may_break = {"versioning.implemented"},
       .seen_over = SeenOver::kStdioOnly,
       .intake = refuse_second_listener},
      {.id = "listener-once",
       .description = "Takes one subscription, and refuses all that come later",
       .breaks = {"stateless.interleaved-conversations"},
       .may_break = {"versioning.implemented"},
       .seen_over = SeenOver::kStdioOnly,
       .intake =
           [](Json& message, FaultMemory& memory) {
             if (message.value("method", "") != "subscriptions/listen") return;
             if (memory.of_server.contains("listened")) {
               message["params"]["notifications"] = "too many";
             }
             memory.of_server["listened"] = true;
           }},
  };
}

std::vector<Fault> request_scope_faults() {
  return {
      {.id = "cancels-requests-of-clients",
       .description = "Tells the client that a request of its own is cancelled",
       .breaks = {"cancellation.server-no-other-purpose", "cancellation.server-names-listen"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call")) return;
             d.before(wire::encode(wire::make_notification("notifications/cancelled",
                                                           {{"requestId", d.json()["id"]}})));
           }},
      {.id = "cancels-what-nobody-sent",
       .description = "Cancels a request that the client never sent",
       .breaks = {"cancellation.server-names-listen"},
       .may_break = {"cancellation.server-no-other-purpose"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             d.before(wire::encode(
                 wire::make_notification("notifications/cancelled", {{"requestId", "nothing"}})));
           }},
      {.id = "logs-unasked",
       .description = "Logs for requests that ask for no log messages",
       .breaks = {"logging.level-requested"},
       .departure =
           [](Departure& d) {
             const Json& meta = member(asked_params(d), "_meta");
             if (!d.is_result_of("tools/call") || meta.contains(kLogLevelKey)) return;
             d.before(wire::encode(wire::make_notification(
                 "notifications/message", {{"level", "info"}, {"data", "called a tool"}})));
           }},
      {.id = "logs-of-lists-unasked",
       .description = "Logs for lists that ask for no log messages",
       .breaks = {"logging.level-requested"},
       .departure =
           [](Departure& d) {
             const Json& meta = member(asked_params(d), "_meta");
             if (!d.is_result_of("tools/list") || meta.contains(kLogLevelKey)) return;
             d.before(wire::encode(wire::make_notification(
                 "notifications/message", {{"level", "emergency"}, {"data", "a list"}})));
           }},
      {.id = "unknown-log-level-of-request-accepted",
       .description = "Serves a request whose log level there is not",
       .breaks = {"logging.invalid-level-error"},
       .intake =
           [](Json& request, FaultMemory&) {
             if (!has_meta(request)) return;
             const auto level = string_member(meta_of(request), kLogLevelKey);
             if (level && !parse_log_level(*level)) meta_of(request).erase(kLogLevelKey);
           }},
      {.id = "log-levels-of-others-taken",
       .description = "Takes warn for warning, and levels in capital letters",
       .breaks = {"logging.invalid-level-error"},
       .intake =
           [](Json& request, FaultMemory&) {
             if (!has_meta(request)) return;
             const auto level = string_member(meta_of(request), kLogLevelKey);
             if (level == "warn" || level == "WARNING") meta_of(request)[kLogLevelKey] = "warning";
           }},
      {.id = "unknown-log-level-other-code",
       .description = "Answers an unknown log level with -32600",
       .breaks = {"logging.invalid-level-error"},
       .departure =
           [](Departure& d) {
             if (!d.has_error_code(wire::kInvalidParams)) return;
             if (d.json()["error"].value("message", "").find("logLevel") == std::string::npos)
               return;
             d.set_error_code(wire::kInvalidRequest);
           }},
      {.id = "progress-of-foreign-token",
       .description = "Reports progress with a token that the client never sent",
       .breaks = {"progress.token-of-active-request", "http.stream-messages-relate"},
       .may_break = {"progress.token-of-running-operation"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             d.before(wire::encode(wire::make_notification(
                 "notifications/progress", {{"progressToken", "not-yours"}, {"progress", 1}})));
           }},
  };
}

}  // namespace

std::vector<Fault> stateless_listening_faults() {
  return of_stateless_era({acknowledgement_faults, telling_faults, request_scope_faults});
}

}  // namespace assay::server
