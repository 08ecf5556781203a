#include "harness/runner/passive.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/monitor.h"
#include "harness/runner/confirmation.h"
#include "harness/runner/extensions.h"
#include "harness/runner/new_result.h"
#include "harness/runner/proofs.h"
#include "harness/runner/recorded_session.h"
#include "harness/runner/verdicts.h"
#include "harness/script/json_member.h"
#include "reports/bound.h"
#include "reports/settle.h"

namespace assay::harness {
namespace {

// Where nobody saw the beginning, nobody knows whether the situation arose in it.
void excuse_unspoken(const std::string& gap, Party party,
                     std::vector<reports::Candidate>& candidates) {
  std::set<std::string_view> resting;
  for (const MonitorFactory factory : monitors()) {
    const auto monitor = factory();
    for (const catalogue::RequirementId id : monitor->requirements(party)) {
      if (monitor->rests_on_history(id)) resting.insert(id.text());
    }
  }
  for (reports::Candidate& candidate : candidates) {
    reports::Verdict& verdict = candidate.verdict;
    const bool is_unspoken =
        verdict.outcome == reports::Outcome::kNotExercised && verdict.scenario.empty();
    if (!is_unspoken || !resting.contains(verdict.requirement)) continue;
    verdict.outcome = reports::Outcome::kInconclusive;
    verdict.detail = gap;
    verdict.hint.clear();
  }
}

bool is_violated_must(const reports::Verdict& verdict) {
  return verdict.outcome == reports::Outcome::kViolated &&
         reports::strength(verdict.level) == reports::Strength::kMust;
}

bool is_decided(const reports::Verdict& verdict) {
  return verdict.outcome == reports::Outcome::kViolated ||
         verdict.outcome == reports::Outcome::kSatisfied;
}

}  // namespace

PassiveJudge::PassiveJudge(Party party, int catalogue_version)
    : party_(party), catalogue_version_(catalogue_version) {}

// What came behind it is nobody's merit and nobody's fault.
void PassiveJudge::note_cut_off(std::span<const EventPtr> events) {
  const auto end = std::find_if(events.rbegin(), events.rend(), [](const EventPtr& event) {
    return event->observation.kind == transport::Observation::Kind::kCutOff;
  });
  if (end == events.rend() || !cut_short_.empty()) return;
  cut_short_ = fmt::format("{}: what came after that is not judged", (*end)->observation.bytes());
}

bool PassiveJudge::add(const RecordedSession& conversation) {
  ++conversations_;
  note_cut_off(conversation.events);
  const auto told = revision_of(conversation.events);
  const auto revision = told ? told : conversation.fallback;
  if (!revision) return false;
  Group& group = groups_[{*revision, conversation.transport}];
  Judgements judgements = judge_session(conversation, party_, *revision,
                                        fmt::format("conversation {:09}", conversations_));
  std::move(judgements.begin(), judgements.end(), std::back_inserter(group.judgements));
  bound_proofs(group.judgements, nullptr);
  if (!group.gap || conversation.gap.empty()) group.gap = conversation.gap;
  group.cost += cost_of_session(conversation.events, party_);
  const Introductions said = introductions_in(conversation.events);
  // What any of them declares may be used in one of them.
  if (said.server.is_object()) group.server.merge_patch(said.server);
  if (said.client.is_object()) group.client.merge_patch(said.client);
  const bool is_told = party_ == Party::kServer && said.server.is_object();
  group.extensions =
      group.extensions | (is_told ? declared_by_server(*revision, said.server)
                                  : declared_by_client(*revision, conversation.events));
  if (party_ == Party::kServer) {
    group.extensions = group.extensions | shown_by_server(*revision, conversation.events);
  }
  return true;
}

std::set<std::string> PassiveJudge::open_breaches() const {
  std::set<std::string> out;
  for (const auto& [key, group] : groups_) {
    for (const Judgement& judgement : group.judgements) {
      if (needs_second_look(judgement)) out.emplace(judgement.finding.requirement.text());
    }
  }
  return out;
}

void PassiveJudge::confirm(std::string_view requirement) {
  for (auto& [key, group] : groups_) {
    for (Judgement& judgement : group.judgements) {
      const bool is_it = judgement.finding.requirement.text() == requirement;
      if (!is_it || !needs_second_look(judgement)) continue;
      harness::confirm(judgement, "the rule was broken when the same was done before");
    }
  }
}

reports::Run PassiveJudge::finish_run(const Key& key, Group& group) const {
  reports::Run run;
  run.revision = key.first.text();
  run.transport = name(key.second);
  run.cost = group.cost;
  std::erase_if(group.judgements, [&](const Judgement& judgement) {
    const auto* requirement = catalogue::find(judgement.finding.requirement.text());
    return requirement == nullptr || !requirement->existed_in(catalogue_version_);
  });
  settle_without_second_look(group.judgements, "seen once in recorded traffic");
  VerdictInput input{key.first, key.second, group.server, group.judgements, cut_short_, ""};
  input.catalogue_version = catalogue_version_;
  input.party = party_;
  input.client = group.client.contains("capabilities") ? &group.client : nullptr;
  input.is_passive = true;
  input.extensions = group.extensions;
  run.extensions = reported_extensions(group.extensions, group.extensions);
  std::vector<reports::Candidate> candidates = make_candidates(input);
  if (group.gap && !group.gap->empty()) excuse_unspoken(*group.gap, party_, candidates);
  run.verdicts = reports::settle(std::move(candidates));
  run.reason = cut_short_.empty() ? remark_ : cut_short_;
  const bool is_violated = std::any_of(run.verdicts.begin(), run.verdicts.end(), is_violated_must);
  if (is_violated) run.status = reports::RunStatus::kViolations;
  // What nobody could judge is not sound for that.
  if (std::none_of(run.verdicts.begin(), run.verdicts.end(), is_decided)) {
    run.status = reports::RunStatus::kFailed;
    run.reason = fmt::format("nothing that the {} sent could be judged", transport::name(party_));
  }
  if (!cut_short_.empty()) run.status = reports::RunStatus::kIncomplete;
  return run;
}

reports::Result PassiveJudge::finish(reports::Target target) {
  reports::Result result = new_result(catalogue_version_);
  result.target = std::move(target);
  result.target.subject = transport::name(party_);
  for (auto& [key, group] : groups_) {
    const bool is_server = party_ == Party::kServer;
    const Json& said = is_server ? group.server : group.client;
    name_target(member(said, is_server ? "serverInfo" : "clientInfo"), result.target);
    result.runs.push_back(finish_run(key, group));
  }
  result.was_interrupted = !cut_short_.empty();
  if (result.runs.empty()) {
    reports::Run& run = result.runs.emplace_back();
    run.status = reports::RunStatus::kFailed;
    run.reason = conversations_ == 0
                     ? "there is no message in it"
                     : "no message tells which revision is spoken; --revision says it";
  }
  reports::bound(result);
  return result;
}

}  // namespace assay::harness
