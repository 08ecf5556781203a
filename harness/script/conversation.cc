#include "harness/script/conversation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/script/abandoned.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using namespace std::chrono_literals;

// How long a wait may go on after Ctrl-C.
constexpr std::chrono::milliseconds kStopLatency{100};

}  // namespace

Conversation::Conversation(Party seat, model::Revision revision, Patience patience,
                           std::stop_token stop, std::shared_ptr<Transcript> transcript)
    : seat_(seat),
      revision_(revision),
      patience_(patience),
      stop_(std::move(stop)),
      transcript_(std::move(transcript)) {}

std::optional<std::string> Conversation::cut_off() const {
  const EventPtr event = transcript_->cut_off();
  if (!event) return std::nullopt;
  return fmt::format("what the {} sent from here on was not read: {}",
                     transport::name(other_than(seat_)), event->observation.bytes());
}

wire::Id Conversation::next_id() {
  return wire::Id::of(++last_id_);
}

EventPtr Conversation::wait_for(std::size_t from, const Predicate& fits,
                                std::chrono::milliseconds patience) {
  const auto start = Clock::now();
  const auto deadline = start + patience;
  for (std::size_t index = from;; ++index) {
    attend_to_all(deadline);
    const EventPtr event = next_event(index, deadline);
    if (!event) {
      waited_in_vain_ += Clock::now() - start;
      return nullptr;
    }
    if (!fits(*event)) continue;
    attend_to_all(deadline);
    return event;
  }
}

EventPtr Conversation::next_event(std::size_t index, Clock::time_point deadline) {
  while (!stop_.stop_requested()) {
    // After the end only what is there already can be found.
    const bool is_over = transcript_->end() != nullptr;
    const auto slice = std::min(deadline, Clock::now() + (is_over ? 0ms : kStopLatency));
    EventPtr event = transcript_->wait_for(index, slice);
    if (event) return transcript_->time_of(*event) <= deadline ? event : nullptr;
    if (is_over || Clock::now() >= deadline) return nullptr;
  }
  // What is cut short is no silence: nobody may judge it.
  throw Abandoned("the run was interrupted", Abandoned::Cause::kStopped);
}

EventPtr Conversation::wait_for_method(std::size_t from, wire::MessageKind kind,
                                       std::string_view method,
                                       std::chrono::milliseconds patience) {
  return wait_for(
      from,
      [&](const Event& event) {
        return !event.is_from(seat_) && event.message() != nullptr &&
               event.message()->kind() == kind && event.message()->method() == method;
      },
      patience);
}

EventPtr Conversation::wait_for_notification(std::size_t from, std::string_view method,
                                             std::chrono::milliseconds patience) {
  return wait_for_method(from, wire::MessageKind::kNotification, method, patience);
}

EventPtr Conversation::wait_for_request(std::size_t from, std::string_view method,
                                        std::chrono::milliseconds patience) {
  return wait_for_method(from, wire::MessageKind::kRequest, method, patience);
}

void Conversation::attend_to_all(Clock::time_point deadline) {
  // Whoever attends may wait for something itself, and attend to what came meanwhile.
  while (const EventPtr event = transcript_->event(attended_up_to_)) {
    if (stop_.stop_requested() || transcript_->time_of(*event) > deadline) return;
    ++attended_up_to_;
    if (!event->is_from(seat_)) attend(*event);
  }
}

}  // namespace assay::harness
