// Everything that happened on one connection, in order.
//
// A transcript is an observer of a transport: it numbers, times and decodes what it is told and
// keeps it. Scripts wait on it, monitors read it, evidence points into it. Append-only; events are
// immutable once they are in.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "harness/transcript/kept_observation.h"
#include "reference/transport/observer.h"
#include "reference/wire/budget.h"
#include "reference/wire/message_fwd.h"
#include "reports/vault.h"

namespace assay::harness {

using transport::Party;
using Clock = std::chrono::steady_clock;

struct Event {
  explicit Event(KeptObservation kept) : observation(std::move(kept)) {}

  std::uint64_t n = 0;             // counts from 1 within its transcript
  std::chrono::nanoseconds at{0};  // since the transcript began
  KeptObservation observation;
  wire::Share share;  // of the budget, for all of it

  Party speaker() const { return observation.speaker; }
  bool is_from(Party party) const { return observation.speaker == party; }
  bool is_from_client() const { return is_from(Party::kClient); }
  bool is_from_server() const { return is_from(Party::kServer); }
  // The message, if there is one and it could be read.
  const wire::Message* message() const { return observation.message(); }
  // Why the message cannot be read; null where it can, and where there is none.
  const wire::DecodeError* decode_error() const { return observation.decode_error(); }
  // There is what was to be a message, readable or not.
  bool carries_message() const { return message() != nullptr || decode_error() != nullptr; }
};

using EventPtr = std::shared_ptr<const Event>;

// An observation as it may be kept: of headers that carry credentials by their nature, and of
// `secret_headers`, labels stand in place of the values; so they do of the codes and tokens in the
// places that a redirect leads to.
KeptObservation keep_masked(const transport::Observation& observation,
                            const std::vector<std::string>& secret_headers, reports::Vault& vault);

// At most what an event of the observation takes in memory, without the message in it.
std::size_t cost_beside_message(const transport::Observation& observation);
// At most what its message will take, as far as that matters before it is decoded: of what is small
// nothing is said.
std::size_t weight_of_message(const transport::Observation& observation);

class Transcript : public transport::Observer {
 public:
  // What one connection may make us remember, trees of messages included. A target that sends more
  // is cut off: the transcript ends with an event kCutOff that says why, and keeps nothing behind
  // it but the exit of a process.
  static constexpr std::size_t kMaxBytes = 48u << 20;
  static constexpr std::size_t kMaxEvents = 200'000;

  // The values of `secret_headers`, and of headers that carry credentials by their nature, become
  // labels of the vault before anything is kept. Names are compared without case. Transcripts that
  // share a vault have the same label for the same value; without one the transcript has its own.
  // What is kept takes its part of the budget for as long as somebody holds the event; null: no
  // bound but those above.
  explicit Transcript(std::vector<std::string> secret_headers = {},
                      std::shared_ptr<reports::Vault> vault = nullptr,
                      wire::BudgetPtr budget = nullptr);

  // An empty one, for what is no part of the conversation: it keeps as little of secrets.
  std::unique_ptr<Transcript> sibling() const {
    return std::make_unique<Transcript>(secret_headers_, vault_, budget_);
  }
  const std::shared_ptr<reports::Vault>& vault() const { return vault_; }

  void observe(const transport::Observation& observation) override;
  bool is_full() const override { return is_cut_off_; }

  // The events from index `from` on; an index is an event's number less one.
  std::vector<EventPtr> events(std::size_t from = 0) const;
  // The one event at `index`; null if there is none yet.
  EventPtr event(std::size_t index) const;
  std::size_t size() const;
  Clock::time_point time_of(const Event& event) const { return start_ + event.at; }
  // The event with which the wire itself ended, so that nothing can come any more: the end of the
  // process or of its output, or that we read no more. Null while it is open.
  EventPtr end() const;
  // The event kCutOff; null if there is none.
  EventPtr cut_off() const;

  // The event at `index`, waiting for it until `deadline`. Null if it did not come.
  EventPtr wait_for(std::size_t index, Clock::time_point deadline) const;

 private:
  // Null where the observation is more than may be kept; then `why_not` says so.
  std::shared_ptr<Event> admit(const transport::Observation& observation, std::string& why_not);
  void append(std::shared_ptr<Event> event);

  const Clock::time_point start_;
  const std::vector<std::string> secret_headers_;
  const std::shared_ptr<reports::Vault> vault_;
  const wire::BudgetPtr budget_;
  std::atomic<bool> is_cut_off_{false};
  std::atomic<std::size_t> bytes_{0};  // all that was admitted
  mutable std::mutex mutex_;           // guards all below
  mutable std::condition_variable arrived_;
  std::vector<EventPtr> events_;
  EventPtr end_;
  EventPtr cut_off_;
};

}  // namespace assay::harness
