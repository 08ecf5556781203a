// Every method: who sends it, its type, and what answers it. Also the unions by direction.
#include "reference/model/tables.h"

namespace assay::model {
namespace {

Method asks(Sender sender, std::string name, std::string type, Type result) {
  return {std::move(name), sender, std::move(type), true, std::move(result), {}, {}};
}

Method tells(Sender sender, std::string name, std::string type) {
  return {std::move(name), sender, std::move(type), false, {}, {}, {}};
}

// A request that may be run as a task (2025-11-25).
Method may_be_task(Sender sender, std::string name, std::string type, std::string result) {
  Type answer = one_of({ref(std::move(result)), ref("CreateTaskResult")});
  return asks(sender, std::move(name), std::move(type), std::move(answer)).only(v2025_11_25);
}

// A request whose answer may be to ask for input (since 2026-07-28).
Method may_need_input(Sender sender, std::string name, std::string type, std::string result) {
  Type answer = or_input_required(ref(std::move(result)));
  return asks(sender, std::move(name), std::move(type), std::move(answer)).since(v2026_07_28);
}

std::vector<Method> client_methods() {
  constexpr Sender kClient = Sender::kClient;
  return {
      asks(kClient, "initialize", "InitializeRequest", ref("InitializeResult")).until(v2025_11_25),
      asks(kClient, "server/discover", "DiscoverRequest", ref("DiscoverResult")).since(v2026_07_28),
      asks(kClient, "tools/list", "ListToolsRequest", ref("ListToolsResult")),
      asks(kClient, "tools/call", "CallToolRequest", ref("CallToolResult")).until(v2025_06_18),
      may_be_task(kClient, "tools/call", "CallToolRequest", "CallToolResult"),
      may_need_input(kClient, "tools/call", "CallToolRequest", "CallToolResult").named_by("name"),
      asks(kClient, "resources/list", "ListResourcesRequest", ref("ListResourcesResult")),
      asks(kClient, "resources/templates/list", "ListResourceTemplatesRequest",
           ref("ListResourceTemplatesResult")),
      asks(kClient, "resources/read", "ReadResourceRequest", ref("ReadResourceResult"))
          .until(v2025_11_25),
      may_need_input(kClient, "resources/read", "ReadResourceRequest", "ReadResourceResult")
          .named_by("uri"),
      asks(kClient, "resources/subscribe", "SubscribeRequest", ref("EmptyResult"))
          .until(v2025_11_25),
      asks(kClient, "resources/unsubscribe", "UnsubscribeRequest", ref("EmptyResult"))
          .until(v2025_11_25),
      asks(kClient, "prompts/list", "ListPromptsRequest", ref("ListPromptsResult")),
      asks(kClient, "prompts/get", "GetPromptRequest", ref("GetPromptResult")).until(v2025_11_25),
      may_need_input(kClient, "prompts/get", "GetPromptRequest", "GetPromptResult")
          .named_by("name"),
      asks(kClient, "completion/complete", "CompleteRequest", ref("CompleteResult")),
      asks(kClient, "logging/setLevel", "SetLevelRequest", ref("EmptyResult")).until(v2025_11_25),
      asks(kClient, "subscriptions/listen", "SubscriptionsListenRequest",
           ref("SubscriptionsListenResult"))
          .since(v2026_07_28),
      tells(kClient, "notifications/initialized", "InitializedNotification").until(v2025_11_25),
      tells(kClient, "notifications/roots/list_changed", "RootsListChangedNotification")
          .until(v2025_11_25),
  };
}

std::vector<Method> server_methods() {
  constexpr Sender kServer = Sender::kServer;
  return {
      asks(kServer, "sampling/createMessage", "CreateMessageRequest", ref("CreateMessageResult"))
          .until(v2025_06_18),
      may_be_task(kServer, "sampling/createMessage", "CreateMessageRequest", "CreateMessageResult"),
      asks(kServer, "roots/list", "ListRootsRequest", ref("ListRootsResult")).until(v2025_11_25),
      asks(kServer, "elicitation/create", "ElicitRequest", ref("ElicitResult")).only(v2025_06_18),
      may_be_task(kServer, "elicitation/create", "ElicitRequest", "ElicitResult"),
      tells(kServer, "notifications/message", "LoggingMessageNotification"),
      tells(kServer, "notifications/resources/updated", "ResourceUpdatedNotification"),
      tells(kServer, "notifications/resources/list_changed", "ResourceListChangedNotification"),
      tells(kServer, "notifications/tools/list_changed", "ToolListChangedNotification"),
      tells(kServer, "notifications/prompts/list_changed", "PromptListChangedNotification"),
      tells(kServer, "notifications/elicitation/complete", "ElicitationCompleteNotification")
          .only(v2025_11_25),
      tells(kServer, "notifications/subscriptions/acknowledged",
            "SubscriptionsAcknowledgedNotification")
          .since(v2026_07_28),
      tells(kServer, "notifications/progress", "ProgressNotification").since(v2026_07_28),
  };
}

std::vector<Method> shared_methods() {
  constexpr Sender kEither = Sender::kEither;
  return {
      asks(kEither, "ping", "PingRequest", ref("EmptyResult")).until(v2025_11_25),
      asks(kEither, "tasks/get", "GetTaskRequest", ref("GetTaskResult")).only(v2025_11_25),
      asks(kEither, "tasks/result", "GetTaskPayloadRequest", ref("GetTaskPayloadResult"))
          .only(v2025_11_25),
      asks(kEither, "tasks/list", "ListTasksRequest", ref("ListTasksResult")).only(v2025_11_25),
      asks(kEither, "tasks/cancel", "CancelTaskRequest", ref("CancelTaskResult")).only(v2025_11_25),
      tells(kEither, "notifications/cancelled", "CancelledNotification"),
      tells(kEither, "notifications/progress", "ProgressNotification").until(v2025_11_25),
      tells(kEither, "notifications/tasks/status", "TaskStatusNotification").only(v2025_11_25),
  };
}

// The union of all messages of one kind that one side sends.
Type union_of(std::string name, Sender sender, bool is_request) {
  std::vector<Type> alternatives;
  for (const Method& method : all_methods()) {
    const bool is_sent = method.sender == sender || method.sender == Sender::kEither;
    if (!is_sent || method.is_request != is_request) continue;
    Type alternative = ref(method.type);
    alternative.revisions = method.revisions;
    alternatives.push_back(std::move(alternative));
  }
  return one_of(std::move(name), std::move(alternatives));
}

}  // namespace

const std::vector<Method>& all_methods() {
  static const std::vector<Method> kAll = [] {
    std::vector<Method> all;
    for (auto part : {client_methods(), server_methods(), shared_methods()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kAll;
}

Types message_unions() {
  return {
      union_of("ClientRequest", Sender::kClient, true),
      union_of("ClientNotification", Sender::kClient, false),
      union_of("ServerRequest", Sender::kServer, true).until(v2025_11_25),
      union_of("ServerNotification", Sender::kServer, false),
      // Any result is a Result, whatever else it holds.
      named("ClientResult", ref("Result")),
      named("ServerResult", ref("Result")),
  };
}

}  // namespace assay::model
