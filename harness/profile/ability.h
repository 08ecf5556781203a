// What a tool can be called for: the words in which a profile describes tools, and in which
// scenarios ask for them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace assay::harness {

// What stands in a tool's arguments for the id of a subscription.
inline constexpr std::string_view kSubscriptionPlace = "{subscription}";

enum class Ability {
  kFails,             // answers with isError
  kReportsProgress,   // at least twice, where it is given a token
  kTakesTime,         // some tenths of a second at least, a few seconds at most
  kLogs,              // sends log messages
  kLogsEveryLevel,    // one message of each level
  kSamples,           // asks sampling/createMessage
  kElicits,           // asks elicitation/create with a form
  kElicitsByUrl,      // asks elicitation/create with a URL
  kNeedsElicitation,  // fails with -32042
  kAsksRoots,         // asks roots/list
  kChangesTools,      // adds or removes a tool
  kChangesPrompts,
  kChangesResources,
  kUpdatesResource,  // announces a change of a resource to its subscribers
  // Ends the subscription whose id takes the place of kSubscriptionPlace among its arguments.
  kEndsSubscription,
  kRunsAsTask,     // can be called as a task, and is soon done
  kTaskTakesTime,  // the same, with some tenths of a second or more, and progress on the way
  kTaskFails,      // can be called as a task, and its result says isError
  kTaskRefused,    // can be called as a task, which ends in an error of JSON-RPC
  kTaskElicits,    // can be called as a task, which asks elicitation/create
  kSamplesAsTask,  // asks sampling/createMessage as a task of the client's
  kClosesStream,   // closes its event stream before it answers, so that the client has to poll
};

// All of them, in the order of the enumeration.
std::span<const Ability> abilities();
// As a profile writes it: "takes-time".
std::string_view name(Ability ability);
std::optional<Ability> parse_ability(std::string_view text);
// What such a tool does: "takes some time".
std::string_view words(Ability ability);

}  // namespace assay::harness
