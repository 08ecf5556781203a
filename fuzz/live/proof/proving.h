// From suspicions to findings: what looks wrong waits here until it is proved, the worst first.
//
// To prove is to provoke it again from a fresh start, to make it small, and to show it twice more.
// What there was no time for, and what ended the process and did not show again, is kept as such.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "fuzz/live/proof/finding.h"
#include "fuzz/live/proof/history.h"
#include "fuzz/live/proof/minimizer.h"
#include "fuzz/live/proof/prober.h"

namespace assay::fuzz {

// A suspicion, with all that may be needed to provoke it again.
struct Suspect {
  Suspicion suspicion;
  SentPtr culprit = nullptr;         // the case it is laid to, if that is known
  std::vector<SentPtr> before = {};  // what the process was sent, the culprit included
  std::size_t first_of_batch = 0;    // the cases among which it was seen
  std::size_t last_of_batch = 0;
  int manners = 0;
  std::size_t found_at_case = 0;

  // What was done to the culprit; empty if it is not known.
  std::string origin() const;
};

// While minimizing, a wait is cut to the first of these: the result is proved with the full waits
// again, and if that fails it was too short.
inline constexpr std::chrono::milliseconds kShortWaits[] = {std::chrono::milliseconds(250),
                                                            std::chrono::milliseconds(1500)};
// With no wait for an answer, or a ping, longer than `most`.
Waits shortened(Waits waits, std::chrono::milliseconds most);
// What is waited for while minimizing.
Waits quick_waits(const Waits& waits, std::chrono::milliseconds most, Oracle oracle);

// Whether seeing it means waiting for what does not come.
bool takes_waiting(Oracle oracle);
// Whether a process lives on when it shows it, so that the same one can be asked again.
bool is_survived(Oracle oracle);

// Whether what is said of it names one place in one kind of answer, or one rule: it is then one
// cause, however it was provoked.
bool names_its_place(Oracle oracle);
// What tells one cause from another: what a process says before it ends ("TypeError: x is null"),
// or the form of what was sent.
std::string cause_key(const Suspicion& suspicion, const Recipe& recipe);
// "suspected-hang-1a2b3c4d": the name of its folder.
std::string suspected_id(const Suspicion& suspicion);

// How often something that looks the same is looked into.
inline constexpr std::size_t kMostOfSignature = 4;
// What is kept of what was suspected and not proved.
inline constexpr std::size_t kMostUnproved = 100;

// Used by one thread.
class Proving {
 public:
  using Clock = std::chrono::steady_clock;
  struct Setting {
    Prober& prober;
    // Makes more like it, for what is proved at the same time; empty: one thing is proved after the
    // other.
    std::function<std::unique_ptr<Prober>()> another = nullptr;
    bool is_http = false;
    bool has_ping = true;  // the revision has one
    MinimizeLimits minimize = {};
    std::size_t most_findings = 100;
    std::function<void(const ServerFinding&)> on_finding = [](const ServerFinding&) {};
    // One of them takes fewer messages than it took.
    std::function<void(const ServerFinding&)> on_smaller = [](const ServerFinding&) {};
  };
  // Bounds on what waits.
  static constexpr std::size_t kMostWaiting = 96;
  static constexpr std::size_t kMostWaitingBytes = 24u << 20;
  // Of all that a process was sent, that much at its end is tried as one.
  static constexpr std::size_t kMostGathered = 2u << 20;
  // What is looked into at the same time, where seeing it means waiting.
  static constexpr std::size_t kMostAtOnce = 4;

  explicit Proving(Setting setting) : setting_(std::move(setting)) {}

  // Notes that this was suspected. False if what looks the same is waiting or has been looked into
  // often enough.
  bool wants(const Suspect& suspect);
  // Lets it wait, unless the like of it has been looked into often enough.
  void add(Suspect suspect);
  bool has_work() const { return !waiting_.empty(); }
  // Looks into the worst for which there is time, and into some others beside it where seeing them
  // means waiting; false if there is none. `time` bounds what is done to make it small; what waits
  // for answers that do not come takes some waits more.
  bool prove_next(std::chrono::milliseconds time);
  // A finding that was proved elsewhere.
  void add_finding(ServerFinding finding);
  // Notes what was suspected and will not be proved.
  void note_unproved(const Suspicion& suspicion, const Recipe& recipe, const std::string& origin,
                     std::size_t found_at_case, bool was_tried);
  // The same of growth, which is proved elsewhere and did not show again, or not in time.
  void note_not_reproduced(const Suspicion& suspicion, const Recipe& recipe,
                           std::size_t found_at_case, bool was_cut);
  // Whether a finding takes many messages, and was not made smaller yet.
  bool has_large() const { return largest() != nullptr; }
  // What it takes to make the largest finding smaller, at least.
  std::chrono::milliseconds shrinking_time() const;
  // Makes the largest finding smaller, or tries to, within the time; false if there is none. Where
  // nothing but the number of messages counts, it says so.
  bool make_smaller(std::chrono::milliseconds time);
  // What still waits becomes unproved.
  void give_up();

  const std::vector<ServerFinding>& findings() const { return findings_; }
  // What was suspected and not proved, each once.
  const std::vector<ServerFinding>& unproved() const { return unproved_; }
  std::size_t not_reproduced() const { return not_reproduced_; }
  // Fresh starts of those that were made in addition.
  std::size_t more_trials() const { return more_trials_; }

 private:
  // Who looks into one suspicion. Several work at the same time, and read what is known so far.
  struct Worker {
    Prober& prober;
    Clock::time_point until;  // for making small
  };
  // What came of it.
  struct Outcome {
    enum class Kind : std::uint8_t { kProved, kKnown, kNotShown };
    Kind kind = Kind::kNotShown;
    Suspicion suspicion = {};
    Recipe recipe = {};  // with which it was tried; empty: with all that was sent
    ServerFinding finding = {};
    bool was_stopped = false;
  };

  bool is_new_enough(const Suspect& suspect);
  bool can_wait_at_once() const { return setting_.another != nullptr; }
  std::chrono::milliseconds least_time(const Suspect& suspect) const;
  // The worst for which there is time, and what can be looked into beside it.
  std::vector<Suspect> take_next(std::chrono::milliseconds time);
  Outcome look_into(const Suspect& suspect, const Worker& worker) const;
  void take_in(const Suspect& suspect, Outcome outcome);
  std::optional<Recipe> provoke(const Suspect& suspect, Prober& prober) const;
  // As `provoke`, when the case it is laid to does not show it alone. `first`: what comes before
  // all others.
  std::optional<Recipe> provoke_together(const Suspect& suspect, Prober& prober,
                                         const Steps& first) const;
  // A missing call: a call of the same tool that is answered. Nothing of anything else.
  Steps answered_call(const Suspect& suspect) const;
  // False if what it comes to has been looked into often enough.
  bool simplify_method(Suspicion& suspicion, Recipe& recipe, Prober& prober) const;
  bool prove_small(ServerFinding& finding, const Recipe& recipe, const Suspicion& suspicion,
                   const Worker& worker) const;
  // Whether the recipe shows it twice more; fills the finding with the proof.
  bool confirm(ServerFinding& finding, const Recipe& recipe, const Suspicion& suspicion,
               Prober& prober) const;
  // What is unproved; what fails the run all the same has room in any case.
  void keep_unproved(ServerFinding finding);
  // Whether a finding of this signature is known.
  bool has_shown(const std::string& signature) const;
  // One more of a finding that is known; false if none is.
  bool count_again(const std::string& signature);
  MinimizeLimits limits(const Worker& worker) const;
  // shrinking.cc
  // Null if there is none.
  const ServerFinding* largest() const;
  Recipe shrunk(const ServerFinding& finding, const Worker& worker, std::chrono::milliseconds wait,
                Repeats& repeats) const;
  // The step so often as it takes, if the finding shows by the step alone and takes many.
  std::optional<Recipe> fewest(const Step& one, const ServerFinding& finding, const Worker& worker,
                               const std::function<bool(const Recipe&)>& shows) const;

  Setting setting_;
  std::vector<Suspect> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::map<std::string, std::size_t> looked_into_;  // by signature, and by signature and origin
  std::map<std::string, std::size_t> suspected_;    // how often, by signature
  std::unordered_set<std::string> known_;           // signatures and outlines of the findings
  std::vector<ServerFinding> findings_;
  std::vector<ServerFinding> unproved_;
  std::unordered_set<std::string> shrunk_;  // ids of findings
  std::size_t not_reproduced_ = 0;
  std::size_t more_trials_ = 0;
};

}  // namespace assay::fuzz
