#include "harness/script/task_trial.h"

#include <algorithm>

#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kTrialTtl = 60'000;
constexpr milliseconds kBetweenPolls{50};

// Follows one task from its creation to its end.
class TaskTrial {
 public:
  TaskTrial(Connection& connection, milliseconds at_most)
      : connection_(connection), from_(connection.mark()), end_(Clock::now() + at_most) {}

  std::optional<ToolUse> run(const std::string& tool, const Json& arguments) {
    const Reply created = ask(
        "tools/call", {{"name", tool}, {"arguments", arguments}, {"task", {{"ttl", kTrialTtl}}}});
    id_ = text_member(member(created.result(), "task"), "taskId");
    if (id_.empty()) return std::nullopt;
    ToolUse use{.name = tool, .arguments = arguments};
    std::string status = next_status();
    const bool is_slow = status == "working";
    while (status == "working") {
      connection_.wait_for(
          connection_.mark(), [](const Event&) { return false; }, kBetweenPolls);
      status = Clock::now() < end_ ? next_status() : "";
    }
    if (status.empty()) return drop();
    // The result is what its questions come with, where it asks any.
    const Reply result = ask("tasks/result", {{"taskId", id_}});
    if (!result.is_answered()) return drop();
    if (has_asked()) {
      use.does.push_back(Ability::kTaskElicits);
    } else if (result.is_error()) {
      use.does.push_back(Ability::kTaskRefused);
    } else if (member(result.result(), "isError") == true) {
      use.does.push_back(Ability::kTaskFails);
    } else {
      use.does.push_back(is_slow ? Ability::kTaskTakesTime : Ability::kRunsAsTask);
    }
    return use;
  }

 private:
  Reply ask(std::string_view method, Json params) {
    const auto left = std::chrono::duration_cast<milliseconds>(end_ - Clock::now());
    return connection_.await(connection_.start(method, std::move(params)),
                             std::max(left, milliseconds(1)));
  }

  std::string next_status() {
    return std::string(text_member(ask("tasks/get", {{"taskId", id_}}).result(), "status"));
  }

  bool has_asked() const {
    const auto events = connection_.transcript().events(from_);
    return std::any_of(events.begin(), events.end(), [](const EventPtr& event) {
      return event->is_from_server() && event->message() != nullptr &&
             event->message()->method() == "elicitation/create";
    });
  }

  std::optional<ToolUse> drop() {
    if (connection_.has_capability("tasks.cancel")) {
      connection_.request("tasks/cancel", {{"taskId", id_}});
    }
    return std::nullopt;
  }

  Connection& connection_;
  const std::size_t from_;
  const Clock::time_point end_;
  std::string id_;
};

}  // namespace

bool runs_tools_as_tasks(const Connection& connection) {
  return connection.has_capability(kToolsAsTasks);
}

std::string_view task_support(const Json& tool) {
  const std::string_view support = text_member(member(tool, "execution"), "taskSupport");
  return support.empty() ? "forbidden" : support;
}

std::optional<ToolUse> try_as_task(Connection& connection, const std::string& tool,
                                   const Json& arguments, milliseconds at_most) {
  return TaskTrial(connection, at_most).run(tool, arguments);
}

}  // namespace assay::harness
