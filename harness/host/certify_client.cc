#include "harness/host/certify_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/trace.h"
#include "harness/runner/confirmation.h"
#include "harness/runner/new_result.h"
#include "harness/runner/proofs.h"
#include "harness/runner/verdicts.h"
#include "harness/runner/worker_pool.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "reports/bound.h"
#include "reports/escape.h"
#include "reports/settle.h"

namespace assay::harness {
namespace {

using reports::RunStatus;
using std::chrono::milliseconds;

// What is provoked a second time, because something did not come, has this many times as long.
constexpr int kMorePatience = 3;
// Of the scenarios in which the client did not end well these are named.
constexpr std::size_t kMostNamed = 3;

// The client went on from the beginning of the session: it speaks what was offered.
bool took_part(const RecordedSession& session, model::Revision revision) {
  return std::any_of(session.events.begin(), session.events.end(), [&](const EventPtr& event) {
    if (!event->is_from_client() || event->message() == nullptr) return false;
    const wire::Message& message = *event->message();
    if (!revision.has_handshake()) return revision_of(message) == revision;
    return message.method() == "notifications/initialized" ||
           message.method().find("/list") != std::string_view::npos ||
           message.method() == "tools/call";
  });
}

// The client asked for that revision, so it says that it speaks it.
bool asked_for(const RecordedSession& session, model::Revision revision) {
  return std::any_of(session.events.begin(), session.events.end(), [&](const EventPtr& event) {
    const wire::Message* message = event->is_from_client() ? event->message() : nullptr;
    return message != nullptr && message->method() == "initialize" &&
           text_member(message->params(), "protocolVersion") == revision.text();
  });
}

// It came to its end by itself, and said how it went.
bool ended_well(const ClientScenario& scenario, const GuestEnd& end) {
  const bool is_exit = end.kind == GuestEnd::Kind::kExited && !end.exit.signal;
  const bool has_waited = end.kind == GuestEnd::Kind::kLate && scenario.enough.count() > 0;
  return end.is_sound() || (is_exit && scenario.may_fail) || has_waited;
}

// One revision over one transport.
class ClientRun {
 public:
  // `stage`: held by all that play; whoever wants to be alone holds it exclusively.
  ClientRun(const CertifyClientOptions& options, model::Revision revision, TransportKind transport,
            std::shared_mutex& stage)
      : options_(options), revision_(revision), transport_(transport), stage_(stage) {}

  std::vector<const ClientScenario*> plan() const {
    std::vector<const ClientScenario*> plan;
    for (const ClientScenario& scenario : client_scenarios()) {
      const bool is_in = scenario.applies_to(revision_, transport_);
      if (is_in && options_.wants(scenario.name)) plan.push_back(&scenario);
    }
    return plan;
  }
  reports::RunKey key() const {
    return {std::string(revision_.text()), std::string(name(transport_))};
  }

  // False once nothing more can be played.
  bool play(const ClientScenario& scenario);
  reports::Run finish(reports::Target& target);

 private:
  Known known_of(std::string_view topic) const;
  std::optional<Performance> perform_once(const ClientScenario& scenario,
                                          const ClientPatience& patience);
  bool was_cut(const Performance& performance);
  // Takes over what the performance shows of the client, besides breaches. False if it could not be
  // started.
  bool learn_from(const ClientScenario& scenario, const Performance& performance);
  void hand_over(const ClientScenario& scenario, const RecordedSession& session) const;
  Judgements judge(const ClientScenario& scenario, const Performance& performance) const;
  static void excuse(const ClientScenario& scenario, const Performance& performance,
                     Finding& finding);
  void note_end(const ClientScenario& scenario, const GuestEnd& end);
  void excuse_unplayed(std::vector<reports::Candidate>& candidates) const;
  void weigh_contrasts();
  // Sets status and reason, where something kept the client from being judged.
  void conclude(reports::Run& run) const;
  std::string first_end() const;

  const CertifyClientOptions& options_;
  const model::Revision revision_;
  const TransportKind transport_;
  std::shared_mutex& stage_;
  Judgements judgements_;
  reports::Cost cost_;
  Json server_;
  Json client_;
  milliseconds duration_{0};
  int played_ = 0;
  int sound_ = 0;  // in which the client ended well, or as badly as it may
  bool ended_well_ = false;
  bool was_reached_ = false;
  bool has_spoken_ = false;
  bool took_part_ = false;
  bool asked_ = false;
  bool was_stopped_ = false;
  std::set<std::string_view> topics_;           // of scenarios that were played
  std::set<std::string_view> idle_topics_;      // in which the client did nothing
  std::set<std::string_view> mastered_topics_;  // in which it did all of it
  std::map<std::string_view, Feats> feats_;     // of each topic
  // That no way of the client's leads to, with what is missing.
  std::map<std::string_view, Act> unplayed_;
  std::string trouble_;    // why no server could be brought up
  std::string shortfall_;  // why less was recorded than passed
  std::vector<std::pair<std::string, GuestEnd>> bad_ends_;
};

Known ClientRun::known_of(std::string_view topic) const {
  const auto seen = feats_.find(topic);
  return {mastered_topics_.contains(topic), seen == feats_.end() ? Feats() : seen->second};
}

std::optional<Performance> ClientRun::perform_once(const ClientScenario& scenario,
                                                   const ClientPatience& patience) {
  ClientPatience bounded = patience;
  if (scenario.enough.count() > 0) bounded.scenario = std::min(bounded.scenario, scenario.enough);
  auto played = perform(scenario, revision_, options_.command, bounded, known_of(scenario.topic),
                        options_.vault, options_.stop);
  if (auto* performance = std::get_if<Performance>(&played)) return std::move(*performance);
  trouble_ = std::get<std::string>(played);
  return std::nullopt;
}

bool ClientRun::play(const ClientScenario& scenario) {
  if (idle_topics_.contains(scenario.topic)) return true;
  if (const auto missing = missing_way(scenario, options_.command)) {
    unplayed_.emplace(scenario.name, *missing);
    return true;
  }
  std::shared_lock beside_others(stage_);
  auto first = perform_once(scenario, options_.patience);
  beside_others.unlock();
  if (!first || was_cut(*first)) return false;
  Judgements judgements = judge(scenario, *first);
  bool is_taken_up = first->was_taken_up;
  bool is_started = learn_from(scenario, *first);
  if (needs_second_look(judgements)) {
    // Alone: nothing else is played meanwhile.
    const std::unique_lock alone(stage_);
    ClientPatience more = options_.patience;
    more.question *= kMorePatience;
    more.scenario *= 2;
    auto second = options_.stop.stop_requested() ? std::nullopt : perform_once(scenario, more);
    if (!second || was_cut(*second)) return false;
    is_taken_up = is_taken_up || second->was_taken_up;
    is_started = learn_from(scenario, *second) && is_started;
    judgements = confirmed(std::move(judgements), judge(scenario, *second));
  }
  const bool is_new = topics_.insert(scenario.topic).second;
  if (is_new && !scenario.topic.empty() && !is_taken_up) idle_topics_.insert(scenario.topic);
  std::move(judgements.begin(), judgements.end(), std::back_inserter(judgements_));
  bound_proofs(judgements_, nullptr);
  return is_started;
}

// What a stop cut short counts for nothing.
bool ClientRun::was_cut(const Performance& performance) {
  was_stopped_ = was_stopped_ || performance.end.kind == GuestEnd::Kind::kStopped;
  return was_stopped_;
}

bool ClientRun::learn_from(const ClientScenario& scenario, const Performance& performance) {
  note_end(scenario, performance.end);
  duration_ += performance.duration;
  was_reached_ = was_reached_ || performance.was_reached;
  has_spoken_ = has_spoken_ || performance.has_spoken;
  if (shortfall_.empty()) shortfall_ = performance.shortfall;
  if (performance.has_succeeded) mastered_topics_.insert(scenario.topic);
  Feats feats = performance.feats;
  if (!feats.empty()) feats_[scenario.topic].merge(feats);
  for (const RecordedSession& session : performance.sessions) {
    took_part_ = took_part_ || took_part(session, revision_);
    asked_ = asked_ || asked_for(session, revision_);
    cost_ += cost_of_conversation(session.events, Party::kClient);
    const Introductions said = introductions_in(session.events);
    if (said.server.is_object()) server_.merge_patch(said.server);
    if (said.client.is_object()) client_.merge_patch(said.client);
    hand_over(scenario, session);
  }
  if (!performance.beside.events.empty()) hand_over(scenario, performance.beside);
  return performance.end.kind != GuestEnd::Kind::kNotStarted;
}

void ClientRun::hand_over(const ClientScenario& scenario, const RecordedSession& session) const {
  if (!options_.on_transcript) return;
  const reports::RunKey run = key();
  options_.on_transcript(fmt::format("{} {}", run.revision, run.transport), scenario.name,
                         session.events);
}

void ClientRun::note_end(const ClientScenario& scenario, const GuestEnd& end) {
  ++played_;
  ended_well_ = ended_well_ || end.is_sound();
  if (ended_well(scenario, end)) {
    ++sound_;
  } else {
    bad_ends_.emplace_back(scenario.name, end);
  }
}

// What its monitors and its review say of one performance.
Judgements ClientRun::judge(const ClientScenario& scenario, const Performance& performance) const {
  const std::string from = plan_part(Part::kOwn, scenario.name);
  Judgements all;
  const auto add = [&all](Judgements judgements) {
    std::move(judgements.begin(), judgements.end(), std::back_inserter(all));
  };
  for (const RecordedSession& session : performance.sessions) {
    add(judge_conversation(session, Party::kClient, revision_, from));
  }
  for (Finding finding : performance.findings) {
    excuse(scenario, performance, finding);
    std::span<const EventPtr> around;
    const auto look_in = [&](const RecordedSession& session) {
      const bool is_here =
          !finding.events.empty() && std::find(session.events.begin(), session.events.end(),
                                               finding.events.back()) != session.events.end();
      if (is_here) around = session.events;
    };
    for (const RecordedSession& session : performance.sessions) look_in(session);
    look_in(performance.beside);
    Findings one;
    one.push_back(std::move(finding));
    add(with_evidence(std::move(one), around, from));
  }
  return all;
}

// A client is not accused where we kept less than came; nor, of something that did not come, where
// it was gone.
void ClientRun::excuse(const ClientScenario& scenario, const Performance& performance,
                       Finding& finding) {
  if (!is_breach(finding)) return;
  const bool is_gone = finding.proof.needs_second_look() && !finding.proof.needs_contrast() &&
                       !ended_well(scenario, performance.end);
  if (!performance.shortfall.empty()) {
    finding.detail = fmt::format("{}: {}", performance.shortfall, finding.detail);
  } else if (is_gone) {
    // That it is gone is said once.
    finding.detail = "the client did not answer, and " + performance.end.text();
  } else {
    return;
  }
  finding.kind = Finding::Kind::kUnclear;
}

std::string ClientRun::first_end() const {
  if (bad_ends_.empty()) return "it ended by itself";
  const GuestEnd& end = bad_ends_.front().second;
  return end.last_words.empty() ? end.text()
                                : fmt::format("{}; its last words: {}", end.text(), end.last_words);
}

void ClientRun::conclude(reports::Run& run) const {
  const bool is_violated =
      std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const reports::Verdict& verdict) {
        return verdict.outcome == reports::Outcome::kViolated &&
               reports::strength(verdict.level) == reports::Strength::kMust;
      });
  if (was_stopped_ || options_.stop.stop_requested()) {
    run.status = RunStatus::kIncomplete;
    run.reason = "the run was stopped";
    return;
  }
  if (!trouble_.empty()) {
    run.status = RunStatus::kFailed;
    run.reason = trouble_;
    return;
  }
  if (is_violated) run.status = RunStatus::kViolations;
  if (!shortfall_.empty()) {
    run.status = is_violated ? RunStatus::kViolations : RunStatus::kIncomplete;
    run.reason = fmt::format("{}: what came after that is not judged", shortfall_);
    return;
  }
  if (!was_reached_) {
    run.status = RunStatus::kFailed;
    run.reason = played_ == 0 ? "no scenario was played"
                              : fmt::format("the client never connected: {}", first_end());
  } else if (!has_spoken_) {
    run.status = RunStatus::kFailed;
    run.reason = fmt::format("the client connected and said nothing: {}", first_end());
  } else if (!took_part_ && !asked_) {
    run.status = RunStatus::kUnsupported;
    run.reason = fmt::format("the client does not speak {}: {}", revision_.text(), first_end());
  } else if (sound_ == 0 && !is_violated) {
    run.status = RunStatus::kFailed;
    run.reason = fmt::format("the client ended badly in every scenario: {}", first_end());
  } else if (!bad_ends_.empty()) {
    std::string names;
    for (std::size_t i = 0; i < bad_ends_.size() && i < kMostNamed; ++i) {
      names += fmt::format("{}{} ({})", i == 0 ? "" : ", ", bad_ends_[i].first,
                           bad_ends_[i].second.text());
    }
    run.reason =
        fmt::format("the client did not end well in {} of {} scenarios: {}{}", bad_ends_.size(),
                    played_, names, bad_ends_.size() > kMostNamed ? ", ..." : "");
  }
}

void ClientRun::weigh_contrasts() {
  if (ended_well_) return;
  for (Judgement& judgement : judgements_) {
    Finding& finding = judgement.finding;
    if (!is_breach(finding) || !finding.proof.needs_contrast()) continue;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = "the client ended badly in every scenario";
  }
}

// What is judged in none of the scenarios that were played waits for a way to play the others.
void ClientRun::excuse_unplayed(std::vector<reports::Candidate>& candidates) const {
  if (unplayed_.empty()) return;
  for (reports::Candidate& candidate : candidates) {
    reports::Verdict& verdict = candidate.verdict;
    if (verdict.outcome != reports::Outcome::kNotExercised || !verdict.scenario.empty()) continue;
    std::optional<Act> missing;
    bool was_played = false;
    for (const ClientScenario* each : plan()) {
      const bool is_of_rule =
          std::any_of(each->requirements.begin(), each->requirements.end(),
                      [&](const auto& id) { return id.text() == verdict.requirement; });
      if (!is_of_rule) continue;
      const auto unplayed = unplayed_.find(each->name);
      was_played = was_played || unplayed == unplayed_.end();
      if (unplayed != unplayed_.end()) missing = unplayed->second;
    }
    if (was_played || !missing) continue;
    verdict.detail = fmt::format("the profile says no way in which the client {}", words(*missing));
    verdict.hint = fmt::format("name {} under 'client:' in the --profile file", name(*missing));
  }
}

reports::Run ClientRun::finish(reports::Target& target) {
  name_target(member(client_, "clientInfo"), target);
  weigh_contrasts();
  reports::Run run;
  run.revision = revision_.text();
  run.transport = name(transport_);
  run.cost = cost_;
  run.duration_ms = duration_.count();
  std::erase_if(judgements_, [&](const Judgement& judgement) {
    const auto* requirement = catalogue::find(judgement.finding.requirement.text());
    // What is no rule of this revision explains nothing in it either.
    return requirement == nullptr || !requirement->binds_client_in(revision_) ||
           !requirement->existed_in(options_.catalogue_version);
  });
  VerdictInput input{revision_, transport_, server_, judgements_, "", ""};
  if (!was_reached_ || !took_part_) input.cause = "the client did not take part";
  input.wants = options_.wants;
  input.catalogue_version = options_.catalogue_version;
  input.party = Party::kClient;
  input.client = client_.contains("capabilities") ? &client_ : nullptr;
  std::vector<reports::Candidate> candidates = make_candidates(input);
  excuse_unplayed(candidates);
  run.verdicts = reports::settle(std::move(candidates));
  conclude(run);
  return run;
}

}  // namespace

reports::Result certify_client(const CertifyClientOptions& options, reports::Events& events) {
  const Clock::time_point began = Clock::now();
  reports::Result result = new_result(options.catalogue_version);
  result.target = options.target;
  result.target.subject = "client";
  std::shared_mutex stage;
  std::vector<ClientRun> runs;
  reports::PlanSize size;
  for (const model::Revision revision : options.revisions) {
    runs.emplace_back(options, revision, options.command.transport, stage);
    ++size.runs;
    size.scenarios += static_cast<int>(runs.back().plan().size());
  }
  events.run_started(size);
  result.runs.resize(runs.size());
  std::mutex telling;  // guards events and the result
  const auto play = [&](std::size_t i) {
    ClientRun& run = runs[i];
    for (const ClientScenario* scenario : run.plan()) {
      const Clock::time_point start = Clock::now();
      const bool goes_on = !options.stop.stop_requested() && run.play(*scenario);
      const auto took = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
      if (!goes_on) break;
      const std::lock_guard lock(telling);
      events.scenario_finished(run.key(), std::string(scenario->name), took.count());
    }
    const std::lock_guard lock(telling);
    result.runs[i] = run.finish(result.target);
    for (const reports::Verdict& verdict : result.runs[i].verdicts) {
      events.verdict(run.key(), verdict);
    }
  };
  {
    WorkerPool pool(std::clamp(options.jobs, 1, std::max(1, static_cast<int>(runs.size()))));
    for (std::size_t i = 0; i < runs.size(); ++i) pool.add([&play, i] { play(i); });
    pool.drain();
  }
  result.was_interrupted = options.stop.stop_requested();
  result.duration_ms = std::chrono::duration_cast<milliseconds>(Clock::now() - began).count();
  reports::bound(result);
  events.run_finished(result);
  return result;
}

}  // namespace assay::harness
