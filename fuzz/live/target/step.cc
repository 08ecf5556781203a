#include "fuzz/live/target/step.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "reference/wire/base64.h"

namespace assay::fuzz {
namespace {

template <typename Enum>
using Words = std::array<std::pair<Enum, std::string_view>, 3>;

constexpr Words<Step::Kind> kStepKinds = {
    {{Step::Kind::kBytes, "bytes"}, {Step::Kind::kHttp, "http"}, {Step::Kind::kSocket, "socket"}}};
constexpr Words<Step::End> kEnds = {{{Step::End::kRead, "read"},
                                     {Step::End::kHalfClose, "half-close"},
                                     {Step::End::kAbandon, "abandon"}}};

template <typename Enum>
std::string_view word(const Words<Enum>& words, Enum value) {
  return std::find_if(words.begin(), words.end(), [&](const auto& w) { return w.first == value; })
      ->second;
}

template <typename Enum>
std::optional<Enum> parse_word(const Words<Enum>& words, const Json& json) {
  if (!json.is_string()) return std::nullopt;
  for (const auto& [value, text] : words) {
    if (json.get_ref<const std::string&>() == text) return value;
  }
  return std::nullopt;
}

bool is_utf8(const std::string& bytes) {
  try {
    (void)Json(bytes).dump();
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

Json to_json(const Step& step) {
  Json out = Json::object();
  if (is_utf8(step.bytes)) {
    out["bytes"] = step.bytes;
  } else {
    out["base64"] = wire::encode_base64(step.bytes);
  }
  if (step.waits) out["waits"] = true;
  if (step.overlaps) out["overlaps"] = true;
  if (step.session != 0) out["session"] = step.session;
  if (step.kind == Step::Kind::kBytes) {
    if (step.end == Step::End::kHalfClose) out["end"] = word(kEnds, step.end);
    return out;
  }
  out["kind"] = word(kStepKinds, step.kind);
  out["end"] = word(kEnds, step.end);
  if (step.kind == Step::Kind::kSocket) return out;
  out["method"] = step.method;
  Json& headers = out["headers"] = Json::array();
  for (const auto& [name, value] : step.headers) headers.push_back({name, value});
  return out;
}

// Fills `step`; returns what is wrong.
std::optional<std::string> read_bytes(const Json& json, Step& step) {
  if (const auto text = json.find("bytes"); text != json.end()) {
    if (!text->is_string()) return "'bytes' is no string";
    step.bytes = text->get<std::string>();
    return std::nullopt;
  }
  const auto coded = json.find("base64");
  if (coded == json.end()) return "there are neither 'bytes' nor 'base64'";
  const auto bytes =
      coded->is_string() ? wire::decode_base64(coded->get_ref<const std::string&>()) : std::nullopt;
  if (!bytes) return "'base64' is no base64";
  step.bytes = *bytes;
  return std::nullopt;
}

std::optional<std::string> read_http(const Json& json, Step& step) {
  const auto kind = parse_word(kStepKinds, json.value("kind", Json("bytes")));
  const auto end = parse_word(kEnds, json.value("end", Json("read")));
  if (!kind || !end) return "an unknown 'kind' or 'end'";
  step.kind = *kind;
  step.end = *end;
  const Json method = json.value("method", Json("POST"));
  const Json headers = json.value("headers", Json::array());
  if (!method.is_string() || !headers.is_array()) return "'method' or 'headers' is of a wrong type";
  step.method = method.get<std::string>();
  for (const Json& header : headers) {
    if (!header.is_array() || header.size() != 2 || !header[0].is_string() ||
        !header[1].is_string()) {
      return "a header is no pair of strings";
    }
    step.headers.emplace_back(header[0].get<std::string>(), header[1].get<std::string>());
  }
  return std::nullopt;
}

std::optional<std::string> read_step(const Json& json, Step& step) {
  if (json.is_discarded() || !json.is_object()) return "no JSON object";
  if (auto trouble = read_bytes(json, step)) return trouble;
  const Json waits = json.value("waits", Json(false));
  const Json overlaps = json.value("overlaps", Json(false));
  const Json session = json.value("session", Json(0));
  if (!waits.is_boolean() || !overlaps.is_boolean()) {
    return "'waits' or 'overlaps' is neither true nor false";
  }
  if (session != 0 && session != 1) return "'session' is neither 0 nor 1";
  step.waits = waits.get<bool>();
  step.overlaps = overlaps.get<bool>();
  step.session = session.get<int>();
  return read_http(json, step);
}

// Replaces every occurrence of one number by another.
void rename(std::string& text, const std::string& old, const std::string& fresh) {
  for (std::size_t at = text.find(old); at != std::string::npos;
       at = text.find(old, at + fresh.size())) {
    text.replace(at, old.size(), fresh);
  }
}

}  // namespace

std::size_t bytes_of(const Case& made) {
  std::size_t bytes = sizeof(Case) + made.origin.size() + made.ids.size() * sizeof made.ids[0];
  for (const Step& step : made.steps) bytes += step.bytes.size() + sizeof(Step);
  return bytes;
}

void renumber(Case& made, std::uint64_t& last) {
  for (std::uint64_t& id : made.ids) {
    const std::string old = std::to_string(id);
    id = ++last;
    for (Step& step : made.steps) rename(step.bytes, old, std::to_string(id));
  }
}

std::string to_jsonl(const Steps& steps) {
  std::string text;
  for (const Step& step : steps) {
    text += to_json(step).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

std::variant<Steps, std::string> from_jsonl(std::string_view text) {
  if (text.size() > kMaxInputBytes)
    return std::string("it is too large to be an input of the fuzzer");
  Steps steps;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (line.empty()) continue;
    Step step;
    if (auto trouble = read_step(Json::parse(line, nullptr, false), step)) {
      return fmt::format("line {}: {}", number, *trouble);
    }
    steps.push_back(std::move(step));
    if (steps.size() > kMaxInputSteps) return std::string("it has too many steps");
  }
  if (steps.empty()) return std::string("it holds no step");
  return steps;
}

Step with_own_id(Step step, std::size_t number) {
  Json whole = Json::parse(step.bytes, nullptr, false);
  if (!whole.is_object() || !whole.contains("id")) return step;
  whole["id"] = number + 1;
  step.bytes = whole.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  return step;
}

std::size_t count_messages(const Steps& steps, bool is_http) {
  if (is_http) return steps.size();
  std::size_t count = 0;
  bool is_in_line = false;
  for (const Step& step : steps) {
    for (const char c : step.bytes) {
      if (c == '\n') {
        is_in_line = false;
      } else if (!is_in_line) {
        is_in_line = true;
        ++count;
      }
    }
  }
  return count;
}

}  // namespace assay::fuzz
