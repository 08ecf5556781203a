// Bugs in what handlers make of the values that they are given: arguments, addresses and cursors.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "reference/server/bugs/bug.h"
#include "reference/wire/base64.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using wire::Decoded;
using wire::Message;
using wire::MessageKind;

using IsBad = bool (*)(const Json& value);

const Message* asked(const Decoded& arrived, std::string_view method) {
  const auto* message = std::get_if<Message>(&arrived);
  const bool is_asked = message != nullptr && message->kind() == MessageKind::kRequest &&
                        message->method() == method && message->has_params() &&
                        message->params().is_object();
  return is_asked ? message : nullptr;
}

int count_bad(const Json& value, IsBad is_bad) {
  int count = is_bad(value) ? 1 : 0;
  if (!value.is_structured()) return count;
  for (const Json& member : value) count += count_bad(member, is_bad);
  return count;
}

// How many values among a tool's or a prompt's arguments are bad.
int bad_values(const Decoded& arrived, IsBad is_bad) {
  for (const char* method : {"tools/call", "prompts/get"}) {
    const Message* message = asked(arrived, method);
    if (message == nullptr) continue;
    const auto arguments = message->params().find("arguments");
    if (arguments != message->params().end() && arguments->is_object()) {
      return count_bad(*arguments, is_bad);
    }
  }
  return 0;
}

bool holds(const Json& value, std::string_view text) {
  return value.is_string() && value.get_ref<const std::string&>().find(text) != std::string::npos;
}

// Takes "{{2*3}}" in an argument for a part of its own template.
bool compute_template(BugState&, const Decoded& arrived, transport::Sink& sink) {
  const Message* call = asked(arrived, "tools/call");
  if (call == nullptr) return false;
  const std::string text = wire::encode(call->params());
  const std::size_t at = text.find("{{");
  if (at == std::string::npos) return false;
  char* end = nullptr;
  const std::uint64_t left = std::strtoull(text.c_str() + at + 2, &end, 10);
  if (*end != '*') return false;
  const std::uint64_t right = std::strtoull(end + 1, &end, 10);
  if (std::string_view(end).substr(0, 2) != "}}") return false;
  const Json block = {{"type", "text"}, {"text", "Hello " + std::to_string(left * right)}};
  sink.send({transport::Outgoing::Kind::kResponse,
             wire::encode_result(*call->id(), {{"content", Json::array({block})}})});
  return true;
}

[[noreturn]] void end_at_once() {
  std::abort();
}

[[noreturn]] void work_for_ever() {
  while (true) ::pause();
}

template <bool (*is_bad)(const Json&)>
bool crash_on_argument(BugState&, const Decoded& arrived, transport::Sink&) {
  if (bad_values(arrived, is_bad) > 0) end_at_once();
  return false;
}

bool is_beyond_64_bits(const Json& value) {
  return value.is_number_unsigned() &&
         value.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

bool is_array_in_array(const Json& value) {
  return value.is_array() && !value.empty() && value[0].is_array();
}

bool is_deep_text(const Json& value) {
  return holds(value, "((((((((((((((((((((((((((((((((");
}

bool is_no_date(const Json& value) {
  return holds(value, "-02-30");
}

bool is_format(const Json& value) {
  return holds(value, "%s%n");
}

bool grows_in_upper_case(const Json& value) {
  return holds(value, "\xC3\x9F");
}

bool is_null_value(const Json& value) {
  return value.is_null();
}

// What takes exponential time for a pattern such as (a+)+$.
bool is_slow_to_match(const Json& value) {
  return holds(value, "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!");
}

bool slow_pattern(BugState&, const Decoded& arrived, transport::Sink&) {
  if (bad_values(arrived, is_slow_to_match) > 0) work_for_ever();
  return false;
}

bool two_nulls(BugState&, const Decoded& arrived, transport::Sink&) {
  if (bad_values(arrived, is_null_value) > 1) end_at_once();
  return false;
}

bool bad_percent(BugState&, const Decoded& arrived, transport::Sink&) {
  const Message* message = asked(arrived, "resources/read");
  if (message != nullptr && holds(message->params().value("uri", Json()), "%z")) end_at_once();
  return false;
}

bool empty_completion(BugState&, const Decoded& arrived, transport::Sink&) {
  const Message* message = asked(arrived, "completion/complete");
  if (message == nullptr) return false;
  const Json argument = message->params().value("argument", Json());
  if (argument.is_object() && argument.value("value", Json()) == "") end_at_once();
  return false;
}

// The offset that a cursor names; null if it names none.
Json offset_in_json(const std::string& cursor) {
  const Json place = Json::parse(cursor, nullptr, false);
  return place.is_object() ? place.value("offset", Json()) : Json();
}

Json offset_in_digits(const std::string& cursor) {
  const Json place = Json::parse(cursor, nullptr, false);
  return place.is_number() ? place : Json();
}

Json offset_in_base64(const std::string& cursor) {
  const auto text = wire::decode_base64(cursor);
  return text ? offset_in_json(*text) : Json();
}

bool is_beyond_32_bits(const Json& value) {
  return value.is_number_integer() &&
         value.get<double>() > double{std::numeric_limits<std::int32_t>::max()};
}

// Its cursors name a place in the list, and it trusts them.
template <Json (*offset_in)(const std::string&), IsBad is_bad>
bool trusted_cursor(BugState&, const Decoded& arrived, transport::Sink& sink) {
  const Message* message = asked(arrived, "tools/list");
  const Json cursor = message == nullptr ? Json() : message->params().value("cursor", Json());
  if (!cursor.is_string()) return false;
  const Json offset = offset_in(cursor.get_ref<const std::string&>());
  if (offset.is_null()) return false;
  if (is_bad(offset)) end_at_once();
  sink.send({transport::Outgoing::Kind::kResponse,
             wire::encode_result(*message->id(), {{"tools", Json::array()}})});
  return true;
}

void name_place(Departure& departure, const std::string& cursor) {
  if (departure.is_result_of("tools/list")) departure.json()["result"]["nextCursor"] = cursor;
}

constexpr const char* kNextPlace = R"({"offset":50})";

// What a tool says of its failure.
void show_failure(BugState&, Departure& departure, int) {
  if (!departure.is_result_of("tools/call")) return;
  Json& result = departure.result();
  if (!result.is_object() || result.value("isError", Json()) != true) return;
  result["content"] = Json::array(
      {{{"type", "text"},
        {"text",
         "Traceback (most recent call last):\n  File \"/srv/reference/tools.py\", line 10"}}});
}

void show_where(BugState&, Departure& departure, int) {
  if (!departure.is_error_of("tools/call", wire::kInvalidParams)) return;
  Json& message = departure.json()["error"]["message"];
  message = message.get<std::string>() + "\n    at validate (/srv/reference/tools.js:10:5)";
}

}  // namespace

std::vector<Bug> argument_bugs() {
  return {
      {.id = "crash-argument-overflow",
       .description = "Crashes on an argument beyond 63 bits",
       .shows_as = "crash",
       .arrival = crash_on_argument<is_beyond_64_bits>},
      {.id = "crash-argument-array",
       .description = "Crashes on an argument that is an array of arrays",
       .shows_as = "crash",
       .arrival = crash_on_argument<is_array_in_array>},
      {.id = "crash-argument-deep-text",
       .description = "Crashes on an argument whose text has many open parentheses",
       .shows_as = "crash",
       .arrival = crash_on_argument<is_deep_text>},
      {.id = "crash-argument-date",
       .description = "Crashes on the 30th of February",
       .shows_as = "crash",
       .arrival = crash_on_argument<is_no_date>},
      {.id = "crash-argument-format",
       .description = "Takes an argument for a format and crashes",
       .shows_as = "crash",
       .arrival = crash_on_argument<is_format>},
      {.id = "crash-argument-upper-case",
       .description = "Crashes on an argument that is longer in upper case",
       .shows_as = "crash",
       .arrival = crash_on_argument<grows_in_upper_case>},
      {.id = "crash-two-nulls",
       .description = "Crashes where two arguments are null at once",
       .shows_as = "crash",
       .arrival = two_nulls},
      {.id = "crash-uri-percent",
       .description = "Crashes on a URI with a percent sign and no number after it",
       .shows_as = "crash",
       .arrival = bad_percent},
      {.id = "crash-empty-completion",
       .description = "Crashes on the completion of nothing",
       .shows_as = "crash",
       .arrival = empty_completion},
      {.id = "crash-trusted-cursor",
       .description = "Names a place in its cursors, and crashes where that is changed",
       .shows_as = "crash",
       .arrival = trusted_cursor<offset_in_json, is_beyond_64_bits>,
       .departure = [](BugState&, Departure& d, int) { name_place(d, kNextPlace); }},
      {.id = "crash-decimal-cursor",
       .description = "Counts in its cursors, and crashes on a count beyond 31 bits",
       .shows_as = "crash",
       .arrival = trusted_cursor<offset_in_digits, is_beyond_32_bits>,
       .departure = [](BugState&, Departure& d, int) { name_place(d, "50"); }},
      {.id = "crash-coded-cursor",
       .description = "Codes a place in its cursors, and crashes where that is beyond 63 bits",
       .shows_as = "crash",
       .arrival = trusted_cursor<offset_in_base64, is_beyond_64_bits>,
       .departure = [](BugState&, Departure& d,
                       int) { name_place(d, wire::encode_base64(kNextPlace)); }},
      {.id = "hang-slow-pattern",
       .description = "Holds an argument against a pattern that takes for ever",
       .shows_as = "hang",
       .arrival = slow_pattern},
      {.id = "trace-bad-arguments",
       .description = "Tells where in its code it refused a tool's arguments",
       .shows_as = "trace",
       .departure = show_where},
      {.id = "trace-in-result",
       .description = "Tells where in its code a tool failed, in the tool's result",
       .shows_as = "trace",
       .departure = show_failure},
      {.id = "computes-template",
       .description = "Computes a product between double braces in an argument of a tool",
       .shows_as = "injection",
       .arrival = compute_template},
  };
}

}  // namespace assay::server
