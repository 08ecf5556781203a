#include "fuzz/live/prober.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace assay::fuzz {
namespace {

constexpr std::size_t kRounds = 6;
// Each round must add at least this share of what the rounds add on average.
constexpr double kSteady = 0.6;

std::size_t held(const Holdings& holdings, Oracle what) {
  return what == Oracle::kMemory ? holdings.memory_bytes : holdings.descriptors;
}

WireState play(Wire& wire, const Recipe& recipe) {
  wire.set_manners(recipe.manners);
  const Case one{recipe.is_fresh, recipe.steps, "", {}};
  wire.post(std::span(&one, 1), 1);
  if (wire.await() == WireState::kAlive) wire.settle();
  // What happens on other threads of the target may show only now.
  wire.post({}, 2);
  const WireState state = wire.await();
  if (state == WireState::kAlive) wire.settle();
  return state;
}

}  // namespace

Prober::~Prober() {
  for (const Ready& ready : ready_) {
    if (ready.wire) ready.wire->close();
  }
  if (used_.wire) used_.wire->close();
}

// A process takes long to start, so that of the next trial starts while this one runs. What proves
// a finding is written down, and has a process that starts when it is needed.
std::unique_ptr<Wire> Prober::open_wire(bool is_fresh, const Waits& waits,
                                        harness::Transcript* transcript) {
  const auto start = [&]() -> std::unique_ptr<Wire> {
    auto wire = make_wire({access_, words_, waits, transcript}, is_fresh);
    if (wire->open()) return nullptr;
    return wire;
  };
  if (transcript != nullptr || access_.kind != harness::TransportKind::kStdio) return start();
  Ready& ready = ready_[is_fresh ? 1 : 0];
  std::unique_ptr<Wire> wire = std::move(ready.wire);
  if (wire && ready.waits != waits) {
    wire->close();
    wire = nullptr;
  }
  if (!wire) wire = start();
  ready = {start(), waits};
  return wire;
}

Suspicions Prober::run(const Recipe& recipe, const Waits& waits, harness::Transcript* transcript) {
  ++trials_;
  const auto wire = open_wire(recipe.is_fresh, waits, transcript);
  if (!wire) return {};
  if (!recipe.is_fresh && !wire->begin()) {
    wire->close();
    return {};
  }
  play(*wire, recipe);
  wire->close();
  return wire->judge().take_suspicions();
}

bool Prober::may_show(const Recipe& recipe, const std::string& signature, const Waits& waits) {
  if (used_.wire && used_.waits != waits) {
    used_.wire->close();
    used_.wire = nullptr;
  }
  if (!used_.wire) {
    used_ = {open_wire(false, waits, nullptr), waits};
    if (!used_.wire) return false;
    if (!used_.wire->begin()) {
      used_.wire->close();
      used_.wire = nullptr;
      return false;
    }
  }
  used_.wire->judge().forget();
  const WireState state = play(*used_.wire, recipe);
  const Suspicions suspicions = used_.wire->judge().take_suspicions();
  if (state != WireState::kAlive) {
    used_.wire->close();
    used_.wire = nullptr;
  }
  return std::any_of(suspicions.begin(), suspicions.end(),
                     [&](const Suspicion& each) { return each.signature() == signature; });
}

std::optional<Suspicion> Prober::find(const Recipe& recipe, const std::string& signature,
                                      const Waits& waits, harness::Transcript* transcript) {
  for (Suspicion& suspicion : run(recipe, waits, transcript)) {
    if (suspicion.signature() == signature) return std::move(suspicion);
  }
  return std::nullopt;
}

// The growth for each repetition, times 1024, so that it stays whole; nothing where the growth is
// not steady, or something was left unanswered.
std::optional<std::size_t> Prober::growth_rate(const std::vector<Case>& cases, Oracle what,
                                               const GrowthLimits& limits, std::size_t repeats) {
  ++trials_;
  const WireSetting setting{access_, words_, waits_, nullptr};
  const auto wire = make_wire(setting, false);
  if (wire->open() || !wire->begin()) return std::nullopt;
  std::vector<Case> batch = cases;
  std::uint64_t last = 5'000'000;
  std::vector<std::size_t> readings;
  for (std::size_t round = 0; round <= kRounds + 1; ++round) {
    for (std::size_t i = 0; i < repeats && !stop_.stop_requested(); ++i) {
      for (Case& each : batch) renumber(each, last);
      wire->post(batch, 1);
      if (wire->await() != WireState::kAlive) return std::nullopt;
      (void)wire->judge().take_suspicions();
      (void)wire->judge().take_shapes();
    }
    const auto holdings = wire->holdings();
    if (!holdings) return std::nullopt;
    // The first round only warms the process up.
    if (round > 0) readings.push_back(held(*holdings, what));
  }
  wire->settle();
  for (const Suspicion& left : wire->judge().take_suspicions()) {
    if (left.oracle == Oracle::kMissing) return std::nullopt;
  }
  const std::size_t least = what == Oracle::kMemory ? limits.memory_bytes : limits.descriptors;
  if (readings.back() < readings.front() + least) return std::nullopt;
  const std::size_t total = readings.back() - readings.front();
  const double share = kSteady * static_cast<double>(total) / kRounds;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    if (static_cast<double>(readings[i]) < static_cast<double>(readings[i - 1]) + share) {
      return std::nullopt;
    }
  }
  return total * 1024 / (kRounds * repeats);
}

std::optional<Suspicion> Prober::grows(const std::vector<Case>& cases, Oracle what,
                                       const GrowthLimits& limits) {
  const auto slow = growth_rate(cases, what, limits, limits.repeats);
  if (!slow) return std::nullopt;
  const auto fast = growth_rate(cases, what, limits, limits.repeats * 4);
  if (!fast || static_cast<double>(*fast) < kSteady * static_cast<double>(*slow)) {
    return std::nullopt;
  }
  const double each = static_cast<double>(*fast) / 1024;
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
