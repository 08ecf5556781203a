#include "harness/recording/session_builder.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "harness/monitors/trace.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// Who begins says so. (That a message names its revision tells nothing: where that is done at all,
// every request does it.)
bool begins(const wire::Message& message) {
  return message.method() == "initialize" || message.method() == "server/discover";
}

}  // namespace

void SessionBuilder::add(const transport::Observation& observation, std::chrono::nanoseconds at) {
  if (is_cut_) return;
  const std::size_t beside = cost_beside_message(observation);
  // What is large is weighed before it is decoded.
  const std::size_t guess = beside + weight_of_message(observation);
  if (bytes_ + guess > Transcript::kMaxBytes) return cut_off(observation.lane, at);
  auto event = std::make_shared<Event>(keep_masked(observation, {}, *vault_));
  event->at = at;
  const wire::Message* message = event->message();
  const std::size_t cost = beside + (message == nullptr ? 0 : message->held_bytes());
  if (bytes_ + cost > Transcript::kMaxBytes) return cut_off(observation.lane, at);
  bytes_ += cost;
  keep(std::move(event));
}

void SessionBuilder::add(const EventPtr& event) {
  if (is_cut_) return;
  // Whoever read it made it for us, and nobody else has seen it yet.
  keep(std::const_pointer_cast<Event>(event));
}

void SessionBuilder::keep(std::shared_ptr<Event> event) {
  auto& events = conversation_.events;
  if (events.size() + 1 >= Transcript::kMaxEvents) {
    return cut_off(event->observation.lane, event->at);
  }
  event->n = events.size() + 1;
  events.push_back(std::move(event));
}

void SessionBuilder::cut_off(transport::Lane lane, std::chrono::nanoseconds at) {
  is_cut_ = true;
  transport::Observation end;
  end.kind = Kind::kCutOff;
  end.lane = lane;
  end.bytes = "one session is longer than is judged at once";
  auto event = std::make_shared<Event>(KeptObservation(end));
  event->n = conversation_.events.size() + 1;
  event->at = at;
  conversation_.events.push_back(std::move(event));
}

bool SessionBuilder::seems_to_begin() const {
  for (const EventPtr& event : conversation_.events) {
    if (!event->carries_message()) continue;
    if (event->is_from_server() || event->message() == nullptr) return false;
    return begins(*event->message());
  }
  return false;
}

// The end of a process, or of every exchange that was begun.
bool SessionBuilder::has_end() const {
  std::set<transport::Lane> open;
  bool has_ended = false;
  for (const EventPtr& event : conversation_.events) {
    const auto& observation = event->observation;
    if (observation.kind == Kind::kExit || observation.kind == Kind::kCutOff) return true;
    const bool is_end = observation.kind == Kind::kClosed || observation.kind == Kind::kBroken;
    if (observation.lane.kind != transport::Lane::Kind::kHttp) {
      has_ended = has_ended || (is_end && event->is_from_server());
    } else if (observation.kind == Kind::kHttpRequest) {
      open.insert(observation.lane);
    } else if (is_end) {
      open.erase(observation.lane);
      has_ended = true;
    }
  }
  return has_ended && open.empty();
}

RecordedSession SessionBuilder::finish(bool is_beginning_known) {
  conversation_.is_whole = has_end();
  if (conversation_.gap.empty() && !is_beginning_known && !seems_to_begin()) {
    conversation_.gap = "the recording begins in the middle";
  }
  bytes_ = 0;
  is_cut_ = false;
  return std::exchange(conversation_, {});
}

}  // namespace assay::harness
