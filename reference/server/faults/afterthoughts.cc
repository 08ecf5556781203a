// Faults of what a server says by itself, a while after anything was asked of it.
// Specification: basic (messages, progress), server/resources, server/utilities/logging; of
// 2026-07-28: basic/transports/stdio, basic/patterns/subscriptions.
#include <cstdint>
#include <string_view>
#include <vector>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/stateless_faults.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

constexpr std::string_view kBegun = "notifications/initialized";
constexpr std::string_view kDiscovery = "server/discover";

bool asks_for(const wire::Message& arrived, std::string_view method) {
  return arrived.kind() == wire::MessageKind::kRequest && arrived.method() == method;
}

Json told_params(const wire::Message& arrived) {
  return arrived.has_params() ? arrived.params() : Json::object();
}

Json update_of(const Json& uri) {
  return wire::make_notification("notifications/resources/updated", {{"uri", uri}});
}

Json log_of(std::string_view level, Json data) {
  Json params = {{"level", level}};
  if (!data.is_null()) params["data"] = std::move(data);
  return wire::make_notification("notifications/message", std::move(params));
}

Json progress_of(const Json& token, double progress) {
  return wire::make_notification("notifications/progress",
                                 {{"progressToken", token}, {"progress", progress}});
}

Json token_in(const wire::Message& arrived) {
  return member(member(told_params(arrived), "_meta"), "progressToken");
}

std::vector<Fault> unasked_news() {
  return {
      {.id = "later-update-unasked",
       .description = "Tells of a resource some time after the handshake, without a subscription",
       .breaks = {"resources.updates-only-subscribed"},
       .afterthought =
           [](const wire::Message& arrived) {
             return arrived.method() == kBegun ? update_of("test://static-text") : Json();
           }},
      {.id = "later-update-unasked-over-get",
       .description = "Tells of a resource on the GET stream some time after the handshake",
       .breaks = {"resources.updates-only-subscribed"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .afterthought =
           [](const wire::Message& arrived) {
             return arrived.method() == kBegun ? update_of("test://static-text") : Json();
           }},
      {.id = "later-update-after-unsubscription",
       .description = "Tells of a resource some time after its subscription was given up",
       .breaks = {"resources.updates-only-subscribed"},
       .afterthought =
           [](const wire::Message& arrived) {
             return asks_for(arrived, "resources/unsubscribe")
                        ? update_of(member(arrived.params(), "uri"))
                        : Json();
           }},
      {.id = "later-log-below-level",
       .description = "Logs some time after the level was set, below that level",
       .breaks = {"logging.session-level-respected"},
       .afterthought =
           [](const wire::Message& arrived) {
             const bool is_set = asks_for(arrived, "logging/setLevel") &&
                                 member(told_params(arrived), "level") != "debug";
             return is_set ? log_of("debug", "Still here") : Json();
           }},
      {.id = "later-log-below-level-over-get",
       .description = "Logs on the GET stream some time after each call, whatever the level",
       .breaks = {"logging.session-level-respected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .afterthought =
           [](const wire::Message& arrived) {
             return asks_for(arrived, "tools/call") ? log_of("debug", "Still here") : Json();
           }},
      {.id = "later-log-without-data",
       .description = "Logs nothing some time after the handshake",
       .breaks = {"schema.server-notifications"},
       .afterthought =
           [](const wire::Message& arrived) {
             return arrived.method() == kBegun ? log_of("emergency", nullptr) : Json();
           }},
      {.id = "later-notification-with-id",
       .description = "Sends a notification with an id some time after the handshake",
       .breaks = {"jsonrpc.notification-no-id"},
       .may_break = {"jsonrpc.request-id-unique"},
       .afterthought =
           [](const wire::Message& arrived) {
             if (arrived.method() != kBegun) return Json();
             Json message = log_of("emergency", "With an id");
             message["id"] = 910'001;
             return message;
           }},
      {.id = "later-progress-for-nobody",
       .description = "Reports progress with an unknown token some time after the handshake",
       .breaks = {"progress.token-of-active-request"},
       .may_break = {"progress.token-of-running-operation"},
       .afterthought =
           [](const wire::Message& arrived) {
             return arrived.method() == kBegun ? progress_of("nobodys-token", 1) : Json();
           }},
      {.id = "later-progress-after-end",
       .description = "Reports progress some time after a call has been answered",
       .breaks = {"progress.token-of-active-request", "progress.stops-on-completion"},
       .may_break = {"progress.token-of-running-operation", "progress.value-increases",
                     "cancellation.stop-processing", "progress.task-stops-at-terminal",
                     "progress.task-token-kept", "tasks.related-task-given"},
       .afterthought =
           [](const wire::Message& arrived) {
             const Json token = asks_for(arrived, "tools/call") ? token_in(arrived) : Json();
             return token.is_null() ? Json() : progress_of(token, 1e9);
           }},
  };
}

std::vector<Fault> unasked_answers() {
  return {
      {.id = "later-answer-again",
       .description = "Answers each list of tools a second time, some time later",
       .breaks = {"jsonrpc.request-answered-once"},
       // On a busy machine the second answer may come first.
       .may_break = {"meta.no-assumptions"},
       .seen_over = SeenOver::kStdioOnly,
       .afterthought =
           [](const wire::Message& arrived) {
             return asks_for(arrived, "tools/list")
                        ? wire::make_error(arrived.id(), wire::kInternalError, "Too slow")
                        : Json();
           }},
      {.id = "later-error-for-nobody",
       .description = "Sends an error with an unknown id some time after the handshake",
       .breaks = {"jsonrpc.response-id", "jsonrpc.error-response-id"},
       .seen_over = SeenOver::kStdioOnly,
       .afterthought =
           [](const wire::Message& arrived) {
             return arrived.method() == kBegun
                        ? wire::make_error(wire::Id::of_string("nobodys-request"),
                                           wire::kInternalError, "Something went wrong")
                        : Json();
           }},
      {.id = "later-result-for-nobody",
       .description = "Sends a result with an unknown id some time after the handshake",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id"},
       .seen_over = SeenOver::kStdioOnly,
       .afterthought =
           [](const wire::Message& arrived) {
             return arrived.method() == kBegun
                        ? wire::make_result(wire::Id::of_string("nobodys-request"), Json::object())
                        : Json();
           }},
  };
}

std::vector<Fault> unasked_without_sessions() {
  return {
      {.id = "later-log-unasked",
       .description = "Logs some time after a request that asked for no log messages",
       .breaks = {"logging.level-requested"},
       .may_break = {"logging.on-requesting-stream-only"},
       .seen_over = SeenOver::kStdioOnly,
       .afterthought =
           [](const wire::Message& arrived) {
             return asks_for(arrived, kDiscovery) ? log_of("info", "Still here") : Json();
           }},
      {.id = "later-ping",
       .description = "Pings the client some time after a request",
       .breaks = {"mrtr.no-server-requests", "stdio.server-no-requests"},
       .may_break = {"transport.binding-directions"},
       .seen_over = SeenOver::kStdioOnly,
       .afterthought =
           [](const wire::Message& arrived) {
             if (!asks_for(arrived, kDiscovery)) return Json();
             return wire::make_request(
                 wire::Id::of_string("ping-after-" + arrived.id()->json_text()), "ping");
           }},
      {.id = "later-change-without-subscription",
       .description = "Tells of changed tools some time after a request, on no subscription",
       .breaks = {"subscriptions.id-on-every-notification", "subscriptions.only-requested"},
       .seen_over = SeenOver::kStdioOnly,
       .afterthought =
           [](const wire::Message& arrived) {
             return asks_for(arrived, kDiscovery)
                        ? wire::make_notification("notifications/tools/list_changed")
                        : Json();
           }},
      {.id = "later-change-after-cancellation",
       .description = "Tells of changed tools some time after the subscription was cancelled",
       .breaks = {"stdio.cancelled-no-messages"},
       .may_break = {"subscriptions.only-requested", "subscriptions.acknowledged-first",
                     "subscriptions.nothing-before-acknowledgment",
                     "subscriptions.id-on-every-notification"},
       .seen_over = SeenOver::kStdioOnly,
       .afterthought =
           [](const wire::Message& arrived) {
             const Json id = arrived.method() == "notifications/cancelled"
                                 ? member(told_params(arrived), "requestId")
                                 : Json();
             if (!id.is_string() && !id.is_number_integer()) return Json();
             return wire::make_notification(
                 "notifications/tools/list_changed",
                 {{"_meta", {{"io.modelcontextprotocol/subscriptionId", id}}}});
           }},
      {.id = "later-answer-again-without-session",
       .description = "Answers each server/discover a second time, some time later",
       .breaks = {"jsonrpc.request-answered-once"},
       .seen_over = SeenOver::kStdioOnly,
       .afterthought =
           [](const wire::Message& arrived) {
             return asks_for(arrived, kDiscovery)
                        ? wire::make_error(arrived.id(), wire::kInternalError, "Too slow")
                        : Json();
           }},
  };
}

}  // namespace

std::vector<Fault> afterthought_faults() {
  std::vector<Fault> all = unasked_news();
  for (Fault& fault : unasked_answers()) all.push_back(std::move(fault));
  for (Fault& fault : of_stateless_era({unasked_without_sessions})) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
