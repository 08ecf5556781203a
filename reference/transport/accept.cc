#include "reference/transport/accept.h"

#include <algorithm>

#include "reference/wire/http_text.h"

namespace assay::transport {

namespace {

bool covers(std::string_view range, std::string_view type) {
  if (wire::equals_without_case(range, type) || range == "*/*") return true;
  if (!range.ends_with("/*")) return false;
  const std::string_view main_type = range.substr(0, range.size() - 1);
  return wire::equals_without_case(type.substr(0, main_type.size()), main_type);
}

// Calls `see` with each range of types that a request accepts. False if it names none, not even
// with an empty field.
template <typename See>
bool see_ranges(const Headers& headers, const See& see) {
  bool has_header = false;
  for (const auto& [name, value] : headers) {
    if (!wire::equals_without_case(name, "accept")) continue;
    has_header = true;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view part = rest.substr(0, comma);
      see(wire::trim_blanks(part.substr(0, part.find(';'))));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return has_header;
}

}  // namespace

bool accepts(const Headers& headers, std::string_view type) {
  bool is_covered = false;
  const bool has_header = see_ranges(
      headers, [&](std::string_view range) { is_covered = is_covered || covers(range, type); });
  return is_covered || !has_header;
}

Acceptance acceptance_of(const Headers& headers) {
  Acceptance takes;
  const bool has_header = see_ranges(headers, [&](std::string_view range) {
    takes.json = takes.json || covers(range, "application/json");
    takes.events = takes.events || covers(range, "text/event-stream");
  });
  return has_header ? takes : Acceptance{true, true};
}

}  // namespace assay::transport
