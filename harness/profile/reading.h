// What the readers of the parts of a profile share. Nobody but this room includes this.
#pragma once

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/escape.h"
#include "reports/yaml.h"

namespace assay::harness {

// Of what a mistake quotes from the file.
inline constexpr std::size_t kMaxQuoted = 60;

inline int line_of(const YAML::Node& node) {
  return node.Mark().line + 1;
}

using reports::BadYaml;
using reports::fail_at;

inline std::string in_quotes(std::string_view text) {
  return fmt::format("'{}'", reports::printable_line(reports::cut(text, kMaxQuoted)));
}

inline std::string join(std::initializer_list<std::string_view> words) {
  std::string all;
  for (const std::string_view word : words) {
    all += fmt::format("{}{}", all.empty() ? "" : ", ", word);
  }
  return all;
}

inline std::string text(const YAML::Node& node, std::string_view what) {
  if (!node.IsScalar() || node.Scalar().empty())
    fail_at(node, fmt::format("{} must be a text", what));
  return node.Scalar();
}

// One text or a list of them.
inline std::vector<std::string> texts(const YAML::Node& node, std::string_view what) {
  if (!node.IsSequence()) return {text(node, what)};
  std::vector<std::string> all;
  for (const YAML::Node& item : node) all.push_back(text(item, what));
  return all;
}

// Calls `visit(key, key node, value node)` for each member; a key that comes twice is a mistake.
template <typename Visit>
void each_member(const YAML::Node& node, std::string_view what, const Visit& visit) {
  if (!node.IsMap()) fail_at(node, fmt::format("{} must have members, as in 'key: value'", what));
  std::set<std::string> seen;
  for (const auto& pair : node) {
    const std::string key = text(pair.first, "a key");
    if (!seen.insert(key).second)
      fail_at(pair.first, fmt::format("{} comes twice", in_quotes(key)));
    visit(key, pair.first, pair.second);
  }
}

[[noreturn]] inline void unknown_key(const YAML::Node& node, std::string_view key,
                                     std::initializer_list<std::string_view> known) {
  fail_at(node, fmt::format("unknown key {}; known: {}", in_quotes(key), join(known)));
}

}  // namespace assay::harness
