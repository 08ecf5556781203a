#include "harness/transcript/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::harness {
namespace {

// Members whose texts are words of the protocol, or names that a peer has published.
constexpr std::array<std::string_view, 14> kWords = {
    "protocolVersion", "type", "role",    "mode",       "action",     "mimeType", "level",
    "status",          "name", "version", "resultType", "cacheScope", "code",     "stopReason"};
// Members that are kept as they are.
constexpr std::array<std::string_view, 5> kPublished = {"capabilities", "inputSchema",
                                                        "outputSchema", "requestedSchema",
                                                        "io.modelcontextprotocol/protocolVersion"};
// Members all of whose values are the user's.
constexpr std::array<std::string_view, 4> kOfUsers = {"arguments", "structuredContent", "data",
                                                      "inputResponses"};

bool is_among(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string ValueRemover::without_values(std::string_view text) {
  if (text.empty()) return "";
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_structured()) return fmt::format("[{} bytes]", text.size());
  if (json.is_array()) {
    for (Json& message : json) take_message(message);
  } else {
    take_message(json);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void ValueRemover::take_message(Json& message) {
  if (!message.is_object()) return take_all(message);
  for (auto& [key, value] : message.items()) {
    const bool is_envelope = key == "jsonrpc" || key == "id" || key == "method";
    if (!is_envelope || value.is_structured()) take(value);
  }
}

void ValueRemover::take(Json& value) {
  if (value.is_string()) {
    value = label(value.get_ref<const std::string&>());
  } else if (value.is_array()) {
    for (Json& item : value) take(item);
  } else if (value.is_object()) {
    for (auto& [key, item] : value.items()) {
      if (is_among(kOfUsers, key)) {
        take_all(item);
      } else if (!is_among(kPublished, key) && !(is_among(kWords, key) && item.is_string())) {
        take(item);
      }
    }
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

std::string ValueRemover::label(const std::string& text) {
  if (text.empty()) return text;
  const bool is_full = labels_.size() >= kMostLabels && !labels_.contains(text);
  const std::size_t number =
      is_full ? 0 : labels_.try_emplace(text, labels_.size() + 1).first->second;
  return fmt::format("[text {}, {} bytes]", number, text.size());
}

}  // namespace assay::harness
