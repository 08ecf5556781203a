// Fuzzes a client: launches it again and again before a server that is sound at first and then
// wrong on purpose in many answers at a time, and proves what it finds.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

#include "fuzz/live/client/client_judge.h"
#include "fuzz/live/client/launch.h"
#include "fuzz/live/target/time_limit.h"
#include "harness/runner/recorded_session.h"
#include "reference/model/random.h"

namespace assay::fuzz {

struct ClientFinding {
  std::string id;  // "crash-1a2b3c4d": the name of its folder
  ClientSuspicion suspicion;
  Spoils recipe;                                      // none: it shows when nothing is wrong
  std::vector<std::string> labels;                    // what each of them comes to
  std::vector<std::optional<Wording>> wordings = {};  // what each of them says, where that is known
  std::size_t found_at_case = 0;
  bool is_proved = true;
  // Where it is not: launches of its own in which it did not show again; none where there was no
  // time for them. And how long we ourselves came to nothing in the launch in which it was seen.
  std::size_t tries = 0;
  std::chrono::milliseconds longest_blink{0};
  // What passed when it was shown last: for `on_finding`, behind which it is gone.
  std::vector<harness::RecordedSession> sessions = {};

  // What tells it from others; the same in every run.
  std::string signature() const;
};

// Suspicions that are kept.
inline constexpr std::size_t kMostUnprovedOfClient = 20;
// Keeps what was suspected and not proved, each `id` once. What is certain fails the run, so that
// it takes the place of what is not when there is no room.
void keep_unproved(std::vector<ClientFinding>& kept, ClientFinding finding);

struct ClientProgress {
  std::size_t cases = 0;     // answers that were spoilt
  std::size_t launches = 0;  // to fuzz
  std::size_t trials = 0;    // launches to prove and to minimize
  std::size_t findings = 0;
  std::size_t not_reproduced = 0;
  double seconds = 0;
  double fuzzing_seconds = 0;  // without proofs
};

struct ClientFuzzOptions {
  std::optional<std::size_t> cases;
  std::optional<std::chrono::milliseconds> time;
  std::uint64_t seed = 1;
  std::set<ClientOracle> checks{std::begin(kClientOracles), std::end(kClientOracles)};
  std::stop_token stop;
  // Ends when one of these is proved.
  std::optional<ClientOracle> stops_at;
  std::size_t minimize_trials = 60;
  std::size_t most_findings = 100;  // then nothing more is looked into
  // To make the messages themselves small, once it takes as few as it goes.
  MinimizeLimits wording{.trials = 80, .time = std::chrono::milliseconds(20'000)};
  // Launches at a time: most of a launch is waiting. The cases are the same however many they are
  // that follow one another, and are judged in their order.
  std::size_t at_once = 6;
  std::function<void(const ClientProgress&)> on_progress;  // now and then; may be empty
  std::function<void(const ClientFinding&)> on_finding;
};

struct ClientFuzzOutcome {
  std::vector<ClientFinding> findings;
  // What was suspected and not proved, each once, with what passed when it was seen.
  std::vector<ClientFinding> unproved;
  ClientProgress progress;
  ClientBaseline baseline;
};

// Whether what was seen has that cause: as it was seen, or as a finding that was written down has
// it.
bool has_cause(const ClientTarget& target, const ClientSuspicion& seen, const std::string& cause);

class ClientFuzzer {
 public:
  ClientFuzzer(ClientTarget target, ClientFuzzOptions options);
  // Otherwise: why the client could not be tested.
  std::variant<ClientFuzzOutcome, std::string> run();
  // Whether the client shows it to these spoils: what it shows, if it does.
  std::variant<std::optional<ClientSuspicion>, std::string> replay(const ClientSuspicion& suspicion,
                                                                   const Spoils& spoils);

 private:
  using Clock = std::chrono::steady_clock;

  std::optional<std::string> survey();
  std::optional<LaunchReport> sound_launch(const SpoilPlan& plan, std::string& trouble);
  bool fuzz_on();
  SpoilPlan plan_for(std::uint64_t number);
  std::optional<Spoil> choose(std::uint64_t number, const SpoilPlace& place, std::size_t occurrence,
                              bool& was_rough);
  void prove(const ClientSuspicion& suspicion, const LaunchReport& report);
  bool is_known(const ClientSuspicion& suspicion, const Spoils& applied) const;
  bool shows(const ClientSuspicion& suspicion, const Spoils& spoils, int patience,
             LaunchReport* report = nullptr);
  // The first of them that shows it.
  std::optional<std::size_t> first_that_shows(const ClientSuspicion& suspicion,
                                              const std::vector<Spoils>& tries);
  Spoils minimize(const ClientSuspicion& suspicion, Spoils spoils);
  // The same spoils, each with as few words as it goes.
  Spoils minimize_wording(const ClientFinding& finding);
  // Whether it shows once more; fills it with what then passed.
  bool confirm(ClientFinding& finding);
  void add(ClientFinding finding);
  void note_unproved(ClientFinding finding, const LaunchReport& seen);
  bool is_said_already(const ClientFinding& finding) const;
  bool has_enough() const;
  bool is_over() const;
  void tell();

  const ClientTarget target_;
  const ClientFuzzOptions options_;
  TimeLimit limit_;
  ClientFuzzOutcome outcome_;
  const Clock::time_point began_ = Clock::now();
  Clock::duration proving_time_{0};
  // How often what looked like this was tried in vain.
  std::map<std::string, int> vain_;
  std::set<std::string> known_operators_;  // of findings: they have been seen enough
};

// Spoils what the list says, and nothing else.
SpoilPlan plan_of(Spoils spoils);

}  // namespace assay::fuzz
