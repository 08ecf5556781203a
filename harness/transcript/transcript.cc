#include "harness/transcript/transcript.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/transcript/credential_mask.h"
#include "reference/wire/message.h"
#include "reference/wire/weight.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// Memory beside the text, of an event with a message; bench/memory_test.cc measures it.
constexpr std::size_t kCostBesideText = 200;
// A header field beside its text: two strings, and what they are kept in.
constexpr std::size_t kCostOfField = 128;
// A text of that size is weighed before it is decoded: to find its tokens takes memory, too.
constexpr std::size_t kWeighedFirst = 64u << 10;

// What an observation has beside a message is kept in pieces: the text that is no message, why it
// cannot be read, a head, an event of a stream.
constexpr std::size_t kCostOfPieces = 160;
constexpr std::size_t kCostOfPiece = 32;

std::size_t cost_of_rare_parts(const KeptObservation& kept) {
  std::size_t cost = kept.message() == nullptr ? kCostOfPieces : 0;
  if (const auto* error = kept.decode_error()) cost += error->detail.capacity() + kCostOfPiece;
  if (kept.http() != nullptr) cost += kCostOfPieces + sizeof(transport::HttpHead);
  if (kept.event() != nullptr) cost += kCostOfPieces + sizeof(wire::SseEvent);
  return cost;
}

// The wire itself has ended: nothing can come any more.
bool ends_wire(const Event& event) {
  const auto& observation = event.observation;
  if (observation.kind == Kind::kExit || observation.kind == Kind::kCutOff) return true;
  const bool is_end = observation.kind == Kind::kBroken ||
                      (observation.kind == Kind::kClosed && event.is_from_server());
  return is_end && observation.lane.kind != transport::Lane::Kind::kHttp &&
         observation.lane.kind != transport::Lane::Kind::kStderr;
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

}  // namespace

std::size_t cost_beside_message(const transport::Observation& observation) {
  std::size_t cost = kCostBesideText + observation.bytes.size();
  if (observation.event) cost += observation.event->data.size() + observation.event->raw.size();
  if (!observation.http) return cost;
  cost += observation.http->target.size();
  for (const auto& [name, value] : observation.http->headers) {
    cost += kCostOfField + name.size() + value.size();
  }
  return cost;
}

std::size_t weight_of_message(const transport::Observation& observation) {
  const auto text = observation.message();
  if (!text || text->size() < kWeighedFirst) return 0;
  return wire::tree_bytes(wire::count_tokens(*text), text->size());
}

KeptObservation keep_masked(const transport::Observation& observation,
                            const std::vector<std::string>& secret_headers, reports::Vault& vault) {
  if (!observation.http) return KeptObservation(observation);
  transport::Observation masked = observation;
  mask(masked.http->headers, secret_headers, vault);
  mask_places(masked, [&vault](const std::string& value) { return vault.mask_value(value); });
  return KeptObservation(masked);
}

Transcript::Transcript(std::vector<std::string> secret_headers,
                       std::shared_ptr<reports::Vault> vault, wire::BudgetPtr budget)
    : start_(Clock::now()),
      secret_headers_(std::move(secret_headers)),
      vault_(vault ? std::move(vault) : std::make_shared<reports::Vault>()),
      budget_(std::move(budget)) {}

std::shared_ptr<Event> Transcript::admit(const transport::Observation& observation,
                                         std::string& why_not) {
  const std::size_t beside = cost_beside_message(observation);
  // What is small is made before it is weighed.
  const std::size_t guess = beside < kWeighedFirst ? 0 : beside + weight_of_message(observation);
  wire::Share share(budget_);
  const auto has_room = [&](std::size_t cost) {
    if (bytes_ + cost > kMaxBytes) {
      why_not = fmt::format("more came over one connection than {} MiB hold", kMaxBytes >> 20);
    } else if (!share.resize(cost)) {
      why_not = fmt::format("more came than {} MiB hold, over all connections together",
                            budget_->limit() >> 20);
    }
    return why_not.empty();
  };
  if (guess > 0 && !has_room(guess)) return nullptr;
  auto event = std::make_shared<Event>(keep_masked(observation, secret_headers_, *vault_));
  const std::size_t cost = beside + cost_of_rare_parts(event->observation) +
                           (event->message() == nullptr ? 0 : event->message()->held_bytes());
  if (!has_room(cost)) return nullptr;
  bytes_ += cost;
  event->share = std::move(share);
  return event;
}

void Transcript::observe(const transport::Observation& observation) {
  const bool is_last = observation.kind == Kind::kExit || observation.kind == Kind::kCutOff;
  if (is_cut_off_ && !is_last) return;
  std::string why_not;
  auto event =
      is_last ? std::make_shared<Event>(KeptObservation(observation)) : admit(observation, why_not);
  if (!event) {
    transport::Observation end;
    end.kind = Kind::kCutOff;
    end.lane = observation.lane;
    end.bytes = std::move(why_not);
    event = std::make_shared<Event>(KeptObservation(end));
  }
  append(std::move(event));
}

void Transcript::append(std::shared_ptr<Event> event) {
  const std::lock_guard lock(mutex_);
  const Kind kind = event->observation.kind;
  if (cut_off_ && kind != Kind::kExit) return;
  if (events_.size() >= kMaxEvents && kind != Kind::kExit && kind != Kind::kCutOff) {
    transport::Observation end;
    end.kind = Kind::kCutOff;
    end.lane = event->observation.lane;
    end.bytes = fmt::format("more than {} events came over one connection", kMaxEvents);
    event = std::make_shared<Event>(KeptObservation(end));
  }
  event->n = events_.size() + 1;
  event->at = Clock::now() - start_;
  if (event->observation.kind == Kind::kCutOff) {
    cut_off_ = event;
    is_cut_off_ = true;
  }
  if (!end_ && ends_wire(*event)) end_ = event;
  events_.push_back(std::move(event));
  arrived_.notify_all();
}

std::vector<EventPtr> Transcript::events(std::size_t from) const {
  const std::lock_guard lock(mutex_);
  if (from >= events_.size()) return {};
  return {events_.begin() + static_cast<std::ptrdiff_t>(from), events_.end()};
}

EventPtr Transcript::event(std::size_t index) const {
  const std::lock_guard lock(mutex_);
  return index < events_.size() ? events_[index] : nullptr;
}

std::size_t Transcript::size() const {
  const std::lock_guard lock(mutex_);
  return events_.size();
}

EventPtr Transcript::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

EventPtr Transcript::cut_off() const {
  const std::lock_guard lock(mutex_);
  return cut_off_;
}

EventPtr Transcript::wait_for(std::size_t index, Clock::time_point deadline) const {
  std::unique_lock lock(mutex_);
  const bool came = arrived_.wait_until(lock, deadline, [&] { return events_.size() > index; });
  return came ? events_[index] : nullptr;
}

}  // namespace assay::harness
