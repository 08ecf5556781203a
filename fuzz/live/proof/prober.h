// Tries steps from a fresh start: what proves, or clears, a suspicion.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/target/step.h"
#include "fuzz/live/wire/wire.h"

namespace assay::fuzz {

// How a finding is provoked.
struct Recipe {
  Steps steps;
  bool is_fresh = false;  // without our handshake
  int manners = 0;        // how we answer what the target asks; see Courtesy
  friend bool operator==(const Recipe&, const Recipe&) = default;
};

// How much growth is told from the noise of a process.
struct GrowthLimits {
  std::size_t repeats = 300;            // of the case, in each round
  std::size_t memory_bytes = 4u << 20;  // over all rounds
  std::size_t descriptors = 24;
  // What a process that is tried may take: four times what it had at its start, `least_room` more
  // at least, and `most_room` more at most. Then it is ended.
  std::size_t least_room = 128u << 20;
  std::size_t most_room = 1u << 30;
  // For all that one case of growth takes.
  std::chrono::milliseconds time{15'000};
};

// What repeating some cases came to.
enum class Growth : std::uint8_t {
  kNone,
  kSteady,
  kTooMuch,  // not even one repetition in each round stays within what the process may take
};

// How much more a process may take that had this much memory at its start.
std::size_t memory_room(std::size_t at_start, const GrowthLimits& limits);

class Prober {
 public:
  using Clock = std::chrono::steady_clock;
  // All outlive it.
  Prober(const harness::TargetAccess& access, const Vocabulary& words, Waits waits,
         std::stop_token stop)
      : access_(access), words_(words), waits_(waits), stop_(std::move(stop)) {}
  ~Prober();

  // What looks wrong when the steps are sent on a wire of their own. Nothing where the target could
  // not be started or did not take the handshake.
  Suspicions run(const Recipe& recipe, const Waits& waits,
                 harness::Transcript* transcript = nullptr);
  // The suspicion of this signature, if the steps bring it up. The signature may be one that was
  // written down: without the secrets of the access.
  std::optional<Suspicion> find(const Recipe& recipe, const std::string& signature,
                                const Waits& waits, harness::Transcript* transcript = nullptr);
  // The same on a process that others were tried on before, which takes no start: for a guess that
  // find() is asked about afterwards.
  bool may_show(const Recipe& recipe, const std::string& signature, const Waits& waits);
  // Whether repeating the cases makes the process grow, steadily, in a fresh process: each of
  // several rounds must add its share, and four times the repetitions four times as much. Nothing
  // where that is not seen by `until`, or not within the memory that the process may take.
  std::optional<Suspicion> grows(const std::vector<Case>& cases, Oracle what,
                                 const GrowthLimits& limits, Clock::time_point until);
  // The same for one process, and with so many repetitions only: for a guess that grows() is asked
  // about afterwards.
  Growth may_grow(const std::vector<Case>& cases, Oracle what, const GrowthLimits& limits,
                  Clock::time_point until);
  // Vocabulary::label of what it tries.
  std::string label(std::string_view method) const { return words_.label(method); }
  // A request that every server answers at once.
  Step fence_step() const;
  // An empty transcript that keeps as little of secrets as those of every other command.
  harness::Transcript transcript() const {
    return harness::Transcript(access_.secret_headers, access_.vault, access_.budget);
  }
  // A call of the tool with arguments that its schema asks for; nothing if it may not be called.
  Steps usual_call(const std::string& tool) const;

  const Waits& waits() const { return waits_; }
  std::size_t trials() const { return trials_; }
  bool is_stopped() const { return stop_.stop_requested(); }
  const std::stop_token& stop() const { return stop_; }

 private:
  struct Growing {
    Oracle what;
    GrowthLimits limits;
    Clock::time_point until;
  };
  struct RepeatCount {
    std::size_t count = 0;
    bool are_too_many = false;  // even one takes too much
  };

  // A wire of which the process has been started and nothing has been sent to.
  struct Ready {
    std::unique_ptr<Wire> wire;
    Waits waits;
  };

  // As run(), which ends when the suspicion of the signature, if there is one, is there.
  Suspicions run_until(const Recipe& recipe, const std::string& signature, const Waits& waits,
                       harness::Transcript* transcript);
  // By how much, if it is steady.
  std::optional<std::size_t> growth(const std::vector<Case>& cases, const Growing& growing,
                                    std::size_t more, RepeatCount& repeats);
  std::unique_ptr<Wire> open_wire(bool is_fresh, const Waits& waits,
                                  harness::Transcript* transcript);

  const harness::TargetAccess& access_;
  const Vocabulary& words_;
  const Waits waits_;
  const std::stop_token stop_;
  std::size_t trials_ = 0;
  std::array<Ready, 2> ready_;  // the second is for recipes without a handshake
  Ready used_;                  // has had its handshake, and tries what may_show() is asked about
};

}  // namespace assay::fuzz
