#include "fuzz/live/target/era.h"

#include <utility>

#include "fuzz/live/target/text.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {

std::string_view fence_method(const Vocabulary& words) {
  return words.revision.has_ping() ? "ping" : "server/discover";
}

Json with_request_meta(const Vocabulary& words, Json request) {
  if (words.revision.has_sessions() || !request.is_object()) return request;
  Json& params = request["params"];
  if (params.is_null()) params = Json::object();
  if (!params.is_object()) return request;
  Json& meta = params["_meta"];
  if (meta.is_null()) meta = Json::object();
  if (!meta.is_object()) return request;
  for (const auto& [key, value] : words.request_meta.items()) {
    if (!meta.contains(key)) meta[key] = value;
  }
  return request;
}

std::string fence_text(const Vocabulary& words, const wire::Id& id) {
  return wire::encode(with_request_meta(words, wire::make_request(id, fence_method(words))));
}

std::string opening_text(const Vocabulary& words, const wire::Id& id) {
  if (!words.revision.has_handshake()) return fence_text(words, id);
  return wire::encode(wire::make_request(id, "initialize", words.initialize_params));
}

std::string version_of(const wire::Message& request) {
  if (!request.has_params() || !request.params().is_object()) return "";
  const auto meta = request.params().find("_meta");
  return meta == request.params().end() ? "" : text_member(*meta, kVersionInMeta);
}

transport::Headers repeated_fields(const Vocabulary& words, std::string_view body) {
  if (!words.revision.has_mirrored_headers()) return {};
  const wire::Decoded decoded = wire::decode(body);
  const auto* message = std::get_if<wire::Message>(&decoded);
  transport::Headers fields;
  if (message != nullptr && message->json().is_object()) {
    fields = harness::mirrored_headers(message->json(), words.mirrored);
  }
  // What names no version in its body has to name one here, and so does what is no message.
  if (!transport::find_header(fields, "MCP-Protocol-Version")) {
    fields.emplace_back("MCP-Protocol-Version", words.revision.text());
  }
  std::erase_if(fields, [](const auto& field) { return !transport::is_field_value(field.second); });
  return fields;
}

}  // namespace assay::fuzz
