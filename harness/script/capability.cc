#include "harness/script/capability.h"

#include <string>

namespace assay::harness {

bool declares(const Json& side, std::string_view path) {
  const Json* at =
      side.is_object() && side.contains("capabilities") ? &side["capabilities"] : nullptr;
  while (at != nullptr && !path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string key(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    if (!at->is_object() || !at->contains(key)) return false;
    at = &(*at)[key];
  }
  return at != nullptr && !at->is_null() && !(at->is_boolean() && !at->get<bool>());
}

}  // namespace assay::harness
