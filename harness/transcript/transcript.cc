#include "harness/transcript/transcript.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// Ends of lanes are kept even in a flood: without them a script would wait in vain.
bool ends_a_lane(const transport::Observation& observation) {
  return observation.kind == Kind::kExit || observation.kind == Kind::kBroken ||
         observation.kind == Kind::kClosed;
}

// Memory beside the text, of an event with a message; bench/memory_test.cc measures it.
constexpr std::size_t kCostBesideText = 200;

std::size_t cost_of(const transport::Observation& observation) {
  std::size_t cost = kCostBesideText + observation.bytes.size();
  if (observation.event) cost += observation.event->data.size() + observation.event->raw.size();
  return cost;
}

void mask(transport::Headers& headers, const std::vector<std::string>& secret_headers,
          reports::Vault& vault) {
  for (auto& [name, value] : headers) {
    const bool is_secret =
        reports::is_credential_field(name) ||
        std::any_of(secret_headers.begin(), secret_headers.end(),
                    [&field = name](const std::string& secret) {
                      return transport::lower_case(secret) == transport::lower_case(field);
                    });
    if (is_secret) value = vault.mask_field(name, value);
  }
}

KeptObservation keep(const transport::Observation& observation,
                     const std::vector<std::string>& secret_headers, reports::Vault& vault) {
  if (!observation.http) return KeptObservation(observation);
  transport::Observation masked = observation;
  mask(masked.http->headers, secret_headers, vault);
  return KeptObservation(masked);
}

}  // namespace

Transcript::Transcript(std::vector<std::string> secret_headers,
                       std::shared_ptr<reports::Vault> vault)
    : start_(Clock::now()),
      secret_headers_(std::move(secret_headers)),
      vault_(vault ? std::move(vault) : std::make_shared<reports::Vault>()) {}

void Transcript::observe(const transport::Observation& observation) {
  auto event = std::make_shared<Event>(keep(observation, secret_headers_, *vault_));

  const std::lock_guard lock(mutex_);
  bytes_ += cost_of(observation);
  is_flooded_ = is_flooded_ || bytes_ > kMaxBytes || events_.size() >= kMaxEvents;
  if (is_flooded_ && !ends_a_lane(observation)) return;
  event->n = events_.size() + 1;
  event->at = Clock::now() - start_;
  events_.push_back(std::move(event));
  arrived_.notify_all();
}

std::vector<EventPtr> Transcript::events(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  if (from >= events_.size()) return {};
  return {events_.begin() + static_cast<std::ptrdiff_t>(from), events_.end()};
}

std::size_t Transcript::size() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

bool Transcript::is_flooded() const {
  const std::lock_guard lock(mutex_);
  return is_flooded_;
}

EventPtr Transcript::wait_for(std::size_t from, const Predicate& fits,
                              Clock::time_point deadline) const {
  std::size_t next = from;
  while (true) {
    std::vector<EventPtr> fresh;
    {
      std::unique_lock lock(mutex_);
      const bool came = arrived_.wait_until(lock, deadline, [&] { return events_.size() > next; });
      if (!came) return nullptr;
      fresh.assign(events_.begin() + static_cast<std::ptrdiff_t>(next), events_.end());
    }
    for (const EventPtr& event : fresh) {
      if (fits(*event)) return event;
    }
    next += fresh.size();
  }
}

}  // namespace assay::harness
