#include "scenarios/listening.h"

#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {

using namespace harness;

std::vector<const Topic*> declared_topics(Script& script) {
  std::vector<const Topic*> topics;
  for (const Topic& topic : kTopics) {
    if (script.session().has_capability(topic.capability)) topics.push_back(&topic);
  }
  return topics;
}

Json listen_request(Connection& connection, const Json& filter) {
  return request_as_sent(connection, "subscriptions/listen", {{"notifications", filter}});
}

Listening listen_for(Connection& connection, const Json& filter) {
  const Json request = listen_request(connection, filter);
  return {request["id"], connection.start_as_is(request)};
}

void end_listening(Connection& connection, const Listening& listening) {
  if (connection.http() != nullptr) {
    abandon(connection, listening.pending.lane);
  } else {
    connection.notify("notifications/cancelled", {{"requestId", listening.id}});
  }
}

bool is_told_to(const Event& event, const Json& subscription) {
  if (!event.is_from_server() || event.message() == nullptr) return false;
  const Json& params = event.message()->params();
  return member(member(params, "_meta"), kSubscriptionId) == subscription;
}

EventPtr await_of(Connection& connection, const Listening& listening, std::string_view method) {
  return connection.wait_for(
      listening.pending.from,
      [&](const Event& event) {
        return is_told_to(event, listening.id) && event.message()->method() == method;
      },
      connection.patience().request);
}

EventPtr await_first(Connection& connection, const Listening& listening) {
  return connection.wait_for(
      listening.pending.from,
      [&](const Event& event) {
        const bool is_answer = event.is_from_server() && event.message() != nullptr &&
                               event.message()->id() == listening.pending.id;
        return is_answer ||
               (is_told_to(event, listening.id) && event.message()->method() == kAcknowledged);
      },
      connection.patience().request);
}

EventPtr await_acknowledgement(Connection& connection, const Listening& listening) {
  const EventPtr first = await_first(connection, listening);
  return first && first->message()->method() == kAcknowledged ? first : nullptr;
}

}  // namespace assay::scenarios
