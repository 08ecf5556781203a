#include "reference/transport/request_headers.h"

#include <algorithm>
#include <charconv>

#include "reference/transport/header_value.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"

namespace assay::transport {
namespace {

constexpr const char* kVersionKey = "io.modelcontextprotocol/protocolVersion";

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
