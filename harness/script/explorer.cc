#include "harness/script/explorer.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/script/capability.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/sample_value.h"
#include "harness/script/usable.h"
#include "reference/model/schema_check.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostTried = 16;
constexpr std::size_t kMostPrompts = 4;
constexpr std::size_t kMostPaths = 8;
constexpr std::size_t kLevels = 8;
// What our side says that its root is (polite_client.cc).
constexpr std::string_view kRoot = "/tmp";

bool mentions(std::string_view name, std::initializer_list<std::string_view> words) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// What the server's own words have shown that an argument may be.
class Clues {
 public:
  explicit Clues(const Survey& survey) {
    for (const Json& resource : survey.resources().items) {
      if (!is_readable(resource)) continue;
      uri_ = text_member(resource, "uri");
      break;
    }
  }

  // Takes note of the paths in the texts of a result: absolute, and each a word of its own.
  void note(const Json& result) {
    for (const Json& block : array_member(result, "content")) {
      std::string_view rest = text_member(block, "text");
      while (paths_.size() < kMostPaths) {
        const std::size_t begin = rest.find('/');
        if (begin == std::string_view::npos) break;
        const bool is_word = begin == 0 || std::string_view(" \n\t\"'").find(rest[begin - 1]) !=
                                               std::string_view::npos;
        const std::size_t end = std::min(rest.find_first_of(" \n\t\"'<>", begin), rest.size());
        if (is_word && end - begin > 1) paths_.emplace_back(rest.substr(begin, end - begin));
        rest.remove_prefix(end);
      }
    }
  }

  // A better value than a guess for an argument of that name; empty if there is none.
  std::string value_for(std::string_view name) const {
    if (mentions(name, {"path", "file", "dir", "folder", "root"})) {
      return paths_.empty() ? std::string(kRoot) : paths_.front();
    }
    return mentions(name, {"uri"}) ? uri_ : std::string();
  }

 private:
  std::vector<std::string> paths_;
  std::string uri_;
};

// With a short time for a tool that is told how long to take: who waits for it longer than for a
// moment lets it be.
Json hurried(Json arguments, const Json& input_schema) {
  const Json& properties = member(input_schema, "properties");
  if (!properties.is_object()) return arguments;
  for (const auto& [name, property] : properties.items()) {
    const std::string_view type = text_member(property, "type");
    if (type != "number" && type != "integer") continue;
    if (!mentions(name, {"duration", "delay", "seconds", "sleep", "wait"})) continue;
    // A second, in whatever it is counted: what is over at once would not be seen to take time.
    const bool is_in_milliseconds =
        name.ends_with("_ms") || name.ends_with("Ms") || mentions(name, {"millis"});
    Json shorter = arguments;
    shorter[name] = is_in_milliseconds ? 1000 : 1;
    const auto outcome = model::check_against_schema(input_schema, shorter).outcome;
    if (outcome != model::SchemaOutcome::kInvalid) arguments = std::move(shorter);
  }
  return arguments;
}

// The arguments with what is known put in place of what is guessed.
Json improve(Json arguments, const Clues& known) {
  for (auto& [name, value] : arguments.items()) {
    const std::string better = known.value_for(name);
    if (better.empty()) continue;
    if (value == "assay" || value == "https://example.com/") value = better;
    if (value.is_array() && !value.empty() && value[0] == "assay") value[0] = better;
  }
  return arguments;
}

bool has_unknown_arguments(const Json& prompt, const ToolPolicy& policy) {
  return is_named(prompt) && !array_member(prompt, "arguments").empty() &&
         policy.known.prompt(text_member(prompt, "name")) == nullptr;
}

// What came while a tool was called.
struct Seen {
  Reply reply;
  milliseconds took{0};
  std::vector<Ability> abilities;
};

bool is_failure(const Reply& reply) {
  return member(reply.result(), "isError") == true;
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

class Explorer {
 public:
  Explorer(Connection& connection, const Survey& survey, ExplorerLimits limits)
      : connection_(connection),
        survey_(survey),
        limits_(limits),
        end_(Clock::now() + limits.total),
        known_(survey) {}

  void try_tool(const Json& tool) {
    auto guess = sample_arguments(member(tool, "inputSchema"));
    if (!guess || is_over_) return;
    guess = hurried(*std::move(guess), member(tool, "inputSchema"));
    KnownTool& found = profile_.tools.emplace_back();
    found.name = text_member(tool, "name");
    profile_.tried.push_back(found.name);
    const Json arguments = improve(*guess, known_);
    if (!try_call(found, arguments)) return;
    // What failed for want of a good guess may still show what else the tool can do.
    if (arguments != *guess) try_call(found, *guess);
  }

  bool is_over() const { return is_over_ || Clock::now() >= end_; }
  Profile take() { return std::move(profile_); }

  void complete_prompts(const ToolPolicy& policy) {
    std::size_t tried = 0;
    for (const Json& prompt : survey_.prompts().items) {
      if (!has_unknown_arguments(prompt, policy)) continue;
      if (is_over() || ++tried > kMostPrompts) return;
      complete_prompt(prompt, policy);
    }
  }

 private:
  // False where the tool is not to be called again.
  bool try_call(KnownTool& tool, const Json& arguments) {
    Seen seen = call(tool.name, arguments);
    if (!seen.reply.is_answered()) {
      tool.may_be_called = false;
      tool.uses.clear();
      is_over_ = !connection_.fence();
      return false;
    }
    known_.note(seen.reply.result());
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
    const Pending pending = connection_.start(
        "tools/call",
        {{"name", name}, {"arguments", arguments}, {"_meta", {{"progressToken", token}}}});
    Seen seen{connection_.await(pending, limits_.call), milliseconds(0), {}};
    seen.took = std::chrono::duration_cast<milliseconds>(Clock::now() - started);
    if (seen.reply.kind() == Reply::Kind::kSilence) {
      connection_.notify("notifications/cancelled", {{"requestId", wire::to_json(pending.id)}});
    }
    look(from, token, seen);
    return seen;
  }

  void look(std::size_t from, const std::string& token, Seen& seen) const {
    std::set<Ability> abilities;
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
    // Without sessions a tool asks its client in its result.
    const Json& questions = member(seen.reply.result(), "inputRequests");
    if (questions.is_object()) {
      for (const Json& question : questions) {
        add_ability(text_member(question, "method"), member(question, "params"), abilities);
      }
    }
    if (levels.size() == kLevels) abilities.insert(Ability::kLogsEveryLevel);
    if (is_failure(seen.reply)) abilities.insert(Ability::kFails);
    if (seen.reply.is_error(wire::kUrlElicitationRequired)) {
      abilities.insert(Ability::kNeedsElicitation);
    }
    seen.abilities.assign(abilities.begin(), abilities.end());
  }

  // The first value that the server suggests for an argument, be it what it can make of a number;
  // empty if it suggests none.
  std::string suggestion(const Json& reference, std::string_view argument) {
    for (const char* begun : {"", "1"}) {
      const Reply reply = connection_.await(
          connection_.start(
              "completion/complete",
              {{"ref", reference}, {"argument", {{"name", argument}, {"value", begun}}}}),
          limits_.call);
      const Json& values = array_member(member(reply.result(), "completion"), "values");
      if (!values.empty() && values[0].is_string()) return values[0].get<std::string>();
      if (!reply.is_answered()) break;
    }
    return "";
  }

  void complete_prompt(const Json& prompt, const ToolPolicy& policy) {
    const Json reference = {{"type", "ref/prompt"}, {"name", member(prompt, "name")}};
    KnownPrompt known;
    known.name = text_member(prompt, "name");
    known.arguments = prompt_arguments(policy.known, prompt);
    bool is_any = false;
    for (const Json& argument : array_member(prompt, "arguments")) {
      if (!is_named(argument)) continue;
      const std::string name(text_member(argument, "name"));
      const std::string value = suggestion(reference, name);
      if (value.empty()) continue;
      is_any = true;
      known.arguments[name] = value;
      profile_.completions.push_back({reference, name, ""});
    }
    if (is_any) profile_.prompts.push_back(std::move(known));
  }

  Connection& connection_;
  const Survey& survey_;
  const ExplorerLimits limits_;
  const Clock::time_point end_;
  Clues known_;
  Profile profile_;
  int calls_ = 0;
  bool is_over_ = false;  // the server answers no more
};

}  // namespace

std::vector<Json> tools_to_try(const Survey& survey, const ToolPolicy& policy) {
  std::vector<Json> tools;
  for (const Json& tool : survey.tools().items) {
    const bool is_task = member(member(tool, "execution"), "taskSupport") == "required";
    if (!is_named(tool) || is_task || !policy.allows(tool)) continue;
    if (policy.known.tool(text_member(tool, "name")) != nullptr) continue;
    tools.push_back(tool);
  }
  // What needs no arguments may say what others can be called with.
  std::stable_partition(tools.begin(), tools.end(),
                        [](const Json& tool) { return required_arguments(tool).empty(); });
  if (tools.size() > kMostTried) tools.resize(kMostTried);
  return tools;
}

bool is_worth_exploring(const Survey& survey, const ToolPolicy& policy, const Json& server) {
  if (!tools_to_try(survey, policy).empty()) return true;
  const auto& prompts = survey.prompts().items;
  return declares(server, "completions") &&
         std::any_of(prompts.begin(), prompts.end(),
                     [&](const Json& prompt) { return has_unknown_arguments(prompt, policy); });
}

Profile explore(Connection& connection, const Survey& survey, const ToolPolicy& policy,
                ExplorerLimits limits) {
  Explorer explorer(connection, survey, limits);
  if (connection.has_capability("logging")) {
    connection.request("logging/setLevel", {{"level", "debug"}});
  }
  for (const Json& tool : tools_to_try(survey, policy)) {
    if (explorer.is_over()) break;
    explorer.try_tool(tool);
  }
  if (connection.has_capability("completions")) explorer.complete_prompts(policy);
  return explorer.take();
}

}  // namespace assay::harness
