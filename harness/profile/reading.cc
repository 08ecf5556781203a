#include "harness/profile/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <set>

#include "reports/escape.h"

namespace assay::harness {

int line_of(const YAML::Node& node) {
  return node.Mark().line + 1;
}

std::string in_quotes(std::string_view text) {
  return fmt::format("'{}'", reports::printable_line(reports::cut(text, kMaxQuoted)));
}

std::string text(const YAML::Node& node, std::string_view what) {
  if (!node.IsScalar() || node.Scalar().empty())
    fail_at(node, fmt::format("{} must be a text", what));
  return node.Scalar();
}

std::vector<std::string> texts(const YAML::Node& node, std::string_view what) {
  if (!node.IsSequence()) return {text(node, what)};
  std::vector<std::string> all;
  for (const YAML::Node& item : node) all.push_back(text(item, what));
  return all;
}

void each_member(const YAML::Node& node, std::string_view what, const VisitMember& visit) {
  if (!node.IsMap()) fail_at(node, fmt::format("{} must have members, as in 'key: value'", what));
  std::set<std::string> seen;
  for (const auto& pair : node) {
    const std::string key = text(pair.first, "a key");
    if (!seen.insert(key).second)
      fail_at(pair.first, fmt::format("{} comes twice", in_quotes(key)));
    visit(key, pair.first, pair.second);
  }
}

void unknown_key(const YAML::Node& node, std::string_view key,
                 std::initializer_list<std::string_view> known) {
  fail_at(node, fmt::format("unknown key {}; known: {}", in_quotes(key), fmt::join(known, ", ")));
}

}  // namespace assay::harness
