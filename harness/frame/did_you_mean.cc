#include "harness/frame/did_you_mean.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "reports/escape.h"

namespace assay::cli {
namespace {

// What is longer is no name that somebody typed.
constexpr std::size_t kLongestName = 200;
constexpr std::size_t kMostNames = 3;
// A start that names one thing is as good as the name; what is shorter resembles everything.
constexpr std::size_t kShortestStart = 3;

// How many slips a name of this length excuses.
std::size_t slips_in(std::string_view name) {
  return std::clamp<std::size_t>(name.size() / 4, 1, 3);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, changed});
      const bool is_swap = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swap) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

std::vector<std::string> nearest(std::string_view asked, const std::vector<std::string>& known) {
  std::vector<std::string> out;
  if (asked.size() < kShortestStart || asked.size() > kLongestName) return out;
  std::vector<std::pair<std::size_t, std::string_view>> found;
  for (const std::string& name : known) {
    if (name.size() > kLongestName) continue;
    const std::size_t far = edit_distance(asked, name);
    const bool is_start = asked.size() >= kShortestStart && name.starts_with(asked);
    if (far <= slips_in(asked)) {
      found.emplace_back(far, name);
    } else if (is_start) {
      found.emplace_back(kLongestName + far, name);
    }
  }
  std::sort(found.begin(), found.end());
  for (const auto& [far, name] : found) {
    if (out.size() < kMostNames) out.emplace_back(name);
  }
  return out;
}

std::string did_you_mean(std::string_view asked, const std::vector<std::string>& known) {
  std::string out;
  const std::vector<std::string> names = nearest(asked, known);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const char* before = i == 0 ? "; do you mean " : (i + 1 == names.size() ? " or " : ", ");
    out += fmt::format("{}'{}'", before, reports::printable_line(names[i]));
  }
  return out.empty() ? out : out + "?";
}

std::string did_you_mean_or(std::string_view asked, const std::vector<std::string>& known,
                            std::string_view where) {
  const std::string question = did_you_mean(asked, known);
  return question.empty() ? fmt::format("; {} shows the known ones", where) : question;
}

std::string meant_or_known(std::string_view asked, const std::vector<std::string>& known) {
  // More of them would bury the question.
  constexpr std::size_t kFew = 8;
  const std::string question = did_you_mean(asked, known);
  const std::string list =
      reports::printable_line(reports::cut(fmt::format("{}", fmt::join(known, ", ")), 4000));
  if (question.empty()) return "; known: " + list;
  return known.size() > kFew ? question : fmt::format("{} (known: {})", question, list);
}

std::string unknown_name(std::string_view what, std::string_view asked,
                         const std::vector<std::string>& known) {
  return fmt::format("unknown {} '{}'{}", what,
                     reports::printable_line(reports::cut(asked, kLongestName)),
                     meant_or_known(asked, known));
}

}  // namespace assay::cli
