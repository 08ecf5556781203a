// The form of the keys of `_meta`, which identifiers of extensions have too.
//
// Specification: basic, "_meta" (from 2025-06-18); of 2026-07-28 also basic/versioning, "Extension
// Negotiation".
#pragma once

#include <string_view>
#include <vector>

namespace assay::harness {

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline bool is_alphanumeric(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

// The name of a key: behind its prefix, if it has one.
inline bool is_name(std::string_view name) {
  if (name.empty()) return true;
  for (const char c : name) {
    if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return is_alphanumeric(name.front()) && is_alphanumeric(name.back());
}

// One label of a prefix.
inline bool is_label(std::string_view label) {
  if (label.empty() || !is_letter(label.front()) || !is_alphanumeric(label.back())) return false;
  for (const char c : label) {
    if (!is_alphanumeric(c) && c != '-') return false;
  }
  return true;
}

inline std::vector<std::string_view> labels_of(std::string_view prefix) {
  std::vector<std::string_view> labels;
  while (true) {
    const std::size_t dot = prefix.find('.');
    labels.push_back(prefix.substr(0, dot));
    if (dot == std::string_view::npos) return labels;
    prefix = prefix.substr(dot + 1);
  }
}

}  // namespace assay::harness
