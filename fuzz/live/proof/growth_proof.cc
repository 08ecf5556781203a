// Whether a case makes a process grow by itself: shown by rounds of repetitions, within bounds.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fuzz/live/proof/prober.h"

namespace assay::fuzz {
namespace {

using Clock = Prober::Clock;

constexpr std::size_t kRounds = 6;
// Each round must add at least this share of what the rounds add on average.
constexpr double kSteady = 0.6;
// How often more the cases are repeated the second time.
constexpr std::size_t kMore = 4;

// The rounds of one process.
class Rounds {
 public:
  struct Setting {
    Oracle what;
    const GrowthLimits& limits;
    Clock::time_point until;
    std::size_t room_share = 1;  // of the memory that it may take, one part in so many
  };

  Rounds(Wire& wire, const std::vector<Case>& cases, Setting setting)
      : wire_(wire), batch_(cases), setting_(setting) {}

  // False where it came to no end, or left something unanswered.
  bool run(std::size_t repeats) {
    start_ = wire_.held(Oracle::kMemory).value_or(0);
    // The first round only warms the process up.
    for (std::size_t round = 0; round <= kRounds + 1; ++round) {
      for (std::size_t i = 0; i < repeats; ++i) {
        if (!repeat()) return false;
        ++repeated_;
      }
      const auto now = wire_.held(setting_.what);
      if (!now) return false;
      if (round > 0) readings_.push_back(*now);
    }
    wire_.settle();
    const Suspicions left = wire_.judge().take_suspicions();
    return std::none_of(left.begin(), left.end(),
                        [](const Suspicion& each) { return each.oracle == Oracle::kMissing; });
  }

  // How many repetitions in each round stay within the memory that it may take, if `run` was ended
  // for taking more. Nothing if it was not, or not even one does.
  bool took_too_much() const { return taken_ > 0; }
  std::optional<std::size_t> fewer_repeats() const {
    if (taken_ == 0 || repeated_ == 0) return std::nullopt;
    const std::size_t each = std::max<std::size_t>(taken_ / repeated_, 1);
    const std::size_t fitting = room() / (each * (kRounds + 2));
    return fitting == 0 ? std::nullopt : std::optional(fitting);
  }

  // The growth over all rounds, if each added its share.
  std::optional<std::size_t> steady_growth() const {
    const bool is_memory = setting_.what == Oracle::kMemory;
    const std::size_t least =
        is_memory ? setting_.limits.memory_bytes : setting_.limits.descriptors;
    if (readings_.back() < readings_.front() + least) return std::nullopt;
    const std::size_t total = readings_.back() - readings_.front();
    const double share = kSteady * static_cast<double>(total) / kRounds;
    for (std::size_t i = 1; i < readings_.size(); ++i) {
      if (static_cast<double>(readings_[i]) < static_cast<double>(readings_[i - 1]) + share) {
        return std::nullopt;
      }
    }
    return total;
  }

 private:
  std::size_t room() const { return memory_room(start_, setting_.limits) / setting_.room_share; }

  bool repeat() {
    if (Clock::now() >= setting_.until) return false;
    for (Case& each : batch_) renumber(each, last_id_);
    wire_.post(batch_, 1);
    if (wire_.await() != WireState::kAlive) return false;
    (void)wire_.judge().take_suspicions();
    (void)wire_.judge().take_shapes();
    const std::size_t memory = wire_.held(Oracle::kMemory).value_or(0);
    if (memory <= start_ + room()) return true;
    taken_ = memory - start_;
    return false;
  }

  Wire& wire_;
  std::vector<Case> batch_;
  const Setting setting_;
  std::uint64_t last_id_ = 5'000'000;
  std::size_t start_ = 0;  // the memory it began with
  std::size_t taken_ = 0;  // more than it may
  std::size_t repeated_ = 0;
  std::vector<std::size_t> readings_;
};

// One case by itself may take more: there is nothing left to be split.
GrowthLimits limits_for(const std::vector<Case>& cases, GrowthLimits limits) {
  if (cases.size() == 1) limits.least_room = std::max(limits.least_room, limits.most_room / 2);
  return limits;
}

}  // namespace

std::size_t memory_room(std::size_t at_start, const GrowthLimits& limits) {
  return std::min(std::max(3 * at_start, limits.least_room), limits.most_room);
}

// The growth over all rounds of `repeats` times `more` repetitions. Where even `repeats` take more
// memory than they may, it becomes smaller.
std::optional<std::size_t> Prober::growth(const std::vector<Case>& cases, const Growing& growing,
                                          std::size_t more, RepeatCount& repeats) {
  for (int attempt = 0; attempt < 2 && !is_stopped(); ++attempt) {
    ++trials_;
    const auto wire = make_wire({access_, words_, waits_, nullptr, stop_}, false);
    if (wire->open() || !wire->begin()) return std::nullopt;
    // The first of two processes takes what leaves the second enough for four times as much.
    Rounds rounds(*wire, cases,
                  {growing.what, growing.limits, growing.until, more == 1 ? kMore + 1 : 1});
    const bool is_done = rounds.run(repeats.count * more);
    wire->close();
    if (is_done) return rounds.steady_growth();
    const auto fewer = more == 1 ? rounds.fewer_repeats() : std::nullopt;
    if (!fewer || *fewer >= repeats.count) {
      repeats.are_too_many = rounds.took_too_much();
      return std::nullopt;
    }
    repeats.count = *fewer;
  }
  return std::nullopt;
}

Growth Prober::may_grow(const std::vector<Case>& cases, Oracle what, const GrowthLimits& limits,
                        Clock::time_point until) {
  RepeatCount repeats{limits.repeats};
  if (growth(cases, {what, limits_for(cases, limits), until}, 1, repeats)) return Growth::kSteady;
  return repeats.are_too_many ? Growth::kTooMuch : Growth::kNone;
}

std::optional<Suspicion> Prober::grows(const std::vector<Case>& cases, Oracle what,
                                       const GrowthLimits& limits, Clock::time_point until) {
  RepeatCount repeats{limits.repeats};
  const Growing growing{what, limits_for(cases, limits), until};
  const auto slow = growth(cases, growing, 1, repeats);
  const auto fast = slow ? growth(cases, growing, kMore, repeats) : std::nullopt;
  const double wanted =
      kSteady * static_cast<double>(kMore) * static_cast<double>(slow.value_or(0));
  if (!fast || static_cast<double>(*fast) < wanted) return std::nullopt;
  const double each =
      static_cast<double>(*fast) / static_cast<double>(kRounds * repeats.count * kMore);
  Suspicion out;
  out.oracle = what;
  out.about = "with each repetition";
  out.detail =
      what == Oracle::kMemory
          ? fmt::format("Each repetition takes about {:.0f} bytes more, and keeps them", each)
          : fmt::format("Each repetition leaves about {:.2f} descriptors open", each);
  return out;
}

}  // namespace assay::fuzz
