#include "harness/monitors/durable_tasks.h"

#include <algorithm>
#include <array>

#include "harness/script/json_member.h"

namespace assay::harness {
namespace {

constexpr std::array<std::string_view, 3> kAboutTasks = {"tasks/get", "tasks/update",
                                                         "tasks/cancel"};
constexpr std::array<std::string_view, 5> kStatuses = {"working", "input_required", "completed",
                                                       "failed", "cancelled"};

const model::Extension& extension_of_tasks() {
  static const model::Extension& kTasks = *model::find_extension("tasks");
  return kTasks;
}

}  // namespace

bool has_durable_tasks(model::Revision revision) {
  return extension_of_tasks().extends(revision);
}

model::Protocol with_durable_tasks(model::Revision revision) {
  return {revision, model::set_of(extension_of_tasks())};
}

bool is_about_durable_task(std::string_view method) {
  return std::find(kAboutTasks.begin(), kAboutTasks.end(), method) != kAboutTasks.end();
}

bool declares_durable_tasks(model::Revision revision, const Json& capabilities) {
  return model::declared_extensions(revision, capabilities)
      .contains(model::index_of(extension_of_tasks()));
}

bool declares_durable_tasks(const SessionView& session) {
  return declares_durable_tasks(session.revision(), session.client_capabilities());
}

bool is_flat_task(const Json& result) {
  // A server may write content beside a task that says what it is; what has content and says
  // nothing is the result of a tool.
  const bool may_be_task =
      member(result, "content").is_null() || text_member(result, "resultType") == "task";
  return may_be_task && member(result, "taskId").is_string() &&
         member(result, "status").is_string();
}

bool is_nested_task(const Json& result) {
  return is_flat_task(member(result, "task")) && member(result, "content").is_null();
}

bool is_durable_status(std::string_view status) {
  return std::find(kStatuses.begin(), kStatuses.end(), status) != kStatuses.end();
}

bool is_durable_end(std::string_view status) {
  return is_durable_status(status) && status != "working" && status != "input_required";
}

std::string superfluous_member(const Json& result) {
  if (!result.is_object()) return "";
  for (const auto& [name, value] : result.items()) {
    if (name != "resultType" && name != "_meta") return name;
  }
  return "";
}

bool is_within_payload(std::string_view pointer) {
  for (const std::string_view place : {"/inputRequests/", "/result/result/"}) {
    if (pointer.find(place) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace assay::harness
