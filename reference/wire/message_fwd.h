// The names of message.h, for headers that pass messages on and look into none: an edit of that
// header then compiles only who reads messages.
#pragma once

#include <cstdint>
#include <variant>

namespace assay::wire {

class Message;
struct DecodeError;
enum class MessageKind : std::uint8_t;
using Decoded = std::variant<Message, DecodeError>;

}  // namespace assay::wire
