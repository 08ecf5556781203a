// Subscriptions: a request whose answer is a stream of notifications, for scenarios about them.
//
// Specification of 2026-07-28: basic/patterns/subscriptions.
#pragma once

#include <string_view>
#include <vector>

#include "harness/script/means.h"
#include "harness/script/script.h"

namespace assay::scenarios {

inline constexpr const char* kAcknowledged = "notifications/subscriptions/acknowledged";

// What can be subscribed to by a flag.
struct Topic {
  const char* filter;
  const char* capability;
  const char* notification;
  harness::Ability changes;
};

inline constexpr Topic kTopics[] = {
    {"toolsListChanged", "tools.listChanged", "notifications/tools/list_changed",
     harness::Ability::kChangesTools},
    {"promptsListChanged", "prompts.listChanged", "notifications/prompts/list_changed",
     harness::Ability::kChangesPrompts},
    {"resourcesListChanged", "resources.listChanged", "notifications/resources/list_changed",
     harness::Ability::kChangesResources},
};

// Those that the server declares.
std::vector<const Topic*> declared_topics(harness::Script& script);

// A subscription that was asked for.
struct Listening {
  Json id;
  harness::Pending pending;
};

Json listen_request(harness::Connection& connection, const Json& filter);
Listening listen_for(harness::Connection& connection, const Json& filter);
// Ends it from the client's side.
void end_listening(harness::Connection& connection, const Listening& listening);

// A notification for the subscription of that id.
bool is_told_to(const harness::Event& event, const Json& subscription);
harness::EventPtr await_of(harness::Connection& connection, const Listening& listening,
                           std::string_view method);
// The acknowledgement or the answer, whichever comes first.
harness::EventPtr await_first(harness::Connection& connection, const Listening& listening);
// The acknowledgement; nothing where an answer comes first: the subscription was refused.
harness::EventPtr await_acknowledgement(harness::Connection& connection,
                                        const Listening& listening);

}  // namespace assay::scenarios
