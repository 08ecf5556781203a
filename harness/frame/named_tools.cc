#include "harness/frame/named_tools.h"

#include <fmt/format.h>

#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

std::string shown_name(const std::string& name) {
  return reports::printable_line(reports::cut(name, 80));
}

// The first few.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 12;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    out += (i == 0 ? "" : ", ") + shown_name(names[i]);
  }
  if (names.empty()) return "none";
  return names.size() > kMost ? out + ", ..." : out;
}

}  // namespace

void NamedTools::note(const std::vector<std::string>& unlisted,
                      const std::vector<std::string>& listed) {
  for (const std::string& name : unlisted) ++lacking_[name];
  if (servers_ > 1 || unlisted.empty()) return;
  std::vector<std::string> known = listed;
  for (const char* word : {"all", "none", "readonly", "safe"}) known.emplace_back(word);
  const std::string& name = unlisted.front();
  const std::string question = did_you_mean(name, known);
  throw UsageError(fmt::format("--tools: the server lists no tool '{}'{}", shown_name(name),
                               question.empty() ? "; it lists " + some_of(listed) : question));
}

std::string NamedTools::missing_everywhere() const {
  for (const auto& [name, servers] : lacking_) {
    if (servers < servers_) continue;
    return fmt::format("--tools: no server lists a tool '{}'", shown_name(name));
  }
  return "";
}

}  // namespace assay::cli
