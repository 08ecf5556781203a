#include "harness/script/extension_task_trial.h"

#include <string_view>
#include <utility>
#include <vector>

#include "harness/script/json_member.h"
#include "harness/script/stateless_connection.h"

namespace assay::harness {
namespace {

constexpr std::chrono::milliseconds kLookAgainAfter{50};

std::vector<Ability> abilities_of(const Json& task, bool is_slow) {
  const std::string_view status = text_member(task, "status");
  std::vector<Ability> abilities;
  if (status == "input_required") abilities.push_back(Ability::kTaskElicits);
  if (status == "failed") abilities.push_back(Ability::kTaskRefused);
  if (status == "completed") {
    const bool fails = member(member(task, "result"), "isError") == true;
    abilities.push_back(fails ? Ability::kTaskFails : Ability::kRunsAsTask);
  }
  const bool is_sound = status == "completed" || status == "working";
  if (is_slow && is_sound) abilities.push_back(Ability::kTaskTakesTime);
  return abilities;
}

}  // namespace

std::optional<ToolUse> try_as_extension_task(Connection& connection, const model::Extension& tasks,
                                             const std::string& tool, const Json& arguments,
                                             std::chrono::milliseconds at_most,
                                             std::chrono::milliseconds slow) {
  const auto declared = [&](Json params) {
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
        capabilities_with(connection.revision(), tasks);
    return params;
  };
  const Reply reply =
      connection.request("tools/call", declared({{"name", tool}, {"arguments", arguments}}));
  const Json& id = member(reply.result(), "taskId");
  if (text_member(reply.result(), "resultType") != "task" || !id.is_string()) return std::nullopt;
  const auto started = Clock::now();
  Reply got = reply;
  while (text_member(got.result(), "status") == "working" && Clock::now() - started < at_most) {
    connection.wait_for(
        connection.mark(), [](const Event&) { return false; }, kLookAgainAfter);
    got = connection.request("tasks/get", declared({{"taskId", id}}));
  }
  const std::string_view status = text_member(got.result(), "status");
  if (status == "working" || status == "input_required") {
    connection.request("tasks/cancel", declared({{"taskId", id}}));
  }
  auto abilities = abilities_of(got.result(), Clock::now() - started >= slow);
  if (abilities.empty()) return std::nullopt;
  return ToolUse{.name = tool, .arguments = arguments, .does = std::move(abilities)};
}

}  // namespace assay::harness
