#include "reference/transport/request_headers.h"

#include <algorithm>
#include <charconv>

#include "reference/wire/http_text.h"

namespace assay::transport {
namespace {

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kEncodedPrefix = "=?base64?";
constexpr std::string_view kEncodedSuffix = "?=";

// The value of one digit of base64, or -1.
int digit_value(char digit) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t found = kDigits.find(digit);
  return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

// RFC 4648, section 4: with padding.
std::optional<std::string> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  unsigned int bits = 0;
  int count = 0;
  for (const char digit : text) {
    const int value = digit_value(digit);
    if (value < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<unsigned int>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xFFu);
  }
  return bytes;
}

// Visible ASCII, blank and tab: RFC 9110, section 5.5, without the obsolete rest.
bool is_plain_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 0x20 && c <= 0x7E) || c == '\t'; });
}

std::string quoted(std::string_view header, std::string_view value, std::string_view expected) {
  return std::string(header) + " says '" + std::string(value) + "' and the body '" +
         std::string(expected) + "'";
}

// The one value of a header; what is wrong where there are several.
struct Found {
  std::optional<std::string_view> value;
  std::optional<std::string> trouble;
};

Found find_one(const Headers& headers, std::string_view name) {
  Found found;
  for (const auto& [each, value] : headers) {
    if (!wire::equals_without_case(each, name)) continue;
    if (found.value) found.trouble = std::string(name) + " is there twice";
    found.value = value;
  }
  if (!found.value) found.trouble = std::string(name) + " is missing";
  return found;
}

// Numbers that differ in their text only are the same: `42.0` and `42`.
bool is_same_number(std::string_view text, const Json& number) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value == number.get<double>();
}

bool says(std::string_view text, const Json& value) {
  if (value.is_string()) return text == value.get_ref<const std::string&>();
  if (value.is_boolean()) return text == (value.get<bool>() ? "true" : "false");
  if (value.is_number()) return is_same_number(text, value);
  return false;
}

// Whether a header that may be encoded says the value that stands in the body.
std::optional<std::string> check_value(const Headers& headers, std::string_view name,
                                       const Json& value) {
  const Found found = find_one(headers, name);
  if (found.trouble) return found.trouble;
  const std::optional<std::string> text = decode_header_value(*found.value);
  if (!text) return std::string(name) + " cannot be decoded";
  if (says(*text, value)) return std::nullopt;
  return quoted(name, *found.value, value.is_string() ? value.get<std::string>() : value.dump());
}

const Json& body_member(const Json& object, const char* key) {
  static const Json kNone = nullptr;
  if (!object.is_object()) return kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}

// The member of the params that Mcp-Name mirrors; null for a method that it is not for.
const char* source_of_name(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  return method == "resources/read" ? "uri" : nullptr;
}

std::optional<std::string> check_parameters(const Headers& headers,
                                            const std::vector<MirroredParameter>& mirrored) {
  for (const MirroredParameter& parameter : mirrored) {
    if (!parameter.value.is_null()) {
      if (auto trouble = check_value(headers, parameter.header, parameter.value)) return trouble;
    } else if (find_header(headers, parameter.header)) {
      return parameter.header + " says what is not in the body";
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> version_in_body(const wire::Message& request) {
  if (!request.has_params()) return std::nullopt;
  const Json& version = body_member(body_member(request.params(), "_meta"), kVersionKey);
  if (!version.is_string()) return std::nullopt;
  return version.get<std::string>();
}

std::optional<std::string> decode_header_value(std::string_view value) {
  if (!is_plain_text(value)) return std::nullopt;
  const bool is_encoded = value.size() >= kEncodedPrefix.size() + kEncodedSuffix.size() &&
                          value.starts_with(kEncodedPrefix) && value.ends_with(kEncodedSuffix);
  if (!is_encoded) return std::string(value);
  value.remove_prefix(kEncodedPrefix.size());
  value.remove_suffix(kEncodedSuffix.size());
  return decode_base64(value);
}

std::optional<std::string> header_mismatch(const Headers& headers, const wire::Message& request,
                                           const std::vector<model::Revision>& spoken,
                                           const std::vector<MirroredParameter>& mirrored,
                                           const HttpConduct& conduct) {
  const Found version = find_one(headers, kProtocolVersionHeader);
  if (conduct.does(HttpDuty::kChecksVersionHeader)) {
    if (version.trouble) return version.trouble;
    const auto in_body = version_in_body(request);
    if (in_body && *in_body != *version.value) {
      return quoted(kProtocolVersionHeader, *version.value, *in_body);
    }
  }
  const auto named = model::Revision::parse(version.value.value_or(""));
  if (!named || std::find(spoken.begin(), spoken.end(), *named) == spoken.end()) {
    return std::nullopt;
  }
  if (conduct.does(HttpDuty::kChecksMethodHeader)) {
    const Found method = find_one(headers, kMethodHeader);
    if (method.trouble) return method.trouble;
    if (*method.value != request.method()) {
      return quoted(kMethodHeader, *method.value, request.method());
    }
  }
  const char* const source = source_of_name(request.method());
  if (source != nullptr && conduct.does(HttpDuty::kChecksNameHeader)) {
    const Json& name = body_member(request.params(), source);
    if (auto trouble = check_value(headers, kNameHeader, name)) return trouble;
  }
  if (!conduct.does(HttpDuty::kChecksParameterHeaders)) return std::nullopt;
  return check_parameters(headers, mirrored);
}

}  // namespace assay::transport
