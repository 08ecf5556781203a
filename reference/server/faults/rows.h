// What most faults do, as rows of a table: when, where in the message, and what.
//
//   .departure = sets<result_of<"tools/list">, "/result/tools/0/name", "">
//   .departure = erases<is_form, "/params/message">
//   .departure = drops<answer_to<"ping">>
//
// `when` is any function that looks at a Departure; those that only name a method are here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/server/faults/departure.h"

namespace assay::server {

// A text as an argument of a template.
template <std::size_t kSize>
struct Literal {
  constexpr Literal(const char (&text)[kSize]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(text, kSize, characters);
  }
  constexpr std::string_view text() const { return {characters, kSize - 1}; }

  char characters[kSize] = {};
};

// When.
template <Literal kMethod>
bool answer_to(const Departure& d) {
  return d.answers(kMethod.text());
}
template <Literal kMethod>
bool result_of(const Departure& d) {
  return d.is_result_of(kMethod.text());
}
template <Literal kMethod>
bool notification(const Departure& d) {
  return d.is_notification(kMethod.text());
}
template <Literal kMethod>
bool request(const Departure& d) {
  return d.is_request(kMethod.text());
}
template <std::int64_t kCode>
bool error_code(const Departure& d) {
  return d.has_error_code(kCode);
}
inline bool any_error(const Departure& d) {
  return d.is_error();
}

// What. A place is a JSON pointer into the message.
inline Json& place_in(Departure& d, std::string_view pointer) {
  return d.json()[Json::json_pointer(std::string(pointer))];
}

template <auto kWhen, Literal kPointer, Literal kText>
void sets(Departure& d) {
  if (kWhen(d)) place_in(d, kPointer.text()) = kText.text();
}
template <auto kWhen, Literal kPointer, auto kValue>
void sets(Departure& d) {
  if (kWhen(d)) place_in(d, kPointer.text()) = kValue;
}
template <auto kWhen, Literal kPointer>
void erases(Departure& d) {
  if (!kWhen(d)) return;
  const std::size_t last = kPointer.text().rfind('/');
  place_in(d, kPointer.text().substr(0, last)).erase(std::string(kPointer.text().substr(last + 1)));
}
template <auto kWhen>
void drops(Departure& d) {
  if (kWhen(d)) d.drop();
}
// Says something ahead of the message.
template <auto kWhen, Literal kMessage>
void precedes(Departure& d) {
  if (kWhen(d)) d.before(std::string(kMessage.text()));
}
template <auto kWhen, std::int64_t kCode>
void recodes(Departure& d) {
  if (kWhen(d)) d.set_error_code(kCode);
}

}  // namespace assay::server
