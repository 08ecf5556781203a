// From suspicions to findings: what looks wrong waits here until it is proved, the worst first.
//
// To prove is to provoke it again from a fresh start, to make it small, and to show it twice more.
// What there was no time for, and what ended the process and did not show again, is kept as such.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
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
    bool is_http = false;
    bool has_ping = true;  // the revision has one
    MinimizeLimits minimize = {};
    std::size_t most_findings = 100;
    std::function<void(const ServerFinding&)> on_finding = [](const ServerFinding&) {};
  };
  // Bounds on what waits.
  static constexpr std::size_t kMostWaiting = 96;
  static constexpr std::size_t kMostWaitingBytes = 24u << 20;
  // Of all that a process was sent, that much at its end is tried as one.
  static constexpr std::size_t kMostGathered = 2u << 20;

  explicit Proving(Setting setting) : setting_(std::move(setting)) {}

  // False, and it is only counted, if what looks the same is waiting or has been looked into often
  // enough.
  bool wants(const Suspect& suspect);
  // Lets it wait, if it is wanted.
  void add(Suspect suspect);
  bool has_work() const { return !waiting_.empty(); }
  // Looks into the worst for which there is time; false if there is none. `time` bounds what is
  // done to make it small; what waits for answers that do not come takes three waits more.
  bool prove_next(std::chrono::milliseconds time);
  // A finding that was proved elsewhere.
  void add_finding(ServerFinding finding);
  // Notes what was suspected and will not be proved.
  void note_unproved(const Suspicion& suspicion, const Recipe& recipe, const std::string& origin,
                     std::size_t found_at_case, bool was_tried);
  // The same of growth, which is proved elsewhere and did not show again, or not in time.
  void note_not_reproduced(const Suspicion& suspicion, const Recipe& recipe,
                           std::size_t found_at_case, bool was_cut);
  // What still waits becomes unproved.
  void give_up();

  const std::vector<ServerFinding>& findings() const { return findings_; }
  // What was suspected and not proved, each once.
  const std::vector<ServerFinding>& unproved() const { return unproved_; }
  std::size_t not_reproduced() const { return not_reproduced_; }

 private:
  std::chrono::milliseconds least_time(const Suspect& suspect) const;
  void look_into(Suspect suspect);
  std::optional<Recipe> provoke(const Suspect& suspect);
  // As `provoke`, when the case it is laid to does not show it alone.
  std::optional<Recipe> provoke_together(const Suspect& suspect);
  // A missing call: an answered call of the same tool, and then the culprit.
  std::optional<Recipe> after_answered_call(const Suspect& suspect) const;
  // False if what it comes to has been looked into often enough.
  bool simplify_method(Suspicion& suspicion, Recipe& recipe);
  void prove(Suspect suspect, Recipe recipe);
  bool prove_small(ServerFinding& finding, const Recipe& recipe, const Suspicion& suspicion);
  // Whether the recipe shows it twice more; fills the finding with the proof.
  bool confirm(ServerFinding& finding, const Recipe& recipe, const std::string& signature);
  // What is unproved; what fails the run all the same has room in any case.
  void keep_unproved(ServerFinding finding);
  // Whether a finding of this signature is known.
  bool has_shown(const std::string& signature) const;
  // One more of a finding that is known; false if none is.
  bool count_again(const std::string& signature);
  MinimizeLimits limits() const;

  Setting setting_;
  std::vector<Suspect> waiting_;
  std::size_t waiting_bytes_ = 0;
  Clock::time_point until_;                         // for making small, of the one at hand
  std::map<std::string, std::size_t> looked_into_;  // by signature, and by signature and origin
  std::unordered_set<std::string> known_;           // signatures and outlines of the findings
  std::vector<ServerFinding> findings_;
  std::vector<ServerFinding> unproved_;
  std::size_t not_reproduced_ = 0;
};

}  // namespace assay::fuzz
