#include "harness/profile/act.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::harness {
namespace {

constexpr std::array kActs = {
    Act::kListsTools,    Act::kListsResources, Act::kListsPrompts,       Act::kCallsTool,
    Act::kReadsResource, Act::kGetsPrompt,     Act::kAnswersElicitation, Act::kLogsIn,
};

// What may stand in braces wherever a client's command does.
constexpr std::array<std::string_view, 3> kMarksAnywhere = {"url", "server", "config"};

// What stands in braces for what it is done to; empty where it is done to nothing of a name.
std::string_view target_mark(Act act) {
  switch (act) {
    case Act::kListsTools:
    case Act::kListsResources:
    case Act::kListsPrompts:
    case Act::kLogsIn:
      return "";
    case Act::kReadsResource:
      return "uri";
    case Act::kCallsTool:
    case Act::kAnswersElicitation:
      return "tool";
    case Act::kGetsPrompt:
      return "prompt";
  }
  return "";
}

std::vector<std::string_view> marks_of(Act act, bool is_for_each_argument) {
  std::vector<std::string_view> marks(kMarksAnywhere.begin(), kMarksAnywhere.end());
  if (const std::string_view target = target_mark(act); !target.empty()) marks.push_back(target);
  if (has_arguments(act)) marks.push_back("arguments");
  if (is_for_each_argument) marks.insert(marks.end(), {"name", "value"});
  return marks;
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

// The words in braces; what else stands in braces is nobody's.
std::vector<std::string_view> marks_in(std::string_view text) {
  std::vector<std::string_view> marks;
  for (std::size_t open = text.find('{'); open != std::string_view::npos;
       open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view mark = text.substr(open + 1, close - open - 1);
    if (!mark.empty() && std::all_of(mark.begin(), mark.end(), is_lower)) marks.push_back(mark);
  }
  return marks;
}

using Values = std::vector<std::pair<std::string_view, std::string>>;

// In one go: what a value holds is no mark.
std::string filled(std::string_view word, const Values& values) {
  std::string out;
  for (std::size_t at = 0; at < word.size();) {
    const auto mark = std::find_if(values.begin(), values.end(), [&](const auto& each) {
      return !each.first.empty() && word.substr(at).starts_with(fmt::format("{{{}}}", each.first));
    });
    if (mark == values.end()) {
      out += word[at++];
    } else {
      out += mark->second;
      at += mark->first.size() + 2;
    }
  }
  return out;
}

}  // namespace

std::span<const Act> acts() {
  return kActs;
}

std::string_view name(Act act) {
  switch (act) {
    case Act::kListsTools:
      return "lists-tools";
    case Act::kListsResources:
      return "lists-resources";
    case Act::kListsPrompts:
      return "lists-prompts";
    case Act::kCallsTool:
      return "calls-tool";
    case Act::kReadsResource:
      return "reads-resource";
    case Act::kGetsPrompt:
      return "gets-prompt";
    case Act::kAnswersElicitation:
      return "answers-elicitation";
    case Act::kLogsIn:
      return "logs-in";
  }
  return "";
}

std::string_view words(Act act) {
  switch (act) {
    case Act::kListsTools:
      return "lists the tools";
    case Act::kListsResources:
      return "lists the resources";
    case Act::kListsPrompts:
      return "lists the prompts";
    case Act::kCallsTool:
      return "calls a tool";
    case Act::kReadsResource:
      return "reads a resource";
    case Act::kGetsPrompt:
      return "gets a prompt";
    case Act::kAnswersElicitation:
      return "calls a tool and answers the form that it is shown";
    case Act::kLogsIn:
      return "logs in";
  }
  return "";
}

bool has_arguments(Act act) {
  return act == Act::kCallsTool || act == Act::kGetsPrompt || act == Act::kAnswersElicitation;
}

std::optional<Act> parse_act(std::string_view text) {
  const auto found =
      std::find_if(kActs.begin(), kActs.end(), [&](Act act) { return name(act) == text; });
  return found == kActs.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> ClientWay::command_for(const Deed& deed,
                                                std::vector<std::string> command) const {
  std::vector<std::string> out;
  if (!is_whole) out = std::move(command);
  const Values values = {{target_mark(act), deed.target}, {"arguments", deed.arguments.dump()}};
  for (const Words& some : words) {
    if (!some.is_for_each_argument) {
      for (const std::string& word : some.words) out.push_back(filled(word, values));
      continue;
    }
    for (const auto& [name, value] : deed.arguments.items()) {
      Values one = values;
      one.emplace_back("name", name);
      one.emplace_back("value", value.is_string() ? value.get<std::string>() : value.dump());
      for (const std::string& word : some.words) out.push_back(filled(word, one));
    }
  }
  return out;
}

std::optional<std::string> trouble_with_mark(Act act, std::string_view word,
                                             bool is_for_each_argument) {
  const std::vector<std::string_view> known = marks_of(act, is_for_each_argument);
  for (const std::string_view mark : marks_in(word)) {
    if (std::find(known.begin(), known.end(), mark) != known.end()) continue;
    std::string all;
    for (const std::string_view each : known) {
      all += fmt::format("{}{{{}}}", all.empty() ? "" : ", ", each);
    }
    return fmt::format("{{{}}} stands for nothing in {}; known: {}", mark, name(act), all);
  }
  return std::nullopt;
}

}  // namespace assay::harness
