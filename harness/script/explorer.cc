#include "harness/script/explorer.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/script/argument_trials.h"
#include "harness/script/capability.h"
#include "harness/script/clues.h"
#include "harness/script/extension_task_trial.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/sample_value.h"
#include "harness/script/suggestions.h"
#include "harness/script/task_trial.h"
#include "harness/script/tool_words.h"
#include "harness/script/usable.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLevels = 8;
constexpr int kCallsPerTask = 3;          // what runs as a task may take longer than a call
constexpr std::size_t kLongestName = 60;  // of a tool that was left out
// How often a tool is called on that asks again and again, where each answer is a further request.
constexpr int kMostQuestions = 4;
constexpr const char* kLogLevelField = "io.modelcontextprotocol/logLevel";

// What came while a tool was called.
struct Seen {
  Reply reply;
  milliseconds took{0};
  std::vector<Ability> abilities;
};

bool is_failure(const Reply& reply) {
  return member(reply.result(), "isError") == true;
}

bool is_failed(const ToolUse& use) {
  return use.can(Ability::kFails);
}

struct Sign {
  std::string_view method;
  Ability ability;
};
constexpr std::array kSigns = {
    Sign{"sampling/createMessage", Ability::kSamples},
    Sign{"roots/list", Ability::kAsksRoots},
    Sign{"notifications/message", Ability::kLogs},
    Sign{"notifications/tools/list_changed", Ability::kChangesTools},
    Sign{"notifications/prompts/list_changed", Ability::kChangesPrompts},
    Sign{"notifications/resources/list_changed", Ability::kChangesResources},
};

// What a request or notification of that method shows that its tool can do.
void add_ability(std::string_view method, const Json& params, std::set<Ability>& abilities) {
  for (const Sign& sign : kSigns) {
    if (method == sign.method) abilities.insert(sign.ability);
  }
  if (method != "elicitation/create") return;
  const bool is_url = member(params, "mode") == "url";
  abilities.insert(is_url ? Ability::kElicitsByUrl : Ability::kElicits);
}

// It may be called, and nothing is known of it.
bool is_strange(const Json& tool, const ToolPolicy& policy) {
  return is_named(tool) && policy.allows(tool) &&
         policy.known.tool(text_member(tool, "name")) == nullptr;
}

class Explorer {
 public:
  Explorer(Connection& connection, const Survey& survey, ExplorerLimits limits,
           const model::Extension* tasks)
      : connection_(connection),
        limits_(limits),
        tasks_(tasks),
        end_(Clock::now() + limits.total),
        clues_(survey) {}

  bool is_over() const { return is_over_ || Clock::now() >= end_; }
  Profile take() { return std::move(profile_); }

  void complete(const Survey& survey, const ToolPolicy& policy) {
    Suggestions suggestions(connection_, limits_.call, [this] { return is_over(); });
    suggestions.ask(survey, policy, profile_, clues_);
  }

  void try_tools(const std::vector<Json>& tools) {
    for (const Json& tool : tools) {
      const bool is_one_too_many = profile_.tried.size() >= limits_.tools;
      if (is_over() || is_one_too_many) {
        profile_.left_out.emplace_back(text_member(tool, "name").substr(0, kLongestName));
      } else {
        try_tool(tool);
      }
    }
    // What failed may succeed with what others have said since.
    for (const Json& tool : tools) {
      if (is_over()) return;
      try_further(tool);
    }
  }

 private:
  void try_tool(const Json& tool) {
    const auto guess = quick_arguments(member(tool, "inputSchema"));
    if (!guess) return;
    KnownTool found;
    found.name = text_member(tool, "name");
    profile_.tried.push_back(found.name);
    const std::string_view support = task_support(tool);
    const Json arguments = clues_.improved(*guess);
    if (support != "required" || !runs_tools_as_tasks(connection_)) {
      // What failed for want of a good guess may still show what else the tool can do.
      if (try_call(found, arguments) && arguments != *guess) try_call(found, *guess);
    }
    if (support != "forbidden" && runs_tools_as_tasks(connection_) && found.may_be_called) {
      try_task(found, arguments);
    }
    if (tasks_ != nullptr && found.may_be_called && !is_over()) {
      auto use = try_as_extension_task(connection_, *tasks_, found.name, arguments, limits_.call,
                                       limits_.slow);
      if (use) found.uses.push_back(*std::move(use));
    }
    if (!found.may_be_called || !found.uses.empty()) profile_.tools.push_back(std::move(found));
  }

  void try_task(KnownTool& found, const Json& arguments) {
    if (is_over()) return;
    if (auto use = try_as_task(connection_, found.name, arguments, kCallsPerTask * limits_.call)) {
      found.uses.push_back(*std::move(use));
    }
  }

  // With further arguments, where none led to a success, or where the tool has choices. What
  // succeeds is told first.
  void try_further(const Json& tool) {
    const auto found = std::find_if(
        profile_.tools.begin(), profile_.tools.end(),
        [&](const KnownTool& known) { return known.name == text_member(tool, "name"); });
    if (found == profile_.tools.end() || !found->may_be_called || found->uses.empty()) return;
    const bool has_failed = std::all_of(found->uses.begin(), found->uses.end(), is_failed);
    for (const Json& further : further_arguments(member(tool, "inputSchema"), has_failed)) {
      const Json arguments =
          clues_.improved(further, has_failed ? Clues::Paths::kOfFiles : Clues::Paths::kOfFolders);
      const bool is_known =
          std::any_of(found->uses.begin(), found->uses.end(),
                      [&](const ToolUse& use) { return use.arguments == arguments; });
      if (is_known) continue;
      if (is_over() || !try_anew(*found, task_support(tool), arguments, has_failed)) return;
    }
  }

  // False where the tool is not to be called again. It may be called as before, whatever came of
  // this.
  bool try_anew(KnownTool& found, std::string_view support, const Json& arguments,
                bool has_failed) {
    const std::size_t before = found.uses.size();
    if (support != "required") {
      const std::vector<ToolUse> known = found.uses;
      if (!try_call(found, arguments)) {
        found.uses = known;
        found.may_be_called = true;
        return false;
      }
      if (has_failed && !is_failed(found.uses.back())) {
        std::rotate(found.uses.begin(), found.uses.end() - 1, found.uses.end());
        return false;
      }
    } else if (runs_tools_as_tasks(connection_)) {
      try_task(found, arguments);
    }
    // What shows nothing new is not worth another way to call the tool.
    if (found.uses.size() == before) return true;
    const bool is_new =
        std::none_of(found.uses.begin(), found.uses.end() - 1,
                     [&](const ToolUse& use) { return use.does == found.uses.back().does; });
    if (!is_new) found.uses.resize(before);
    return true;
  }

  // False where the tool is not to be called again.
  bool try_call(KnownTool& tool, const Json& arguments) {
    Seen seen = call(tool.name, arguments);
    if (!seen.reply.is_answered()) {
      tool.may_be_called = false;
      tool.uses.clear();
      is_over_ = !connection_.fence();
      return false;
    }
    clues_.note(seen.reply.result(), arguments);
    if (seen.took >= limits_.slow && !is_over() &&
        call(tool.name, arguments).took >= limits_.slow) {
      seen.abilities.push_back(Ability::kTakesTime);
    }
    tool.uses.push_back({.name = tool.name, .arguments = arguments, .does = seen.abilities});
    return true;
  }

  Seen call(const std::string& name, const Json& arguments) {
    const std::string token = "explore-" + std::to_string(++calls_);
    const std::size_t from = connection_.mark();
    const auto started = Clock::now();
    Json params = {{"name", name}, {"arguments", arguments}, {"_meta", {{"progressToken", token}}}};
    if (!connection_.revision().has_set_level() && connection_.has_capability("logging")) {
      params["_meta"][kLogLevelField] = "debug";
    }
    const Pending pending = connection_.start("tools/call", params);
    Seen seen{connection_.await(pending, limits_.call), milliseconds(0), {}};
    seen.took = std::chrono::duration_cast<milliseconds>(Clock::now() - started);
    if (seen.reply.kind() == Reply::Kind::kSilence) {
      connection_.notify("notifications/cancelled", {{"requestId", wire::to_json(pending.id)}});
    }
    std::set<Ability> abilities;
    note_questions(seen.reply, abilities);
    // Without sessions each answer of ours is a further request.
    for (int i = 0; i < kMostQuestions && !is_over(); ++i) {
      const auto next = connection_.next_attempt(params, seen.reply);
      if (!next) break;
      seen.reply = connection_.await(connection_.start("tools/call", *next), limits_.call);
      note_questions(seen.reply, abilities);
    }
    look(from, token, seen.reply, abilities);
    seen.abilities.assign(abilities.begin(), abilities.end());
    return seen;
  }

  // Without sessions a tool asks its client in its result.
  static void note_questions(const Reply& reply, std::set<Ability>& abilities) {
    const Json& questions = member(reply.result(), "inputRequests");
    if (!questions.is_object()) return;
    for (const Json& question : questions) {
      add_ability(text_member(question, "method"), member(question, "params"), abilities);
    }
  }

  void look(std::size_t from, const std::string& token, const Reply& reply,
            std::set<Ability>& abilities) const {
    std::set<std::string_view> levels;
    int reports = 0;
    const auto events = connection_.transcript().events(from);
    for (const EventPtr& event : events) {
      if (event->is_from_client() || event->message() == nullptr) continue;
      const wire::Message& message = *event->message();
      const Json& params = message.params();
      add_ability(message.method(), params, abilities);
      if (message.method() == "notifications/message") levels.insert(text_member(params, "level"));
      const bool is_progress = message.method() == "notifications/progress" &&
                               text_member(params, "progressToken") == token;
      if (is_progress && ++reports >= 2) abilities.insert(Ability::kReportsProgress);
    }
    if (levels.size() == kLevels) abilities.insert(Ability::kLogsEveryLevel);
    if (is_failure(reply)) abilities.insert(Ability::kFails);
    if (reply.is_error(wire::kUrlElicitationRequired)) {
      abilities.insert(Ability::kNeedsElicitation);
    }
  }

  Connection& connection_;
  const ExplorerLimits limits_;
  const model::Extension* const tasks_;  // null: not looked for
  const Clock::time_point end_;
  Clues clues_;
  Profile profile_;
  int calls_ = 0;
  bool is_over_ = false;  // the server answers no more
};

}  // namespace

std::vector<Json> tools_to_try(const Survey& survey, const ToolPolicy& policy) {
  // What is tried first has the lowest number.
  std::vector<std::pair<int, const Json*>> ranked;
  for (const Json& tool : survey.tools().items) {
    if (!is_strange(tool, policy)) continue;
    const std::set<Ability> promises = promises_of(tool);
    const bool is_slow = promises.contains(Ability::kTakesTime);
    const int promise = promises.empty() ? 1 : is_slow ? 2 : 0;
    ranked.emplace_back((required_arguments(tool).empty() ? 0 : 3) + promise, &tool);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Json> tools;
  for (const auto& [rank, tool] : ranked) tools.push_back(*tool);
  return tools;
}

bool is_worth_exploring(const Survey& survey, const ToolPolicy& policy, const Json& server) {
  const auto& tools = survey.tools().items;
  if (std::any_of(tools.begin(), tools.end(),
                  [&](const Json& tool) { return is_strange(tool, policy); })) {
    return true;
  }
  return declares(server, "completions") && has_unknown_arguments(survey, policy);
}

Profile explore(Connection& connection, const Survey& survey, const ToolPolicy& policy,
                ExplorerLimits limits, model::ExtensionSet extensions) {
  const model::Extension* const tasks = model::find_extension("tasks");
  const bool may_be_tasks = tasks != nullptr && extensions.contains(model::index_of(*tasks));
  Explorer explorer(connection, survey, limits, may_be_tasks ? tasks : nullptr);
  if (connection.has_capability("logging") && connection.revision().has_set_level()) {
    connection.request("logging/setLevel", {{"level", "debug"}});
  }
  if (connection.has_capability("completions")) explorer.complete(survey, policy);
  explorer.try_tools(tools_to_try(survey, policy));
  return explorer.take();
}

}  // namespace assay::harness
