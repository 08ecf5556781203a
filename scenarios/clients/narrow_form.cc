#include "scenarios/clients/narrow_form.h"

#include <cmath>
#include <string_view>

#include "harness/script/json_member.h"

namespace assay::scenarios {

using harness::member;

namespace {

// To JSON Schema 18.0 is an integer.
bool is_integer(const Json& value) {
  return value.is_number() && std::floor(value.get<double>()) == value.get<double>();
}

}  // namespace

Json narrow_schema() {
  return {{"type", "object"},
          {"properties",
           {{"age", {{"type", "integer"}, {"minimum", 18}, {"maximum", 20}}},
            {"colour", {{"type", "string"}, {"enum", {"red", "green"}}}},
            {"email", {{"type", "string"}, {"format", "email"}}},
            {"agreed", {{"type", "boolean"}}}}},
          {"required", {"age", "colour", "email", "agreed"}}};
}

std::string misfit_in(const Json& content) {
  const Json& age = member(content, "age");
  if (!is_integer(age) || age < Json(18) || age > Json(20)) return "/age";
  const Json& colour = member(content, "colour");
  if (colour != "red" && colour != "green") return "/colour";
  if (harness::text_member(content, "email").find('@') == std::string_view::npos) return "/email";
  return member(content, "agreed").is_boolean() ? "" : "/agreed";
}

}  // namespace assay::scenarios
