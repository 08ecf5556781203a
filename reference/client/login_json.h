// What a client reads in the documents of others.
#pragma once

#include <string>

#include "reference/wire/json.h"

namespace assay::client {

// The text of that member; empty where there is none.
inline std::string text_in(const Json& object, const char* name) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && found->is_string()
             ? found->get<std::string>()
             : "";
}

inline bool says_yes(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && *found == true;
}

}  // namespace assay::client
