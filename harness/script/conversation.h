// Our end of one conversation: its ids, its transcript, and waiting for what the other party says.
//
// What is common to every seat and every era. A client's end is a Connection. Waiting is always for
// an event with a deadline. A conversation is used by one thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"
#include "reference/wire/id.h"
#include "reference/wire/message_fwd.h"

namespace assay::harness {

// How long the harness is willing to wait. They protect the harness; no rule is made of them.
struct Patience {
  std::chrono::milliseconds start{30'000};   // for the answer to `initialize`
  std::chrono::milliseconds request{5'000};  // for any other answer
  std::chrono::milliseconds close{2'000};    // for an orderly end
  // For an answer that may come behind the answer to a later ping, or not at all.
  std::chrono::milliseconds grace{250};
};

class Conversation {
 public:
  virtual ~Conversation() = default;
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Which party we are.
  Party seat() const { return seat_; }
  model::Revision revision() const { return revision_; }
  const Patience& patience() const { return patience_; }
  Transcript& transcript() { return *transcript_; }
  const std::shared_ptr<Transcript>& shared_transcript() const { return transcript_; }
  // Why nothing more is read of the other party; nothing while it is. What did not come after it
  // proves nothing.
  std::optional<std::string> cut_off() const;

  // A fresh id, never used in this conversation before.
  wire::Id next_id();
  // Index of the next event: what is asked for from here on is new.
  std::size_t mark() const { return transcript_->size(); }

  using Predicate = std::function<bool(const Event&)>;
  // Waits for the first event from `from` on that fits, and attends to what comes meanwhile. It
  // ends in time whatever is sent: what came after the deadline is not looked at, and a stop ends
  // it at once, with Abandoned.
  EventPtr wait_for(std::size_t from, const Predicate& fits, std::chrono::milliseconds patience);
  // How long such waits have taken in all that ended with nothing.
  Clock::duration waited_in_vain() const { return waited_in_vain_; }
  // The first notification of this method that the other party has sent from `from` on.
  EventPtr wait_for_notification(std::size_t from, std::string_view method,
                                 std::chrono::milliseconds patience);
  // The first request of this method that the other party has sent from `from` on.
  EventPtr wait_for_request(std::size_t from, std::string_view method,
                            std::chrono::milliseconds patience);

 protected:
  // `stop` ends every wait early: whatever waits, or would have to, throws Abandoned.
  Conversation(Party seat, model::Revision revision, Patience patience, std::stop_token stop,
               std::shared_ptr<Transcript> transcript);

  // Called for each event of the other party, once and in order, whenever the conversation waits.
  // It may send, and wait itself.
  virtual void attend(const Event& /*event*/) {}
  // To what came by now; returns early at the deadline, and at a stop.
  void attend_to_all(Clock::time_point deadline);
  const std::stop_token& stop() const { return stop_; }

 private:
  // The event at `index`, as wait_for() waits for it.
  EventPtr next_event(std::size_t index, Clock::time_point deadline);
  EventPtr wait_for_method(std::size_t from, wire::MessageKind kind, std::string_view method,
                           std::chrono::milliseconds patience);

  const Party seat_;
  const model::Revision revision_;
  const Patience patience_;
  const std::stop_token stop_;
  const std::shared_ptr<Transcript> transcript_;
  Clock::duration waited_in_vain_{0};
  std::size_t attended_up_to_ = 0;  // index of the first event not yet attended to
  std::int64_t last_id_ = 0;
};

}  // namespace assay::harness
