// What a server asks for that lets nobody in unknown: the field WWW-Authenticate.
//
// RFC 9110, section 11; specification: basic/authorization, "Protected Resource Metadata Discovery
// Requirements" and "Scope Challenge Handling".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::wire {

struct Challenge {
  std::string scheme;  // as it was written; schemes are compared without case
  // Names in lower case, values without their quotes, in the order they came in.
  std::vector<std::pair<std::string, std::string>> parameters;

  bool is_of(std::string_view other_scheme) const;
  // The first parameter of that name, in lower case.
  std::optional<std::string> parameter(std::string_view name) const;
};

// The challenges of one field; what cannot be read ends the list there, so that nothing is guessed.
std::vector<Challenge> read_challenges(std::string_view field);

// Whether the field cannot be read any further within a challenge of that scheme, for what is no
// parameter: one without quotes that needs them, or behind something else than a comma.
bool breaks_off_in(std::string_view field, std::string_view scheme);

// "Bearer realm=\"mcp\", scope=\"a b\"": as read_challenges() reads it again. Values are quoted.
std::string write_challenge(const Challenge& challenge);

}  // namespace assay::wire
