// Specification: basic/patterns/subscriptions and basic/patterns/mrtr (since 2026-07-28).
#include "reference/model/tables.h"

namespace assay::model {
namespace {

constexpr const char* kSubscriptionId = "io.modelcontextprotocol/subscriptionId";

Types all_subscription_types() {
  return {
      object("SubscriptionFilter",
             {
                 optional("toolsListChanged", boolean()),
                 optional("promptsListChanged", boolean()),
                 optional("resourcesListChanged", boolean()),
                 optional("resourceSubscriptions", array(string())),
             }),
      request("SubscriptionsListenRequest", "subscriptions/listen",
              {required("params", ref("SubscriptionsListenRequestParams"))}),
      object("SubscriptionsListenRequestParams",
             {required("notifications", ref("SubscriptionFilter"))})
          .extends("RequestParams"),
      object("SubscriptionsListenResult",
             {required("_meta", ref("SubscriptionsListenResultMetaObject"))})
          .extends("Result"),
      object("SubscriptionsListenResultMetaObject", {required(kSubscriptionId, ref("RequestId"))})
          .extends("ResultMetaObject")
          .keys(Format::kMetaKey, RevisionSet::since(v2026_07_28)),
      result_response("SubscriptionsListenResultResponse", ref("SubscriptionsListenResult")),
      notification("SubscriptionsAcknowledgedNotification",
                   "notifications/subscriptions/acknowledged",
                   {required("params", ref("SubscriptionsAcknowledgedNotificationParams"))}),
      object("SubscriptionsAcknowledgedNotificationParams",
             {required("notifications", ref("SubscriptionFilter"))})
          .extends("NotificationParams"),
  };
}

Types all_multi_round_trip_types() {
  return {
      one_of("InputRequest",
             {ref("CreateMessageRequest"), ref("ListRootsRequest"), ref("ElicitRequest")}),
      named("InputRequests", map(ref("InputRequest"))),
      one_of("InputResponse",
             {ref("CreateMessageResult"), ref("ListRootsResult"), ref("ElicitResult")}),
      named("InputResponses", map(ref("InputResponse"))),
      object("InputResponseRequestParams",
             {
                 optional("inputResponses", ref("InputResponses")),
                 optional("requestState", string()),
             })
          .extends("RequestParams"),
      object("InputRequiredResult",
             {
                 required("resultType", constant("input_required")),
                 optional("inputRequests", ref("InputRequests")),
                 optional("requestState", string()),
             })
          .extends("Result")
          .at_least_one_of({"inputRequests", "requestState"}),
  };
}

Types since_stateless(Types types) {
  for (Type& type : types) type = std::move(type).since(v2026_07_28);
  return types;
}

}  // namespace

Types subscription_types() {
  return since_stateless(all_subscription_types());
}
Types multi_round_trip_types() {
  return since_stateless(all_multi_round_trip_types());
}

}  // namespace assay::model
