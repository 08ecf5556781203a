// One revision of a client over one transport, while it is certified.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/host/certify_client.h"
#include "harness/host/participation.h"
#include "harness/host/time_allowance.h"
#include "harness/runner/client_scenario.h"
#include "harness/runner/judgement.h"
#include "reports/settle.h"

namespace assay::harness {

// What all runs of one certification share.
struct Company {
  std::shared_mutex stage;  // held by all that play; exclusively by who plays alone
  // How often a client ended badly beside others, and alone just so.
  std::atomic<int> no_better_alone = 0;
};

// Thread safety: play() may be called from several threads at once, but scenarios of one topic
// follow each other.
class ClientRun {
 public:
  // The arguments outlive it.
  ClientRun(const CertifyClientOptions& options, model::Revision revision, Company& company);

  std::vector<const ClientScenario*> plan() const;
  // The same in rows: what a client did in one scenario of a row decides about the next.
  std::vector<std::vector<const ClientScenario*>> rows() const;
  reports::RunKey key() const;

  // False once nothing more can be played.
  bool play(const ClientScenario& scenario);
  // Once nothing is played any more.
  reports::Run finish(reports::Target& target);

 private:
  // More scenarios would show no more of a client that never says anything, and take minutes.
  static constexpr int kEnoughSilence = 12;

  // What is known of scenarios with one topic.
  struct Topic {
    bool was_played = false;
    bool is_idle = false;      // the client did nothing in the first
    bool is_mastered = false;  // it did all of it in one
    Feats feats;
  };

  // Where `mutex_` is named, the caller holds it.
  std::optional<Performance> perform_once(const ClientScenario& scenario,
                                          const ClientPatience& patience);
  // Nothing else may be played meanwhile.
  std::optional<Performance> perform_alone(const ClientScenario& scenario, bool is_for_patience);
  void note_pace(const ClientScenario& scenario, const Performance& performance);
  // It was waited for in many scenarios, and said nothing in any: mutex_.
  bool is_mute() const { return !has_spoken_ && late_count_ >= kEnoughSilence; }
  bool was_cut(const Performance& performance);
  // About an extension that the client, as far as it was heard, does not declare: mutex_.
  bool is_out_of_scope(const ClientScenario& scenario) const;
  bool is_worth_a_look_alone(const ClientScenario& scenario, const GuestEnd& end) const;
  // Takes over what the performance shows of the client, besides breaches: mutex_.
  void learn_from(const ClientScenario& scenario, const Performance& performance);
  void note_end(const ClientScenario& scenario, const GuestEnd& end, bool took_part);  // mutex_
  void note_judgements(const ClientScenario& scenario, Judgements judgements, bool is_taken_up);
  void hand_over(const ClientScenario& scenario, const RecordedSession& session) const;
  Judgements judge(const ClientScenario& scenario, const Performance& performance) const;
  static void excuse(const ClientScenario& scenario, const Performance& performance,
                     Finding& finding);

  // client_run_verdicts.cc, once all is played:
  Judgements all_judgements();
  void weigh_contrasts(Judgements& judgements) const;
  void excuse_unplayed(std::vector<reports::Candidate>& candidates) const;
  // Sets status and reason, where something kept the client from being judged.
  void conclude(reports::Run& run) const;
  void conclude_idle(reports::Run& run, bool is_violated) const;
  std::string too_little(const reports::Run& run) const;
  std::string first_end() const;
  std::string ends() const;
  bool ended_badly_throughout() const;

  const CertifyClientOptions& options_;
  const model::Revision revision_;
  const TransportKind transport_;
  Company& company_;

  std::mutex mutex_;                                   // guards what follows, until all is played
  std::map<std::string_view, Judgements> judgements_;  // by scenario
  reports::Cost cost_;
  Json server_;
  Json client_;
  model::ExtensionSet declared_;  // by the client, in its requests
  std::optional<Clock::time_point> began_;
  Clock::time_point ended_;
  bool has_contrast_ = false;  // it took part in a scenario, and ended well
  bool was_reached_ = false;
  bool has_spoken_ = false;
  bool was_stopped_ = false;
  TimeAllowance allowance_;
  int late_count_ = 0;  // scenarios in which it did not end by itself
  Participation participation_;
  std::map<std::string_view, Topic> topics_;
  // That no way of the client's leads to, with what is missing.
  std::map<std::string_view, Act> unplayed_;
  std::string trouble_;                        // why no server could be brought up
  std::string shortfall_;                      // why less was recorded than passed
  std::map<std::string_view, GuestEnd> ends_;  // the latest, by scenario
};

// The client came to its end by itself, and said how it went; or its scenario lets it end so.
bool ended_well(const ClientScenario& scenario, const GuestEnd& end);

}  // namespace assay::harness
