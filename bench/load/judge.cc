#include "bench/load/judge.h"

#include <charconv>
#include <variant>

#include "reference/wire/message.h"

namespace assay::bench {
namespace {

// The DOM is built only for the few answers that have the word in them.
bool is_tool_error(const wire::Message& message) {
  if (message.bytes().find("\"isError\"") == std::string_view::npos) return false;
  const Json& result = message.result();
  const auto found = result.find("isError");
  return result.is_object() && found != result.end() && *found == true;
}

std::optional<std::uint64_t> number_of(const wire::Id& id) {
  const std::string& text = id.json_text();
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

Judged answer(const wire::Message& message) {
  const auto id = message.id() ? number_of(*message.id()) : std::nullopt;
  if (!id) return {.kind = Judged::Kind::kBad, .trouble = "an answer to no request that was sent"};
  Judged judged{.kind = Judged::Kind::kAnswer, .id = *id};
  if (message.kind() == wire::MessageKind::kError) {
    judged.trouble = "answered with an error";
  } else if (is_tool_error(message)) {
    judged.trouble = "the tool failed (isError)";
  }
  return judged;
}

}  // namespace

Judged judge(std::string_view bytes) {
  const wire::Decoded decoded = wire::decode(bytes);
  const auto* message = std::get_if<wire::Message>(&decoded);
  if (!message)
    return {.kind = Judged::Kind::kBad, .trouble = "received something that is not JSON"};
  switch (message->kind()) {
    case wire::MessageKind::kResult:
    case wire::MessageKind::kError:
      return answer(*message);
    case wire::MessageKind::kNotification:
      return {.kind = Judged::Kind::kOther};
    case wire::MessageKind::kRequest:
      return {.kind = Judged::Kind::kRequest,
              .request_id = message->id()->json_text(),
              .is_ping = message->method() == "ping"};
    case wire::MessageKind::kBatch:
    case wire::MessageKind::kMalformed:
      break;
  }
  return {.kind = Judged::Kind::kBad, .trouble = "received something that is not a message"};
}

}  // namespace assay::bench
