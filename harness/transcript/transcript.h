// Everything that happened on one connection, in order.
//
// A transcript is an observer of a transport: it numbers, times and decodes what it is told and
// keeps it. Scripts wait on it, monitors read it, evidence points into it. Append-only; events are
// immutable once they are in.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "harness/transcript/kept_observation.h"
#include "reference/transport/observer.h"
#include "reference/wire/message.h"
#include "reports/vault.h"

namespace assay::harness {

using Clock = std::chrono::steady_clock;

struct Event {
  explicit Event(KeptObservation kept) : observation(std::move(kept)) {}

  std::uint64_t n = 0;             // counts from 1 within its transcript
  std::chrono::nanoseconds at{0};  // since the transcript began
  KeptObservation observation;

  bool is_sent() const { return observation.direction == transport::Direction::kSent; }
  // The message, if there is one and it could be read.
  const wire::Message* message() const { return observation.message(); }
  // Why the message cannot be read; null where it can, and where there is none.
  const wire::DecodeError* decode_error() const { return observation.decode_error(); }
  // There is what was to be a message, readable or not.
  bool carries_message() const { return message() != nullptr || decode_error() != nullptr; }
};

using EventPtr = std::shared_ptr<const Event>;

class Transcript : public transport::Observer {
 public:
  // What one target may make us remember of one connection. A target that sends more is cut off:
  // the transcript is flooded from then on, and keeps nothing more but the ends of lanes.
  static constexpr std::size_t kMaxBytes = 48u << 20;
  static constexpr std::size_t kMaxEvents = 200'000;

  // The values of `secret_headers`, and of headers that carry credentials by their nature, become
  // labels of the vault before anything is kept. Names are compared without case. Transcripts that
  // share a vault have the same label for the same value; without one the transcript has its own.
  explicit Transcript(std::vector<std::string> secret_headers = {},
                      std::shared_ptr<reports::Vault> vault = nullptr);

  void observe(const transport::Observation& observation) override;

  // The events from index `from` on; an index is an event's number less one.
  std::vector<EventPtr> events(std::size_t from = 0) const;
  std::size_t size() const;
  bool is_flooded() const;

  using Predicate = std::function<bool(const Event&)>;
  // The first event from index `from` on that fits, waiting for it until `deadline`. Null if none
  // came. The predicate is called without any lock held, once for each event.
  EventPtr wait_for(std::size_t from, const Predicate& fits, Clock::time_point deadline) const;

 private:
  const Clock::time_point start_;
  const std::vector<std::string> secret_headers_;
  const std::shared_ptr<reports::Vault> vault_;
  mutable std::mutex mutex_;  // guards all below
  mutable std::condition_variable arrived_;
  std::vector<EventPtr> events_;
  std::size_t bytes_ = 0;
  bool is_flooded_ = false;
};

}  // namespace assay::harness
