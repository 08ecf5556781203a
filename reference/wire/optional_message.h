// A message or none, for classes that keep one and whose readers look into none.
//
// As std::optional<Message>, but the header of messages is not read for it; and no block of its
// own, as a pointer to one would take.
#pragma once

#include <cstddef>

#include "reference/wire/message_fwd.h"

namespace assay::wire {

class OptionalMessage {
 public:
  OptionalMessage() = default;
  explicit OptionalMessage(Message message);
  ~OptionalMessage();
  // What was moved from holds none.
  OptionalMessage(OptionalMessage&& other) noexcept;
  OptionalMessage& operator=(OptionalMessage&& other) noexcept;

  // Null where there is none; valid until this is moved from or destroyed.
  const Message* get() const { return message_; }

 private:
  void take(OptionalMessage& other) noexcept;
  void reset() noexcept;

  alignas(void*) std::byte room_[sizeof(void*)];  // a Message is no more than a pointer
  const Message* message_ = nullptr;              // in the room
};

}  // namespace assay::wire
