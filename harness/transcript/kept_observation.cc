#include "harness/transcript/kept_observation.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "reference/wire/message.h"

namespace assay::harness {

struct KeptObservation::Rare {
  std::string bytes;  // unless they are the message's
  // Each by itself: most have one of them, and a flood may be of those that have the smallest.
  std::unique_ptr<const transport::HttpHead> http;
  std::unique_ptr<const wire::SseEvent> event;
  std::unique_ptr<const transport::ProcessExit> exit;
  std::optional<wire::DecodeError> decode_error;
};

namespace {

template <typename T>
std::unique_ptr<const T> kept(const std::optional<T>& value) {
  return value ? std::make_unique<const T>(*value) : nullptr;
}

}  // namespace

KeptObservation::KeptObservation(const transport::Observation& observation)
    : kind(observation.kind),
      speaker(observation.speaker),
      lane(observation.lane),
      is_truncated(observation.is_truncated),
      is_unterminated(observation.is_unterminated),
      has_carriage_return(observation.has_carriage_return) {
  std::optional<wire::DecodeError> decode_error;
  if (const auto text = observation.message()) {
    wire::Decoded decoded = wire::decode(*text);
    if (auto* message = std::get_if<wire::Message>(&decoded)) {
      message_ = wire::OptionalMessage(std::move(*message));
      bytes_are_message_ = text->data() == observation.bytes.data();
    } else {
      decode_error = std::get<wire::DecodeError>(std::move(decoded));
    }
  }
  const bool has_bytes = !observation.bytes.empty() && !bytes_are_message_;
  if (has_bytes || observation.http || observation.event || observation.exit || decode_error) {
    rare_ = std::make_unique<const Rare>(Rare{has_bytes ? observation.bytes : std::string(),
                                              kept(observation.http), kept(observation.event),
                                              kept(observation.exit), std::move(decode_error)});
  }
}

KeptObservation::~KeptObservation() = default;
KeptObservation::KeptObservation(KeptObservation&&) noexcept = default;
KeptObservation& KeptObservation::operator=(KeptObservation&&) noexcept = default;

std::string_view KeptObservation::bytes() const {
  if (bytes_are_message_) return message_.get()->bytes();
  return rare_ ? std::string_view(rare_->bytes) : std::string_view();
}

const transport::HttpHead* KeptObservation::http() const {
  return rare_ ? rare_->http.get() : nullptr;
}

const wire::SseEvent* KeptObservation::event() const {
  return rare_ ? rare_->event.get() : nullptr;
}

const transport::ProcessExit* KeptObservation::exit() const {
  return rare_ ? rare_->exit.get() : nullptr;
}

const wire::DecodeError* KeptObservation::decode_error() const {
  return rare_ && rare_->decode_error ? &*rare_->decode_error : nullptr;
}

}  // namespace assay::harness
