#include "harness/script/capability.h"

#include <string>

namespace assay::harness {

bool declares(const Json& side, std::string_view path) {
  return side.is_object() && side.contains("capabilities") &&
         declares_in(side["capabilities"], path);
}

bool declares_in(const Json& capabilities, std::string_view path) {
  const Json* at = &capabilities;
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string key(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    if (!at->is_object() || !at->contains(key)) return false;
    at = &(*at)[key];
  }
  return !at->is_null() && !(at->is_boolean() && !at->get<bool>());
}

}  // namespace assay::harness
