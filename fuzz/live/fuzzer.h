// The live fuzzer: sends cases, keeps what was answered in a new way, and proves what looks wrong.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "fuzz/live/finding.h"
#include "fuzz/live/generator.h"
#include "fuzz/live/minimizer.h"
#include "fuzz/live/prober.h"
#include "fuzz/live/vocabulary.h"
#include "fuzz/live/wire.h"

namespace assay::fuzz {

// Where it stands, for a progress line.
struct Progress {
  std::size_t cases = 0;
  double seconds = 0;          // since it began
  double fuzzing_seconds = 0;  // without proving, minimizing, fresh starts and measuring pings
  std::size_t shapes = 0;
  std::size_t findings = 0;
  std::size_t not_reproduced = 0;  // looked wrong, and did not from a fresh start
  std::size_t trials = 0;          // fresh starts to prove and minimize
};

struct FuzzOptions {
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::size_t> cases;  // at least one of the two is set
  std::uint64_t seed = 1;
  harness::ToolPolicy tools;
  Waits waits;
  MinimizeLimits minimize;
  GrowthLimits growth;
  std::size_t memory_step = 64u << 20;  // growth that is looked into
  std::size_t descriptor_step = 48;
  std::size_t most_findings = 100;
  std::optional<Oracle> stops_at;  // the first finding of it ends the run
  std::stop_token stop;
  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
  // Called once, before the first case.
  std::function<void(const Vocabulary&)> on_survey = [](const Vocabulary&) {};
  // Called once for each finding, as it is proved.
  std::function<void(const Finding&)> on_finding = [](const Finding&) {};
};

struct FuzzOutcome {
  Progress progress;
  Vocabulary words;
  // Pings a second that the target answers one after another, measured before the first case and
  // every few seconds, so that both rates are of the same target under the same circumstances.
  double ping_rate = 0;
  std::vector<Finding> findings;
  bool went_away = false;  // a target that we cannot start again does not answer any more
};

// Used by one thread.
class Fuzzer {
 public:
  // `access` outlives it.
  Fuzzer(const harness::TargetAccess& access, FuzzOptions options)
      : access_(access), options_(std::move(options)) {}

  // A Failure if the target does not start, or does not speak the protocol.
  std::variant<FuzzOutcome, transport::Failure> run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Batch {
    std::vector<Case> cases;
    std::size_t first_number = 0;
    int manners = 0;
  };
  // A case that the process was sent.
  struct Sent {
    Case made;
    std::size_t number = 0;
    int manners = 0;
  };

  bool is_over() const;
  bool start_wire();
  void measure_pings(std::chrono::milliseconds time);
  void loop();
  Batch make_batch();
  void post(const Batch& batch);
  void finish_batch(const Batch& batch, WireState state);
  void run_fresh_case();
  void remember(const Batch& batch);
  void keep_new(const std::vector<Shape>& shapes, const Batch& batch);
  void look_into(const Suspicions& suspicions, const Batch& batch);
  void investigate(const Suspicion& suspicion, const Batch& batch);
  // The case it is laid to, if that is known.
  std::optional<Sent> find_culprit(const Suspicion& suspicion, const Batch& batch) const;
  // What the process was sent from the case `first` to the case `last`, as one recipe.
  Recipe gather(std::size_t first, std::size_t last, int manners) const;
  std::optional<Recipe> provoke(const Suspicion& suspicion, const Batch& batch,
                                const std::optional<Sent>& culprit);
  // False if what it comes to has been looked into often enough.
  bool simplify_method(Suspicion& suspicion, Recipe& recipe);
  // Whether the recipe shows it twice more; fills the finding with the proof.
  bool confirm(Finding& finding, const Recipe& recipe, const std::string& signature);
  void prove(Suspicion suspicion, Recipe recipe, const std::string& origin);
  void add(Finding finding);
  // One more of a finding that is known; false if none is.
  bool count_again(const std::string& signature);
  void watch_growth();
  void find_grower(Oracle what);
  void tell();
  double seconds_since(Clock::time_point time) const;

  const harness::TargetAccess& access_;
  FuzzOptions options_;
  FuzzOutcome outcome_;
  std::unique_ptr<Generator> generator_;
  std::unique_ptr<Prober> prober_;
  std::unique_ptr<Wire> wire_;
  Clock::time_point began_;
  Clock::duration not_fuzzing_{0};  // proving, minimizing, fresh starts and pings
  Clock::duration pinging_{0};
  std::size_t pinged_ = 0;
  Clock::time_point pinged_at_;
  Clock::time_point told_at_;
  std::unordered_set<std::uint64_t> shapes_;
  std::map<std::string, std::size_t> looked_into_;  // by signature, and by signature and origin
  std::unordered_set<std::string> known_;           // signatures and outlines of the findings
  // Since the process began: what may have led to its state, and what it may have grown by.
  std::deque<Sent> history_;
  std::size_t history_bytes_ = 0;
  std::optional<Holdings> held_before_;
  std::map<Oracle, std::size_t> growth_looks_;
  std::size_t batches_ = 0;
  std::size_t next_number_ = 1;
  std::size_t next_fresh_ = 0;
  std::size_t fresh_every_ = 0;
};

}  // namespace assay::fuzz
