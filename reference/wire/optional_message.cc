#include "reference/wire/optional_message.h"

#include <memory>
#include <utility>

#include "reference/wire/message.h"

namespace assay::wire {

static_assert(sizeof(Message) == sizeof(void*) && alignof(Message) <= alignof(void*));

OptionalMessage::OptionalMessage(Message message)
    : message_(new (room_) Message(std::move(message))) {}

OptionalMessage::~OptionalMessage() {
  reset();
}

OptionalMessage::OptionalMessage(OptionalMessage&& other) noexcept {
  take(other);
}

OptionalMessage& OptionalMessage::operator=(OptionalMessage&& other) noexcept {
  if (this != &other) {
    reset();
    take(other);
  }
  return *this;
}

void OptionalMessage::take(OptionalMessage& other) noexcept {
  if (other.message_ == nullptr) return;
  message_ = new (room_) Message(*other.message_);
  other.reset();
}

void OptionalMessage::reset() noexcept {
  if (message_ != nullptr) std::destroy_at(message_);
  message_ = nullptr;
}

}  // namespace assay::wire
