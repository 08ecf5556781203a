// Scenarios about subscriptions: a request whose answer is a stream of notifications.
//
// Specification of 2026-07-28: basic/patterns/subscriptions.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "scenarios/listening.h"
#include "scenarios/silence.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

constexpr const char* kUpdated = "notifications/resources/updated";

// A resource that no server has, and that has no parts.
constexpr const char* kNobodysResource = "assay://nobody/nothing";

// What the acknowledgement says comes is of this topic alone.
void judge_promise(Script& script, const Listening& listening, const Topic& topic,
                   const EventPtr& acknowledgement) {
  const Json& promised = member(acknowledgement->message()->params(), "notifications");
  if (!promised.is_object()) return;
  bool is_subset = true;
  for (const auto& [key, value] : promised.items()) {
    const bool is_empty = value.is_null() || value == false || (value.is_array() && value.empty());
    is_subset = is_subset && (is_empty || key == topic.filter);
  }
  script.check("subscriptions.only-requested", is_subset, {listening.pending.sent, acknowledgement},
               "the acknowledgement promises kinds of notifications that were not asked for");
}

// Wants this topic, and says of all others that it does not.
Json filter_for_alone(const Topic& wanted) {
  Json filter = Json::object();
  for (const Topic& topic : kTopics) filter[topic.filter] = &topic == &wanted;
  return filter;
}

void judge_declined(Script& script, const Topic& topic) {
  Connection& session = script.session();
  const Listening listening = listen_for(session, filter_for_alone(topic));
  const EventPtr acknowledgement = await_acknowledgement(session, listening);
  if (!acknowledgement) return;
  judge_promise(script, listening, topic, acknowledgement);
  end_listening(session, listening);
}

// The acknowledgement comes first, and promises nothing that was not asked for.
SCENARIO(subscriptions_are_acknowledged_first, stateless(), in_turn(),
         judges({"subscriptions.acknowledged-first", "subscriptions.only-requested"})) {
  constexpr RequirementId kFirst("subscriptions.acknowledged-first");
  constexpr RequirementId kOnly("subscriptions.only-requested");
  const auto topics = declared_topics(script);
  if (topics.empty()) {
    script.not_applicable(kFirst, "the server declares nothing that can be subscribed to");
    script.not_applicable(kOnly, "the server declares nothing that can be subscribed to");
    return;
  }
  Connection& session = script.session();
  const Listening listening = listen_for(session, {{topics.front()->filter, true}});
  const EventPtr first = session.wait_for(
      listening.pending.from,
      [&](const Event& event) {
        const bool is_answer = event.is_from_server() && event.message() != nullptr &&
                               event.message()->id() == listening.pending.id;
        return is_answer || is_told_to(event, listening.id);
      },
      session.patience().request);
  if (!first) {
    script.check(kFirst, false, {listening.pending.sent},
                 "subscriptions/listen was not acknowledged",
                 Awaited{"notifications/subscriptions/acknowledged"});
    return;
  }
  const wire::Message& message = *first->message();
  if (message.kind() == wire::MessageKind::kError) {
    // It is refused, for whatever reason: there is no subscription.
    script.unclear(kFirst, "subscriptions/listen was answered with an error",
                   {listening.pending.sent, first});
    return;
  }
  script.check(kFirst, message.method() == kAcknowledged, {listening.pending.sent, first},
               fmt::format("the first message of a subscription was {}",
                           message.method().empty() ? "an answer" : std::string(message.method())));
  judge_promise(script, listening, *topics.front(), first);
  end_listening(session, listening);
  judge_declined(script, *topics.front());
}

// A second subscription was not acknowledged. Was it refused because there was one already? Then it
// is not where it is alone.
void judge_refusal_of_second(Script& script, const Listening& second, const Json& filter) {
  const auto refused = script.session().poll(second.pending);
  if (!refused || !refused->is_error()) return;
  Connection& fresh = script.open_connection();
  const Listening alone = listen_for(fresh, filter);
  if (!await_of(fresh, alone, kAcknowledged)) return;
  script.check("stateless.interleaved-conversations", false, *refused,
               "a second subscription was refused while there was one already");
  end_listening(fresh, alone);
}

// A change is told to whoever asked for it, under the id of the subscription, and to nobody else.
void judge_topic(Script& script, const Topic& topic) {
  constexpr RequirementId kOnly("subscriptions.only-requested");
  const RequirementId rule = topic.changes == Ability::kChangesTools
                                 ? RequirementId("tools.list-changed-notified")
                             : topic.changes == Ability::kChangesPrompts
                                 ? RequirementId("prompts.list-changed-notified")
                                 : RequirementId("resources.list-changed-notified");
  const auto tool = script.tool_with(topic.changes);
  if (!tool) {
    script.lacks(rule, topic.changes);
    return;
  }
  Connection& session = script.session();
  const Listening wanted = listen_for(session, {{topic.filter, true}});
  const Topic& other = topic.changes == Ability::kChangesTools ? kTopics[1] : kTopics[0];
  const Json without_topic = filter_for_alone(other);
  const Listening unwanted = listen_for(session, without_topic);
  if (!await_of(session, wanted, kAcknowledged)) return;
  if (!await_of(session, unwanted, kAcknowledged)) {
    judge_refusal_of_second(script, unwanted, without_topic);
    return;
  }
  const Reply call = script.call(*tool);
  if (!call.is_result()) return;
  const EventPtr told = await_of(session, wanted, topic.notification);
  script.check(rule, told != nullptr, call.events(),
               fmt::format("{} was called, and no {} came on a subscription", tool->name,
                           topic.notification),
               Awaited{std::string(topic.notification)});
  session.fence();
  for (const EventPtr& event : session.transcript().events(unwanted.pending.from)) {
    if (!is_told_to(*event, unwanted.id) || event->message()->method() != topic.notification)
      continue;
    script.check(
        kOnly, false, {unwanted.pending.sent, event},
        fmt::format("{} came on a subscription that did not ask for it", topic.notification));
  }
  if (told) script.check(kOnly, true, {told}, "");
  end_listening(session, wanted);
  end_listening(session, unwanted);
}

// The first of its session: a server may have one subscription to give.
SCENARIO(subscriptions_tell_of_changes, stateless(), first_in_turn("patience"), lengthy(),
         judges({"tools.list-changed-notified", "prompts.list-changed-notified",
                 "resources.list-changed-notified", "subscriptions.only-requested",
                 "stateless.interleaved-conversations"})) {
  for (const Topic* topic : declared_topics(script)) judge_topic(script, *topic);
}

// Who listens to one resource is told of that one, and who listens to another is not. What is a
// part of a resource, of which its listeners may be told as well, no URI says.
SCENARIO(subscriptions_tell_of_resources, stateless(), in_turn("patience"), lengthy(),
         judges({"subscriptions.only-requested"})) {
  constexpr RequirementId kRule("subscriptions.only-requested");
  const auto tool = script.tool_with(Ability::kUpdatesResource);
  if (!tool || tool->resource.empty()) {
    script.lacks(kRule, Ability::kUpdatesResource);
    return;
  }
  Connection& session = script.session();
  const auto listen_to = [&](const std::string& uri) {
    return listen_for(session, {{"resourceSubscriptions", Json::array({uri})}});
  };
  const Listening unwanted = listen_to(kNobodysResource);
  // A server may know that there is no such resource, and refuse.
  const bool is_listening = await_acknowledgement(session, unwanted) != nullptr;
  const Listening wanted = listen_to(tool->resource);
  if (!await_acknowledgement(session, wanted)) return;
  if (!script.call(*tool).is_result()) return;
  const EventPtr told = await_of(session, wanted, kUpdated);
  if (!told) return;
  session.fence();
  // Of those without the id of a subscription the monitor speaks.
  for (const EventPtr& event : session.transcript().events(unwanted.pending.from)) {
    if (!is_told_to(*event, unwanted.id) || event->message()->method() != kUpdated) continue;
    script.check(kRule, false, {unwanted.pending.sent, event},
                 "an update of a resource came that the subscription does not name");
  }
  const bool is_named = text_member(told->message()->params(), "uri") == tool->resource;
  if (is_named) script.check(kRule, true, {wanted.pending.sent, told}, "");
  end_listening(session, wanted);
  if (is_listening) end_listening(session, unwanted);
}

// Ends a subscription from the server's side; a result, where the tool can do it.
Reply end_by_tool(Script& script, ToolUse tool, const Json& subscription) {
  for (auto& [name, value] : tool.arguments.items()) {
    if (value == kSubscriptionPlace) value = subscription;
  }
  return script.call(tool);
}

// A server that ends a subscription by itself says so, and answers the request that opened it.
SCENARIO(subscriptions_end_gracefully, stateless(), in_turn(),
         judges({"subscriptions.graceful-end", "cancellation.server-ends-subscription"})) {
  constexpr RequirementId kAnswered("subscriptions.graceful-end");
  constexpr RequirementId kTold("cancellation.server-ends-subscription");
  const auto tool = script.tool_with(Ability::kEndsSubscription);
  const auto topics = declared_topics(script);
  if (!tool || topics.empty()) {
    for (const RequirementId rule : {kAnswered, kTold}) {
      if (!tool) script.lacks(rule, Ability::kEndsSubscription);
    }
    return;
  }
  Connection& session = script.session();
  const Listening listening = listen_for(session, {{topics.front()->filter, true}});
  if (!await_of(session, listening, kAcknowledged)) return;
  const Reply call = end_by_tool(script, *tool, listening.id);
  if (!call.is_result()) return;
  const Reply answer = session.await(listening.pending);
  std::vector<EventPtr> events{listening.pending.sent};
  events.insert(events.end(), call.events().begin(), call.events().end());
  const std::string detail = fmt::format(
      "the tool that ends a subscription succeeded, and subscriptions/listen was answered with {}",
      answer.describe());
  if (answer.is_answered()) {
    script.check(kAnswered, answer.is_result(), events, detail);
  } else {
    script.check(kAnswered, false, events, detail, Awaited{"the answer to subscriptions/listen"});
  }
  session.fence();
  // A tool that does not what it says has ended nothing.
  if (!answer.is_answered()) return;
  const auto all = session.transcript().events(listening.pending.from);
  const bool is_told = std::any_of(all.begin(), all.end(), [&](const EventPtr& event) {
    return event->is_from_server() && event->message() != nullptr &&
           event->message()->method() == "notifications/cancelled" &&
           member(event->message()->params(), "requestId") == listening.id;
  });
  script.check(kTold, is_told, events,
               "the server ended a subscription and sent no notifications/cancelled for it",
               Awaited{"notifications/cancelled"});
}

// From `from` on nothing more comes for it, as its cancellation has been read.
void judge_end(Script& script, const Listening& listening, std::size_t from) {
  std::vector<EventPtr> events = {listening.pending.sent};
  EventPtr late;
  for (const EventPtr& event : script.session().transcript().events(from)) {
    if (is_told_to(*event, listening.id)) late = event;
  }
  if (late) events.push_back(late);
  script.check("stdio.cancelled-no-messages", late == nullptr, std::move(events),
               "a notification came for a subscription that had been cancelled", Crossed{});
}

// Nothing more comes for a subscription that was cancelled.
SCENARIO(subscriptions_end_when_cancelled, stateless(), in_turn(),
         only_over({TransportKind::kStdio}), judges({"stdio.cancelled-no-messages"})) {
  constexpr RequirementId kRule("stdio.cancelled-no-messages");
  const auto tool = script.tool_with(Ability::kChangesTools);
  if (!tool || !script.session().has_capability("tools.listChanged")) {
    script.lacks(kRule, Ability::kChangesTools);
    return;
  }
  Connection& session = script.session();
  const Listening listening = listen_for(session, {{"toolsListChanged", true}});
  if (!await_of(session, listening, kAcknowledged)) return;
  end_listening(session, listening);
  // What was on its way when the cancellation was read is no breach.
  if (!session.fence()) return;
  const std::size_t from = session.mark();
  if (!script.call(*tool).is_result() || !session.fence()) return;
  judge_end(script, listening, from);
}

// What comes by itself is heard: with nothing open, on a subscription to all that there is, and
// after it was cancelled. Monitors judge what comes; and for what was cancelled nothing may.
SCENARIO(subscriptions_are_heard_in_silence, stateless(), in_turn("patience"), lengthy(),
         judges({"stdio.cancelled-no-messages"})) {
  Connection& session = script.session();
  if (!session.request("server/discover").is_result()) return;
  hear_nothing(session);
  Json filter = Json::object();
  for (const Topic* topic : declared_topics(script)) filter[topic->filter] = true;
  if (filter.empty()) return;
  const Listening listening = listen_for(session, filter);
  if (!await_acknowledgement(session, listening)) return;
  hear_nothing(session);
  end_listening(session, listening);
  if (session.http() != nullptr || !session.fence()) return;
  const std::size_t from = session.mark();
  hear_nothing(session);
  judge_end(script, listening, from);
}

}  // namespace
}  // namespace assay::scenarios
