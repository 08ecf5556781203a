#include "harness/profile/ability.h"

#include <algorithm>
#include <array>

namespace assay::harness {
namespace {

constexpr std::array kAbilities = {
    Ability::kFails,
    Ability::kReportsProgress,
    Ability::kTakesTime,
    Ability::kLogs,
    Ability::kLogsEveryLevel,
    Ability::kSamples,
    Ability::kElicits,
    Ability::kElicitsByUrl,
    Ability::kNeedsElicitation,
    Ability::kAsksRoots,
    Ability::kChangesTools,
    Ability::kChangesPrompts,
    Ability::kChangesResources,
    Ability::kUpdatesResource,
    Ability::kEndsSubscription,
    Ability::kRunsAsTask,
    Ability::kTaskTakesTime,
    Ability::kTaskFails,
    Ability::kTaskRefused,
    Ability::kTaskElicits,
    Ability::kSamplesAsTask,
    Ability::kClosesStream,
};

}  // namespace

std::span<const Ability> abilities() {
  return kAbilities;
}

std::string_view name(Ability ability) {
  switch (ability) {
    case Ability::kFails:
      return "fails";
    case Ability::kReportsProgress:
      return "reports-progress";
    case Ability::kTakesTime:
      return "takes-time";
    case Ability::kLogs:
      return "logs";
    case Ability::kLogsEveryLevel:
      return "logs-every-level";
    case Ability::kSamples:
      return "samples";
    case Ability::kElicits:
      return "elicits";
    case Ability::kElicitsByUrl:
      return "elicits-by-url";
    case Ability::kNeedsElicitation:
      return "needs-elicitation";
    case Ability::kAsksRoots:
      return "asks-roots";
    case Ability::kChangesTools:
      return "changes-tools";
    case Ability::kChangesPrompts:
      return "changes-prompts";
    case Ability::kChangesResources:
      return "changes-resources";
    case Ability::kUpdatesResource:
      return "updates-resource";
    case Ability::kEndsSubscription:
      return "ends-subscription";
    case Ability::kRunsAsTask:
      return "runs-as-task";
    case Ability::kTaskTakesTime:
      return "task-takes-time";
    case Ability::kTaskFails:
      return "task-fails";
    case Ability::kTaskRefused:
      return "task-refused";
    case Ability::kTaskElicits:
      return "task-elicits";
    case Ability::kSamplesAsTask:
      return "samples-as-task";
    case Ability::kClosesStream:
      return "closes-stream";
  }
  return "";
}

std::optional<Ability> parse_ability(std::string_view text) {
  const auto found = std::find_if(kAbilities.begin(), kAbilities.end(),
                                  [&](Ability ability) { return name(ability) == text; });
  return found == kAbilities.end() ? std::nullopt : std::optional(*found);
}

std::string_view words(Ability ability) {
  switch (ability) {
    case Ability::kFails:
      return "fails";
    case Ability::kReportsProgress:
      return "reports progress";
    case Ability::kTakesTime:
      return "takes some time";
    case Ability::kLogs:
      return "logs";
    case Ability::kLogsEveryLevel:
      return "logs a message of each level";
    case Ability::kSamples:
      return "asks for sampling";
    case Ability::kElicits:
      return "asks the user with a form";
    case Ability::kElicitsByUrl:
      return "asks the user by URL";
    case Ability::kNeedsElicitation:
      return "fails until an elicitation by URL is complete";
    case Ability::kAsksRoots:
      return "lists the roots";
    case Ability::kChangesTools:
      return "changes the list of tools";
    case Ability::kChangesPrompts:
      return "changes the list of prompts";
    case Ability::kChangesResources:
      return "changes the list of resources";
    case Ability::kUpdatesResource:
      return "changes a resource";
    case Ability::kEndsSubscription:
      return "ends a subscription";
    case Ability::kRunsAsTask:
      return "can be called as a task";
    case Ability::kTaskTakesTime:
      return "can be called as a task and takes some time";
    case Ability::kTaskFails:
      return "can be called as a task and fails";
    case Ability::kTaskRefused:
      return "can be called as a task and ends in an error of the protocol";
    case Ability::kTaskElicits:
      return "can be called as a task and asks the user with a form";
    case Ability::kSamplesAsTask:
      return "asks for sampling as a task";
    case Ability::kClosesStream:
      return "closes its event stream before it answers";
  }
  return "";
}

}  // namespace assay::harness
