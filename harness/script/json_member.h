// Reading JSON that a peer sent: what is not there, or of another type, is a value and no
// exception.
#pragma once

#include <string>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::harness {

// The member of that name; null if `object` is no object or has none.
inline const Json& member(const Json& object, std::string_view name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

// The text of a member that is a string; empty otherwise.
inline std::string_view text_member(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? std::string_view(value.get_ref<const std::string&>())
                           : std::string_view();
}

// The items of a member that is an array; an empty array otherwise.
inline const Json& array_member(const Json& object, std::string_view name) {
  static const Json kEmpty = Json::array();
  const Json& value = member(object, name);
  return value.is_array() ? value : kEmpty;
}

}  // namespace assay::harness
