// Faults of logging, progress and cancellation. Specification: server/utilities, basic/utilities.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

Json token_of(const wire::Message& request) {
  if (!request.has_params() || !request.params().is_object()) return nullptr;
  return request.params().value("/_meta/progressToken"_json_pointer, Json(nullptr));
}

}  // namespace

std::vector<Fault> utility_faults() {
  return {
      {.id = "log-level-ignored",
       .description = "Logs messages below the level that the client set",
       .breaks = {"logging.session-level-respected"},
       .inside = Switch::kIgnoresLogLevel},
      {.id = "log-level-invented",
       .description = "Logs with a level that does not exist",
       .breaks = {"schema.server-notifications"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/message")) {
               d.json()["params"]["level"] = "verbose";
             }
           }},
      {.id = "unknown-log-level-accepted",
       .description = "Accepts log levels that do not exist",
       .breaks = {"logging.invalid-level-error"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("logging/setLevel", wire::kInvalidParams)) return;
             d.json().erase("error");
             d.json()["result"] = Json::object();
           }},
      {.id = "log-level-in-capitals-accepted",
       .description = "Accepts log levels in capital letters",
       .breaks = {"logging.invalid-level-error"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("logging/setLevel", wire::kInvalidParams)) return;
             const Json named = d.request()->params().value("level", Json());
             const std::string level = named.is_string() ? named.get<std::string>() : "";
             if (level.empty() || level.find_first_not_of(kCapitals) != std::string::npos) return;
             d.json().erase("error");
             d.json()["result"] = Json::object();
           }},
      {.id = "log-level-number-accepted",
       .description = "Takes a number for a log level",
       .breaks = {"logging.invalid-level-error"},
       .intake =
           [](Json& request, FaultMemory&) {
             const Json::json_pointer level("/params/level");
             if (request.value("method", "") != "logging/setLevel") return;
             if (request.contains(level) && request.at(level).is_number()) {
               request.at(level) = "info";
             }
           }},
      {.id = "log-level-missing-accepted",
       .description = "Sets the lowest log level where none is named",
       .breaks = {"logging.invalid-level-error"},
       .intake =
           [](Json& request, FaultMemory&) {
             if (request.value("method", "") != "logging/setLevel") return;
             if (request.contains("params")) request["params"].emplace("level", "debug");
           }},
      {.id = "log-of-lists-at-any-level",
       .description = "Logs each list that it gives, whatever the level",
       .breaks = {"logging.session-level-respected"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/list")) return;
             d.before(wire::encode(wire::make_notification(
                 "notifications/message", {{"level", "debug"}, {"data", "listed the tools"}})));
           }},
      {.id = "updates-unasked",
       .description = "Notifies of changes of a resource without a subscription",
       .breaks = {"resources.updates-only-subscribed"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("prompts/list")) return;
             d.before(wire::encode(wire::make_notification("notifications/resources/updated",
                                                           {{"uri", "test://static-text"}})));
           }},
      {.id = "progress-unasked",
       .description = "Reports progress where the client gave no token",
       .breaks = {"progress.token-of-active-request"},
       .inside = Switch::kProgressUnasked},
      {.id = "progress-backwards",
       .description = "Reports progress that falls",
       .breaks = {"progress.value-increases"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             Json& params = d.json()["params"];
             params["progress"] = params.value("total", 100.0) - params.value("progress", 0.0);
           }},
      {.id = "progress-stands-still",
       .description = "Reports the same progress again and again",
       .breaks = {"progress.value-increases"},
       .departure = sets<notification<"notifications/progress">, "/params/progress", 1>},
      {.id = "progress-tokens-of-32-bits",
       .description = "Reports progress with tokens that are cut to 32 bits",
       .breaks = {"progress.token-of-active-request"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             Json& token = d.params()["progressToken"];
             if (token.is_number()) token = static_cast<std::int32_t>(token.get<std::int64_t>());
           }},
      {.id = "progress-tokens-in-ascii",
       .description = "Reports progress with a question mark for what is not ASCII in tokens",
       .breaks = {"progress.token-of-active-request"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             Json& token = d.params()["progressToken"];
             if (!token.is_string()) return;
             auto text = token.get<std::string>();
             std::replace_if(
                 text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; }, '?');
             token = std::move(text);
           }},
      {.id = "progress-tokens-read-as-numbers",
       .description = "Reports progress with the number that a token's text looks like",
       .breaks = {"progress.token-of-active-request"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             Json& token = d.params()["progressToken"];
             const bool is_number =
                 token.is_string() && !token.get_ref<const std::string&>().empty() &&
                 token.get_ref<const std::string&>().find_first_not_of("0123456789") ==
                     std::string::npos;
             if (is_number) token = std::stoll(token.get<std::string>());
           }},
      {.id = "progress-token-retyped",
       .description = "Reports progress with the token turned into a string",
       .breaks = {"progress.token-of-active-request", "progress.task-token-kept"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/progress")) return;
             Json& token = d.json()["params"]["progressToken"];
             token = "token-" + token.dump();
           }},
      {.id = "progress-after-answer",
       .description = "Reports progress of a request that it has answered",
       .breaks = {"progress.stops-on-completion", "progress.token-of-running-operation"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call") || d.result().contains("task")) return;
             const Json token = token_of(*d.request());
             if (token.is_null()) return;
             d.after(wire::encode(wire::make_notification(
                 "notifications/progress", {{"progressToken", token}, {"progress", 1000}})));
           }},
      {.id = "cancelled-call-answered",
       .description = "Stops cancelled requests and answers them with an error",
       .breaks = {"cancellation.no-response"},
       // The tool may still report what it did before it stopped.
       .may_break = {"progress.stops-on-completion", "progress.token-of-running-operation"},
       .inside = Switch::kAnswersCancelled},
      {.id = "cancelled-work-goes-on",
       .description = "Withholds the answer to a cancelled request and works on",
       .breaks = {"cancellation.stop-processing"},
       .inside = Switch::kWorksOnWhenCancelled},
      {.id = "cancels-by-text-of-id",
       .description =
           "Confuses the text of a number with the number in the id of the request to cancel",
       .breaks = {"cancellation.unknown-ignored"},
       .inside = Switch::kCancelsByTextOfId},
      {.id = "late-answer-refused",
       .description = "Answers a response that comes after its cancellation with an error",
       .breaks = {"cancellation.late-response-ignored", "jsonrpc.batch-no-requests-unanswered"},
       .inside = Switch::kRefusesLateAnswers},
      {.id = "timeout-untold",
       .description = "Gives up waiting for the client without cancelling its request",
       .breaks = {"lifecycle.timeout-cancels"},
       .departure = drops<notification<"notifications/cancelled">>},
      {.id = "timeout-leaves-call",
       .description = "Never answers a call once the client was too slow for it",
       .breaks = {"lifecycle.handles-request-timeout"},
       .departure =
           [](Departure& d) {
             if (d.is_result_of("tools/call") &&
                 d.text().find("did not answer in time") != std::string::npos) {
               d.drop();
             }
           }},
      {.id = "log-with-private-key",
       .description = "Logs a private key",
       .breaks = {"logging.no-credentials", "logging.sensitive-removed"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/message")) {
               d.params()["data"] = {{"config", "-----BEGIN PRIVATE KEY-----\nMIIB"}};
             }
           }},
      {.id = "log-with-request-headers",
       .description = "Logs the header fields of a request with the token among them",
       .breaks = {"logging.no-credentials", "logging.sensitive-removed"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/message")) return;
             d.params()["data"] = {
                 {"headers", {{"authorization", "Bearer mF_9.B5f-4.1JqM0123456789"}}}};
           }},
      {.id = "log-with-token-of-service",
       .description = "Logs a token of a well-known service within a sentence",
       .breaks = {"logging.no-credentials", "logging.sensitive-removed"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/message")) return;
             d.params()["data"] = "Called with ghp_0123456789abcdefghijABCDEFGHIJ012345 as user";
           }},
      {.id = "log-with-address",
       .description = "Logs what the user answered, an address among it",
       .breaks = {"logging.no-personal-data"},
       .concerns = &model::Revision::has_elicitation,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call") ||
                 d.text().find("User response") == std::string::npos) {
               return;
             }
             d.before(wire::encode(wire::make_notification(
                 "notifications/message", {{"level", "info"}, {"data", d.result()["content"]}})));
           }},
      {.id = "logger-by-the-moment",
       .description = "Names its logger after the moment at which it logs",
       .breaks = {"logging.logger-names-consistent"},
       .departure =
           [](Departure& d) {
             const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
             if (d.is_notification("notifications/message")) {
               d.params()["logger"] = "logger-" + std::to_string(now);
             }
           }},
      {.id = "cancellation-answered",
       .description = "Answers cancellations with an error",
       .breaks = {"cancellation.unknown-ignored", "cancellation.completed-ignored",
                  "cancellation.malformed-ignored", "jsonrpc.notification-no-response"},
       .arrival =
           [](Arrival& a) {
             if (a.is_notification() && a.message().method() == "notifications/cancelled") {
               a.send(wire::make_error(std::nullopt, wire::kInvalidParams, "No such request"));
             }
           }},
      {.id = "cancelled-answered-again",
       .description = "Answers each cancelled request with an error, answered or not",
       .breaks = {"cancellation.races-handled", "jsonrpc.request-answered-once"},
       // The work is still under way when the answer is sent, and may report progress behind it.
       .may_break = {"progress.stops-on-completion", "progress.token-of-running-operation",
                     "cancellation.no-response"},
       .arrival =
           [](Arrival& a) {
             if (!a.is_notification() || a.message().method() != "notifications/cancelled") return;
             const Json& params = a.message().params();
             if (!params.is_object() || !params.contains("requestId")) return;
             const Json& id = params["requestId"];
             if (!id.is_number_integer()) return;
             a.send(wire::make_error(wire::Id::of(id.get<std::int64_t>()), wire::kInternalError,
                                     "Cancelled"));
           }},
  };
}

}  // namespace assay::server
