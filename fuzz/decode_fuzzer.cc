// Any bytes into decode(): it agrees with two other parsers on what is JSON and on what it says,
// and what it decodes survives being written and read again.
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace {

using assay::Json;
using assay::fuzz::require;
using assay::wire::Decoded;
using assay::wire::DecodeError;
using assay::wire::Limits;
using assay::wire::Message;
using assay::wire::MessageKind;

// A refusal: the others refuse as well.
void check_refused(const DecodeError& error, std::string_view bytes) {
  switch (error.kind) {
    case DecodeError::Kind::kTooLarge:
    case DecodeError::Kind::kTooDeep:
      return;
    case DecodeError::Kind::kByteOrderMark:
      return;  // both others skip it
    case DecodeError::Kind::kEmpty:
    case DecodeError::Kind::kInvalidUtf8:
    case DecodeError::Kind::kInvalidJson:
      break;
  }
  // nlohmann takes a NUL between tokens for the end of the text.
  if (bytes.find('\0') == std::string_view::npos) {
    require(!Json::accept(bytes), "what is refused, nlohmann refuses");
  }
  thread_local simdjson::dom::parser parser;
  require(parser.parse(bytes.data(), bytes.size()).error() != simdjson::SUCCESS,
          "what is refused, simdjson refuses");
}

// What the message says of itself is what its DOM says.
void check_envelope(const Message& message) {
  const Json& json = message.json();
  const bool is_object = json.is_object();
  require(message.has_params() == (is_object && json.contains("params")), "has_params");
  require(message.id().has_value() == (is_object && json.contains("id")), "has an id");
  if (message.id()) require(to_json(*message.id()) == json["id"], "the id is the DOM's");
  if (!message.method().empty()) require(message.method() == json["method"], "the method");
  require((message.kind() == MessageKind::kMalformed) == !message.defect().empty(), "defect");
  require((message.kind() == MessageKind::kBatch) == json.is_array(), "an array is a batch");
  if (!json.is_array()) return;
  require(message.members().size() == json.size(), "a batch has all its members");
  for (std::size_t i = 0; i < json.size(); ++i) {
    require(message.members()[i].json() == json[i], "a member is the DOM's");
  }
}

void check_decoded(const Message& message, std::string_view bytes) {
  require(message.bytes() == bytes, "the bytes are kept");
  // The DOM is nlohmann's, made of the bytes as they are unless a notice says that strict parsers
  // refuse them: that there is one is nlohmann's word that this is JSON.
  const Json& json = message.json();
  require(!json.is_discarded(), "what is decoded, nlohmann takes");
  check_envelope(message);
  const std::string encoded = assay::wire::encode(json);
  if (encoded == bytes) return;
  const Decoded again = assay::wire::decode(encoded);
  const auto* copy = std::get_if<Message>(&again);
  require(copy != nullptr, "what is encoded can be decoded");
  require(copy->json() == json, "what is encoded decodes to the same");
}

// The tokens of a short text are found in another way; white space behind it makes it a long one.
void check_lengthened(const Decoded& decoded, std::string_view bytes) {
  constexpr std::size_t kShort = 64;
  if (bytes.empty() || bytes.size() > kShort) return;
  const Decoded again = assay::wire::decode(std::string(bytes) + std::string(kShort, ' '));
  require(again.index() == decoded.index(), "a text is as good with white space after it");
  if (const auto* error = std::get_if<DecodeError>(&decoded)) {
    require(std::get<DecodeError>(again).kind == error->kind, "and refused for the same reason");
    return;
  }
  const Message& short_one = std::get<Message>(decoded);
  const Message& long_one = std::get<Message>(again);
  require(short_one.kind() == long_one.kind() && short_one.id() == long_one.id() &&
              short_one.method() == long_one.method() && short_one.defect() == long_one.defect() &&
              short_one.notices().size() == long_one.notices().size(),
          "and means the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = assay::fuzz::view(data, size);
  const Decoded decoded = assay::wire::decode(bytes);
  check_lengthened(decoded, bytes);
  if (const auto* error = std::get_if<DecodeError>(&decoded)) {
    check_refused(*error, bytes);
    return 0;
  }
  check_decoded(std::get<Message>(decoded), bytes);
  if (!assay::fuzz::is_one_in_four(bytes)) return 0;
  const Limits small = {.max_bytes = 64, .max_depth = 4, .max_values = 8, .max_members = 2};
  const Decoded bounded = assay::wire::decode(bytes, small);
  if (const auto* error = std::get_if<DecodeError>(&bounded)) {
    require(
        error->kind == DecodeError::Kind::kTooLarge || error->kind == DecodeError::Kind::kTooDeep,
        "smaller limits refuse for no other reason");
  }
  return 0;
}
