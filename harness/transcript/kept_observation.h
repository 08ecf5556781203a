// What a transport told, in the form in which a transcript keeps it.
//
// The same as a transport::Observation, but small: the bytes of a message are those that the
// decoded message holds, and what few observations have lies apart.
#pragma once

#include <memory>
#include <string_view>

#include "reference/transport/observer.h"
#include "reference/wire/message_fwd.h"
#include "reference/wire/optional_message.h"

namespace assay::harness {

struct KeptObservation {
  using Kind = transport::Observation::Kind;

  // Decodes the message that the observation carries, if it carries one.
  explicit KeptObservation(const transport::Observation& observation);
  ~KeptObservation();
  KeptObservation(KeptObservation&&) noexcept;
  KeptObservation& operator=(KeptObservation&&) noexcept;

  // As in transport::Observation.
  Kind kind;
  transport::Party speaker;
  transport::Lane lane;
  bool is_truncated;
  bool is_unterminated;
  bool has_carriage_return;

  // The rest of it. Null where the observation has none.
  std::string_view bytes() const;
  const transport::HttpHead* http() const;
  const wire::SseEvent* event() const;
  const transport::ProcessExit* exit() const;
  // What the message says, or why it cannot be read; both null where there is none.
  const wire::Message* message() const { return message_.get(); }
  const wire::DecodeError* decode_error() const;

 private:
  struct Rare;

  bool bytes_are_message_ = false;
  wire::OptionalMessage message_;
  std::unique_ptr<const Rare> rare_;  // null where nothing in it has a value
};

}  // namespace assay::harness
