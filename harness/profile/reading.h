// What the readers of the parts of a profile share. Only this room includes this.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "reports/yaml.h"

namespace assay::harness {

// Of what a mistake quotes from the file.
inline constexpr std::size_t kMaxQuoted = 60;

using reports::BadYaml;
using reports::fail_at;

int line_of(const YAML::Node& node);
std::string in_quotes(std::string_view text);
std::string text(const YAML::Node& node, std::string_view what);
// One text or a list of them.
std::vector<std::string> texts(const YAML::Node& node, std::string_view what);

// Calls `visit` for each member, with its key as text and as a node; a key that comes twice is a
// mistake.
using VisitMember = std::function<void(const std::string& key, const YAML::Node& key_node,
                                       const YAML::Node& value)>;
void each_member(const YAML::Node& node, std::string_view what, const VisitMember& visit);
[[noreturn]] void unknown_key(const YAML::Node& node, std::string_view key,
                              std::initializer_list<std::string_view> known);

}  // namespace assay::harness
