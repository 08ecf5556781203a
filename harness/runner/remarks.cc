#include "harness/runner/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/script/json_member.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

// "a, b and 4 more".
std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNames = 8;
  constexpr std::size_t kLongestShown = 60;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    text += (i > 0 ? ", " : "") + reports::printable_line(reports::cut(names[i], kLongestShown));
  }
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

}  // namespace

std::string words_on_tools(const Survey& survey, const ToolPolicy& policy) {
  std::vector<std::string> names;
  ToolPolicy untried = policy;
  // What was tried is known by now, and was allowed before.
  std::erase_if(untried.known.tools, [&](const KnownTool& tool) {
    const auto& tried = policy.known.tried;
    return std::find(tried.begin(), tried.end(), tool.name) != tried.end();
  });
  for (const Json& tool : survey.tools().items) {
    if (untried.allows_for_its_words(tool)) names.emplace_back(text_member(tool, "name"));
  }
  if (names.empty()) return "";
  return fmt::format("called because their names and descriptions say that they only read: {}",
                     first_few(names));
}

std::string words_on_exploration(const Profile& known, const ExplorerLimits& limits) {
  if (known.left_out.empty()) return "";
  return fmt::format(
      "{} of {} tools that may be called were not tried: finding out what they do may take {} s, "
      "and "
      "{} tools (--explore gives it more time): {}",
      known.left_out.size(), known.left_out.size() + known.tried.size(),
      limits.total.count() / 1000, limits.tools, first_few(known.left_out));
}

}  // namespace assay::harness
