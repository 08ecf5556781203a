// The live fuzzer: sends cases, keeps what was answered in a new way, and proves what looks wrong.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/proof/finding.h"
#include "fuzz/live/proof/history.h"
#include "fuzz/live/proof/minimizer.h"
#include "fuzz/live/proof/prober.h"
#include "fuzz/live/proof/proving.h"
#include "fuzz/live/target/time_limit.h"
#include "fuzz/live/target/vocabulary.h"
#include "fuzz/live/wire/wire.h"

namespace assay::fuzz {

// Where it stands, for a progress line.
struct Progress {
  std::size_t cases = 0;
  double seconds = 0;          // since it began
  double fuzzing_seconds = 0;  // without proving, minimizing, fresh starts and measuring pings
  std::size_t shapes = 0;
  std::size_t findings = 0;
  std::size_t not_reproduced = 0;  // looked wrong, and did not from a fresh start
  std::size_t unproved = 0;        // suspected, and never proved
  std::size_t trials = 0;          // fresh starts to prove and minimize
  std::size_t floods = 0;          // batches not judged, for more came than we can read
};

struct FuzzOptions {
  std::optional<std::chrono::milliseconds> time;
  std::optional<std::size_t> cases;  // at least one of the two is set
  std::uint64_t seed = 1;
  harness::ToolPolicy tools;
  std::optional<model::Revision> revision;  // nothing: what the target takes; see survey()
  Waits waits;
  MinimizeLimits minimize;
  GrowthLimits growth;
  std::size_t memory_step = 64u << 20;  // growth that is looked into
  std::size_t descriptor_step = 48;
  std::size_t most_findings = 100;
  std::chrono::milliseconds ping_time{1000};  // for measuring the target's pings, before it begins
  std::set<Oracle> checks{std::begin(kOracles), std::end(kOracles)};  // what is judged
  // What is seen only by waiting is proved in several processes at once.
  bool proves_at_once = false;
  std::vector<Word> words;         // of the user's, for arguments
  std::vector<Case> replayed;      // of earlier runs; they come first
  Sandbox* sandbox = nullptr;      // see Vocabulary
  std::optional<Oracle> stops_at;  // the first finding of it ends the run
  std::stop_token stop;
  std::function<void(const Progress&)> on_progress = [](const Progress&) {};
  // Called once, before the first case.
  std::function<void(const Vocabulary&)> on_survey = [](const Vocabulary&) {};
  // Called for each case that was answered in a new way.
  std::function<void(const Case&)> on_new_shape = [](const Case&) {};
  // Called once for each finding, as it is proved.
  std::function<void(const ServerFinding&)> on_finding = [](const ServerFinding&) {};
  // Called where one of them was made smaller in the end.
  std::function<void(const ServerFinding&)> on_smaller = [](const ServerFinding&) {};
};

struct FuzzOutcome {
  Progress progress;
  Vocabulary words;
  // Pings a second that the target answers one after another, measured before the first case and
  // every few seconds, so that both rates are of the same target under the same circumstances.
  double ping_rate = 0;
  std::vector<ServerFinding> findings;
  std::vector<ServerFinding> unproved;  // what was suspected and not proved
  std::string slowed_by;   // what took most of the time, if much was waited for; may be empty
  bool went_away = false;  // a target that we cannot start again does not answer any more
};

// Used by one thread.
class Fuzzer {
 public:
  // `access` outlives it.
  Fuzzer(const harness::TargetAccess& access, FuzzOptions options);

  // A Failure if the target does not start, or does not speak the protocol, or if we were stopped
  // before that was known.
  std::variant<FuzzOutcome, transport::Failure> run();

 private:
  using Clock = std::chrono::steady_clock;
  struct Batch {
    std::vector<Case> cases;
    std::size_t first_number = 0;
    int manners = 0;
  };

  bool is_http() const { return access_.kind.has_url(); }
  // No more is looked for; or, not even what was seen is looked into.
  bool is_over() const;
  bool is_done() const;
  // What is left of the time goes into making findings smaller.
  bool is_time_to_shrink() const;
  bool start_wire();
  void close_wire();
  void measure_pings(std::chrono::milliseconds time);
  void loop();
  // After a batch: proves, keeps the process fit and the figures fresh. False if that is the end.
  bool attend(WireState state);
  Batch make_batch();
  void post(const Batch& batch);
  void finish_batch(const Batch& batch, WireState state);
  void run_fresh_case();
  void keep_new(const std::vector<NewShape>& shapes, const Batch& batch);
  void suspect(const Suspicions& suspicions, const Batch& batch);
  void note_costly(const Suspect& suspect);
  void prove();
  // What the next proof may take now.
  std::chrono::milliseconds proving_share() const;
  // growth.cc
  void watch_growth();
  void find_grower(Oracle what);
  std::vector<Case> growth_suspects() const;
  void tell();

  const harness::TargetAccess& access_;
  FuzzOptions options_;
  TimeLimit limit_;
  FuzzOutcome outcome_;
  std::unique_ptr<Generator> generator_;
  std::unique_ptr<Prober> prober_;
  std::unique_ptr<Proving> proving_;
  std::unique_ptr<Wire> wire_;
  Delays delays_;  // of the wires before
  Clock::time_point began_;
  Clock::duration proving_time_{0};
  Clock::duration not_fuzzing_{0};  // proving, minimizing, fresh starts and pings
  Clock::duration pinging_{0};
  std::size_t pinged_ = 0;
  Clock::time_point pinged_at_;
  Clock::time_point told_at_;
  std::unordered_set<std::uint64_t> shapes_;
  std::map<std::string, std::size_t> costly_;  // origins that cost a process, and how often
  History history_;
  std::optional<std::size_t> memory_at_start_;  // of the process
  std::map<Oracle, std::size_t> held_before_;   // when its growth was last looked into
  std::map<Oracle, std::size_t> growth_looks_;
  bool needs_restart_ = false;  // the process has taken more memory than it may
  std::size_t batch_size_ = 0;
  std::size_t batches_ = 0;
  std::size_t next_number_ = 1;
  std::size_t next_fresh_ = 0;
  std::size_t fresh_every_ = 0;
};

}  // namespace assay::fuzz
