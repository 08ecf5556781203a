#include "harness/project/jsonc.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "reports/escape.h"
#include "reports/json.h"

namespace assay::cli {
namespace {

using nlohmann::ordered_json;

// Blanks out comments and trailing commas, so that every other byte stays where it is.
std::string blanked(std::string_view text) {
  std::string out(text);
  std::size_t comma = std::string::npos;  // the last one, with nothing but space behind it
  const auto blank = [&out](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      comma = std::string::npos;
    } else if (text.substr(at).starts_with("//")) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      blank(at, end);
      at = end - 1;
    } else if (text.substr(at).starts_with("/*")) {
      const std::size_t close = text.find("*/", at + 2);
      if (close == std::string_view::npos) return out;  // the parser finds it, at its place
      blank(at, close + 2);
      at = close + 1;
    } else if (c == ',') {
      comma = at;
    } else if ((c == '}' || c == ']') && comma != std::string::npos) {
      out[comma] = ' ';
      comma = std::string::npos;
    } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
      comma = std::string::npos;
    }
  }
  return out;
}

}  // namespace

std::variant<ordered_json, std::string> parse_jsonc(std::string_view text) {
  std::vector<std::set<std::string>> names;
  std::string twice;
  const auto watch = [&](int, ordered_json::parse_event_t event, ordered_json& value) {
    using Event = ordered_json::parse_event_t;
    if (event == Event::object_start) names.emplace_back();
    if (event == Event::object_end) names.pop_back();
    if (event == Event::key && !names.back().insert(value.get<std::string>()).second &&
        twice.empty()) {
      twice = value.get<std::string>();
    }
    return true;
  };
  try {
    ordered_json value = ordered_json::parse(blanked(text), watch);
    if (twice.empty()) return value;
  } catch (const ordered_json::parse_error& error) {
    return reports::why_not_json(error.what());
  }
  return fmt::format("'{}' occurs twice", reports::printable_line(reports::cut(twice, 80)));
}

}  // namespace assay::cli
