#include "harness/transcript/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "reference/transport/observer.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// Of what would be a larger tree only the length is told.
constexpr std::size_t kMostTreeBytes = 48u << 20;
constexpr std::size_t kLongestWord = 64;

// Members whose texts are words of the protocol.
constexpr std::array<std::string_view, 13> kWords = {"protocolVersion",
                                                     "io.modelcontextprotocol/protocolVersion",
                                                     "type",
                                                     "role",
                                                     "mode",
                                                     "action",
                                                     "mimeType",
                                                     "level",
                                                     "status",
                                                     "version",
                                                     "resultType",
                                                     "cacheScope",
                                                     "stopReason"};
// Where a name is one that a peer has published, and not a user's.
constexpr std::array<std::string_view, 9> kNamed = {"tools",
                                                    "prompts",
                                                    "clientInfo",
                                                    "serverInfo",
                                                    "io.modelcontextprotocol/clientInfo",
                                                    "params",
                                                    "ref",
                                                    "argument",
                                                    "io.modelcontextprotocol/serverInfo"};
constexpr std::array<std::string_view, 3> kSchemas = {"inputSchema", "outputSchema",
                                                      "requestedSchema"};
// Members all of whose values are the user's.
constexpr std::array<std::string_view, 4> kOfUsers = {"arguments", "structuredContent", "data",
                                                      "inputResponses"};
// Of a schema: what is an example of a value, what has schemas by name, and what names something.
constexpr std::array<std::string_view, 6> kExamples = {"default",  "enum",    "const",
                                                       "examples", "example", "enumNames"};
constexpr std::array<std::string_view, 5> kSchemasByName = {
    "properties", "patternProperties", "$defs", "definitions", "dependentSchemas"};
constexpr std::array<std::string_view, 9> kNamesInSchemas = {
    "type",    "format",      "required",        "dependentRequired", "$ref",
    "$schema", "$dynamicRef", "contentEncoding", "contentMediaType"};
// Header fields of HTTP and of the protocol that say nothing of a user.
constexpr std::array<std::string_view, 12> kPlainFields = {"accept",
                                                           "allow",
                                                           "cache-control",
                                                           "connection",
                                                           "content-encoding",
                                                           "content-length",
                                                           "date",
                                                           "content-type",
                                                           "mcp-method",
                                                           "vary",
                                                           "mcp-protocol-version",
                                                           "transfer-encoding"};
constexpr std::array<std::string_view, 5> kPlainSegments = {"", "mcp", "sse", "message",
                                                            "messages"};

bool is_among(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_word(std::string_view text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./+$-").find(c) != std::string_view::npos;
  };
  return text.size() <= kLongestWord && std::all_of(text.begin(), text.end(), is_plain);
}

}  // namespace

std::string ValueRemover::length_of(std::string_view text) {
  return text.empty() ? "" : fmt::format("[{} bytes]", text.size());
}

std::string ValueRemover::without_values(const wire::Message& message) {
  if (message.held_bytes() > kMostTreeBytes || !message.json().is_structured()) {
    return length_of(message.bytes());
  }
  Json json = message.json();
  if (json.is_array()) {
    for (Json& member : json) take_message(member);
  } else {
    take_message(json);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ValueRemover::take_message(Json& message) {
  if (!message.is_object()) return take_all(message);
  for (auto& [key, value] : message.items()) {
    const bool is_word = (key == "jsonrpc" || key == "method") && value.is_string();
    if (is_word) {
      value = word(value.get_ref<const std::string&>());
    } else {
      take(value, key);
    }
  }
}

// `context`: the name of the member that the value is, or is in, but for arrays.
void ValueRemover::take(Json& value, std::string_view context) {
  if (value.is_string()) {
    value = label(value.get_ref<const std::string&>());
  } else if (value.is_array()) {
    for (Json& item : value) take(item, context);
  } else if (value.is_object()) {
    const bool is_answer = value.contains("action");
    for (auto& [key, item] : value.items()) take_member(key, item, context, is_answer);
  }
}

// `is_answer`: of a user who was asked for something.
void ValueRemover::take_member(const std::string& key, Json& value, std::string_view context,
                               bool is_answer) {
  const bool lists_names = key == "arguments" && context == "prompts";
  const bool is_of_user = is_among(kOfUsers, key) || (key == "content" && is_answer);
  const bool is_name = is_among(kWords, key) || (key == "name" && is_among(kNamed, context));
  if (is_among(kSchemas, key)) {
    take_schema(value);
  } else if (key == "capabilities" || (context == "_meta" && !is_name && !is_among(kNamed, key))) {
    take_texts(value);
  } else if (is_of_user && !lists_names) {
    take_all(value);
  } else if (is_name && value.is_string()) {
    value = word(value.get_ref<const std::string&>());
  } else {
    take(value, lists_names ? context : key);
  }
}

void ValueRemover::take_schema(Json& schema) {
  if (!schema.is_object()) return take_texts(schema);
  for (auto& [key, value] : schema.items()) {
    if (is_among(kExamples, key)) {
      take_all(value);
    } else if (is_among(kNamesInSchemas, key)) {
      continue;
    } else if (is_among(kSchemasByName, key) && value.is_object()) {
      for (Json& each : value) take_schema(each);
    } else if (value.is_array()) {
      for (Json& each : value) take_schema(each);
    } else {
      take_schema(value);
    }
  }
}

void ValueRemover::take_texts(Json& value) {
  if (value.is_structured()) {
    for (Json& item : value) take_texts(item);
  } else if (value.is_string()) {
    value = label(value.get_ref<const std::string&>());
  }
}

void ValueRemover::take_all(Json& value) {
  if (value.is_structured()) {
    for (Json& item : value) take_all(item);
  } else if (value.is_string()) {
    value = label(value.get_ref<const std::string&>());
  } else if (value.is_number()) {
    value = 0;
  } else if (value.is_boolean()) {
    value = false;
  }
}

std::string ValueRemover::word(std::string_view text) {
  return is_word(text) ? std::string(text) : label(text);
}

std::string ValueRemover::field(std::string_view name, std::string_view value) {
  return is_among(kPlainFields, transport::lower_case(name)) ? std::string(value) : label(value);
}

std::string ValueRemover::target(std::string_view text) {
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    text.remove_prefix(std::min(text.find('/', scheme + 3), text.size()));
  }
  const std::size_t query = std::min(text.find_first_of("?#"), text.size());
  std::string out;
  for (std::size_t at = 0; at <= query;) {
    const std::size_t end = std::min(text.find('/', at), query);
    const std::string_view segment = text.substr(at, end - at);
    out += is_among(kPlainSegments, segment) ? std::string(segment) : label(segment);
    if (end < query) out += '/';
    at = end + 1;
  }
  if (query < text.size()) out += text[query] + label(text.substr(query + 1));
  return out;
}

std::string ValueRemover::label(std::string_view text) {
  if (text.empty()) return "";
  const Text known(std::hash<std::string_view>{}(text), text.size());
  const bool is_full = labels_.size() >= kMostLabels && !labels_.contains(known);
  const std::size_t number =
      is_full ? 0 : labels_.try_emplace(known, labels_.size() + 1).first->second;
  return fmt::format("[text {}, {} bytes]", number, text.size());
}

}  // namespace assay::harness
