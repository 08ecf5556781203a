#include "reference/client/faults/fields.h"

#include <algorithm>

#include "reference/wire/http_text.h"

namespace assay::client {

bool asks_for(const Json& body, std::string_view method) {
  return body.is_object() && body.value("method", Json()) == method;
}

std::string* field_in(transport::Headers& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
    return wire::equals_without_case(field.first, name);
  });
  return found == fields.end() ? nullptr : &found->second;
}

void take_field_out(transport::Headers& fields, std::string_view name) {
  std::erase_if(fields,
                [&](const auto& field) { return wire::equals_without_case(field.first, name); });
}

void overwrite_field(transport::Headers& fields, std::string_view name, std::string_view value) {
  if (std::string* field = field_in(fields, name)) *field = value;
}

}  // namespace assay::client
