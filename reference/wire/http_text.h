// The lexical pieces that HTTP is made of: RFC 9110, section 5.6.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace assay::wire {

// Whether `text` is a token, as methods and field names are; an empty one is not.
bool is_token(std::string_view text);
// Whether a field can have the value `text`: no line ends in it, and no NUL.
bool is_field_value(std::string_view text);
// Whether a request can have the target `text`: nothing in it ends the target or its line.
bool is_request_target(std::string_view text);
// A number that is nothing but digits of that base; nothing if it is none, or beyond 64 bits.
std::optional<std::uint64_t> read_number(std::string_view digits, int base);
// Without the blanks and tabs around it.
std::string_view trim_blanks(std::string_view text);
// Whether the two differ in the case of A to Z at most.
bool equals_without_case(std::string_view a, std::string_view b);
// Whether one of the members of a list ("keep-alive, close") is `token`, in any case.
bool lists_token(std::string_view list, std::string_view token);

}  // namespace assay::wire
