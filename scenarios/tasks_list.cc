// Scenarios about the list of tasks, and the ids in it.
//
// Specification: basic/utilities/tasks, "Task Listing", "Task ID Requirements", "Task Isolation and
// Access Control".
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "scenarios/guessing.h"
#include "scenarios/task_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// More than the pages of ten that one SDK gives.
constexpr std::size_t kTasks = 12;
// Pages of one walk: a target may have tasks of its own.
constexpr int kMostPages = 64;

// One walk over all pages.
struct Walk {
  std::set<std::string> ids;
  std::size_t tasks = 0;
  int pages = 0;
  bool is_whole = false;
  std::vector<EventPtr> events;
};

Walk walk(Connection& session) {
  Walk seen;
  Json params = Json::object();
  while (seen.pages < kMostPages) {
    const Reply reply = session.request("tasks/list", params);
    seen.events.insert(seen.events.end(), reply.events().begin(), reply.events().end());
    if (!reply.is_result() || !member(reply.result(), "tasks").is_array()) return seen;
    ++seen.pages;
    for (const Json& task : array_member(reply.result(), "tasks")) {
      ++seen.tasks;
      seen.ids.insert(std::string(text_member(task, "taskId")));
    }
    const Json& next = member(reply.result(), "nextCursor");
    if (!next.is_string()) {
      seen.is_whole = true;
      return seen;
    }
    params["cursor"] = next;
  }
  return seen;
}

// A task that tasks/get finds before and after the walk, and the walk does not.
struct Missing {
  std::string id;
  bool is_at_end = false;
};

std::optional<Missing> find_missing(Connection& session, const std::vector<std::string>& ids,
                                    Walk& seen) {
  for (const std::string& id : ids) {
    if (seen.ids.contains(id)) continue;
    const Reply found = get_task(session, id);
    if (found.is_result()) {
      seen.events.insert(seen.events.end(), found.events().begin(), found.events().end());
      return Missing{id, is_at_end(found)};
    }
  }
  return std::nullopt;
}

// Lists the tasks after each one that is created. A list that stops growing while its tasks go on
// has been cut; a task that is left out of a list that is not, is missing.
class Lister {
 public:
  explicit Lister(Script& script) : script_(script), session_(script.session()) {}

  // False if there is no more to be learned.
  bool look(const std::vector<std::string>& ids) {
    Walk seen;
    std::optional<Missing> missing;
    // Twice: a task that goes between two pages may take another out of sight with it.
    for (int tries = 0; tries == 0 || (missing && tries < 2); ++tries) {
      seen = walk(session_);
      if (!seen.is_whole) {
        script_.unclear("tasks.list-complete", "tasks/list could not be read to its end",
                        seen.events);
        return false;
      }
      missing = find_missing(session_, missing ? std::vector{missing->id} : ids, seen);
    }
    if (missing) {
      const bool is_cut = before_ && before_->tasks == seen.tasks && !missing->is_at_end;
      if (is_cut) {
        script_.check(
            "tasks.list-next-cursor", false, seen.events,
            fmt::format("tasks/list stopped at {} tasks without a nextCursor, but there are more",
                        seen.tasks));
      } else {
        script_.check("tasks.list-complete", false, seen.events,
                      "tasks/get finds a task that tasks/list does not give");
      }
      return false;
    }
    before_ = std::move(seen);
    return true;
  }

  // Every task was listed each time.
  void conclude() {
    if (!before_) return;
    script_.check("tasks.list-complete", true, {}, "");
    if (before_->pages > 1) {
      script_.check("tasks.list-next-cursor", true, {}, "");
    } else {
      script_.not_exercised("tasks.list-next-cursor",
                            fmt::format("{} tasks fit on one page", before_->tasks));
    }
  }

 private:
  Script& script_;
  Connection& session_;
  std::optional<Walk> before_;
};

std::vector<std::string> create_and_list(Script& script, const ToolUse& tool, bool can_list) {
  Connection& session = script.session();
  std::vector<std::string> ids;
  Lister lister(script);
  bool goes_on = can_list;
  while (ids.size() < kTasks) {
    const TaskCall call = create_task(session, tool);
    if (!call.is_created()) break;  // it may limit them
    ids.push_back(call.id);
    goes_on = goes_on && lister.look(ids);
  }
  // A task that has ended can still be got, and so it is still listed.
  if (goes_on && !ids.empty()) {
    await_end(session, ids.front());
    goes_on = lister.look(ids);
  }
  if (goes_on) lister.conclude();
  return ids;
}

void judge_ids(Script& script, const std::vector<std::string>& ids,
               const std::vector<EventPtr>& events) {
  const bool are_unique = std::set<std::string>(ids.begin(), ids.end()).size() == ids.size();
  script.check("tasks.id-unique", are_unique, events, "two tasks have the same id");
  if (!are_unique) return;
  if (has_credentials(script.session())) {
    script.not_exercised("tasks.unbound-ids-unguessable",
                         "the server knows who asks, and can bind tasks to them");
    return;
  }
  if (ids.size() < kFewestIds) {
    script.unclear("tasks.unbound-ids-unguessable",
                   fmt::format("no more than {} tasks could be created", ids.size()));
    return;
  }
  const std::size_t varying = varying_characters(ids);
  script.check("tasks.unbound-ids-unguessable", varying >= kFewestVaryingCharacters, events,
               fmt::format("{} ids differ in no more than {} characters: {}, {}", ids.size(),
                           varying, ids[0], ids[1]));
}

// Each task has an id of its own that nobody can guess, and each task that can be got is listed.
SCENARIO(tasks_are_listed, with_tasks(),
         judges({"tasks.list-complete", "tasks.list-next-cursor", "tasks.id-unique",
                 "tasks.unbound-ids-unguessable"})) {
  const auto rules = {RequirementId("tasks.list-complete"), RequirementId("tasks.id-unique"),
                      RequirementId("tasks.unbound-ids-unguessable")};
  const auto tool = any_task_tool(script, rules);
  if (!tool) return;
  Connection& session = script.session();
  const std::size_t from = session.mark();
  const bool can_list = session.has_capability("tasks.list");
  const std::vector<std::string> ids = create_and_list(script, *tool, can_list);
  if (ids.size() < 2) {
    for (const RequirementId rule : rules) script.unclear(rule, "no two tasks could be created");
  } else {
    std::vector<EventPtr> events = session.transcript().events(from);
    judge_ids(script, ids, events);
  }
  for (const std::string& id : ids) drop_task(session, id);
}

// A cursor that was never given is refused.
SCENARIO(tasks_list_refuses_unknown_cursors, with_tasks(),
         judges({"tasks.list-invalid-cursor-error", "tasks.standard-errors",
                 "tasks.errors-informative"})) {
  constexpr RequirementId kRule = "tasks.list-invalid-cursor-error";
  if (!script.is_declared("tasks.list")) return;
  if (!script.request("tasks/list").is_result()) {
    script.unclear(kRule, "tasks/list without a cursor gave no result");
    return;
  }
  judge_refusal(script, kRule, script.request("tasks/list", {{"cursor", "assay-not-a-cursor"}}),
                "tasks/list with a cursor that was never given");
}

}  // namespace
}  // namespace assay::scenarios
