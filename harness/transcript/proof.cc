#include "harness/transcript/proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace assay::harness {

Proof Proof::of(const std::vector<EventPtr>& events, Party party) {
  using Event = transport::Observation::Kind;
  // What broke off, anything in between may have dropped; and where we read no more, we see
  // nothing.
  const bool is_seen = std::any_of(events.begin(), events.end(), [&](const EventPtr& event) {
    return event && event->is_from(party) && event->observation.kind != Event::kBroken &&
           event->observation.kind != Event::kCutOff;
  });
  return is_seen ? seen() : absence({});
}

Proof Proof::unanswered() {
  Proof proof(Kind::kSeen);
  proof.lacks_answer_ = true;
  return proof;
}

Proof Proof::absence(Absence absence) {
  Proof proof(Kind::kAbsence);
  proof.lacks_answer_ = absence.is_answer;
  proof.absence_ = std::move(absence);
  return proof;
}

Proof Proof::order(bool is_kept_by_transport) {
  Proof proof(Kind::kOrder);
  proof.is_certain_order_ = is_kept_by_transport;
  return proof;
}

Proof Proof::crash(std::string how) {
  Proof proof(Kind::kCrash);
  proof.how_ = std::move(how);
  return proof;
}

bool Proof::needs_second_look() const {
  switch (kind_) {
    case Kind::kSeen:
      return false;
    case Kind::kAbsence:
      return true;
    case Kind::kOrder:
      return !is_certain_order_;
    case Kind::kCrash:
      return needs_contrast_;
  }
  return true;
}

Proof Proof::with_contrast() const {
  Proof proof = *this;
  proof.needs_contrast_ = true;
  return proof;
}

std::string Proof::words() const {
  switch (kind_) {
    case Kind::kSeen:
      return lacks_answer_ ? "the exchange ended without an answer" : "the bytes show it";
    case Kind::kAbsence: {
      const std::string awaited = absence_->awaited.empty() ? "it" : absence_->awaited;
      std::string words =
          absence_->waited.count() > 0
              ? fmt::format("waited {:.1f} s for {}",
                            std::chrono::duration<double>(absence_->waited).count(), awaited)
              : fmt::format("waited for {}", awaited);
      if (absence_->alive) words += fmt::format("; event {} came later", absence_->alive->n);
      return words;
    }
    case Kind::kOrder:
      return is_certain_order_ ? "their order shows it"
                               : "their order suggests it, though they may have crossed";
    case Kind::kCrash:
      return how_;
  }
  return "";
}

}  // namespace assay::harness
