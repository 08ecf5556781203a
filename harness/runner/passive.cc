#include "harness/runner/passive.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <string_view>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/monitor.h"
#include "harness/runner/causes.h"
#include "harness/runner/ending.h"
#include "harness/runner/evidence.h"
#include "harness/runner/new_result.h"
#include "harness/runner/proofs.h"
#include "harness/runner/verdicts.h"
#include "harness/script/json_member.h"
#include "reports/bound.h"
#include "reports/settle.h"

namespace assay::harness {
namespace {

using wire::Message;
using wire::MessageKind;

constexpr const char* kServerInfo = "io.modelcontextprotocol/serverInfo";
constexpr const char* kClientInfo = "io.modelcontextprotocol/clientInfo";

// What the two say of themselves.
struct Introductions {
  Json server;  // results of `initialize` and `server/discover`, with the name as `serverInfo`
  Json client;  // the params of `initialize`, or only `clientInfo` where each request names it
};

void introduce(const Message& message, bool is_client, Introductions& out) {
  if (is_client) {
    const Json& params = message.params();
    if (message.method() == "initialize" && params.is_object()) out.client = params;
    const Json& info = member(member(params, "_meta"), kClientInfo);
    if (info.is_object() && out.client.is_null()) out.client = {{"clientInfo", info}};
    return;
  }
  if (message.kind() != MessageKind::kResult || !message.result().is_object()) return;
  const Json& result = message.result();
  const bool is_introduction = member(result, "capabilities").is_object();
  const Json& info = member(member(result, "_meta"), kServerInfo);
  if (is_introduction) out.server.merge_patch(result);
  if (info.is_object() && out.server.is_object()) out.server["serverInfo"] = info;
}

Introductions introductions_in(std::span<const EventPtr> events) {
  Introductions out;
  for (const EventPtr& event : events) {
    if (event->message() != nullptr) introduce(*event->message(), event->is_from_client(), out);
  }
  return out;
}

void name_target(const Json& info, reports::Target& target) {
  if (target.name.empty()) target.name = text_member(info, "name");
  if (target.version.empty()) target.version = text_member(info, "version");
}

std::int64_t requests_within(const Message& message) {
  std::int64_t out = message.kind() == MessageKind::kRequest ? 1 : 0;
  for (const Message& member : message.members()) out += requests_within(member);
  return out;
}

// As a certification counts it: what reached the party that is judged, and what came from it.
reports::Cost cost_of_conversation(std::span<const EventPtr> events, Party judged) {
  reports::Cost cost{.sessions = 1};
  for (const EventPtr& event : events) {
    const std::size_t size = event->observation.bytes().size();
    if (event->is_from(judged)) {
      cost.bytes_received += size;
      continue;
    }
    cost.bytes_sent += size;
    if (event->message() != nullptr) cost.requests += requests_within(*event->message());
  }
  return cost;
}

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

Judgements PassiveJudge::judge(const RecordedSession& conversation,
                               model::Revision revision) const {
  const std::span<const EventPtr> events = conversation.events;
  Trace trace{events,
              conversation.transport,
              party_,
              {},
              conversation.gap,
              conversation.is_altered,
              conversation.is_whole};
  // Where the traffic does not tell, somebody did; where it does, each message may tell of itself.
  if (!revision_of(events)) trace.revision = revision;
  Findings findings = watch(trace);
  if (party_ == Party::kServer && conversation.is_whole && conversation.gap.empty()) {
    auto end = unexpected_end(events, revision, conversation.transport, "end_of_connection");
    if (end) findings.push_back(*std::move(end));
  }
  const std::string from = fmt::format("conversation {:09}", conversations_);
  Judgements judgements;
  for (Finding& finding : findings) {
    if (is_breach(finding)) finding.events = with_requests(events, finding.events);
    Judgement& judgement = judgements.emplace_back(Judgement{std::move(finding), from, {}});
    if (!is_breach(judgement) && judgement.finding.kind != Finding::Kind::kUnclear) continue;
    judgement.evidence = make_evidence(events, judgement.finding.events, judgement.finding.pointer);
  }
  name_causes(judgements);
  for (Judgement& judgement : judgements) {
    judgement.finding.events.clear();
    judgement.finding.more_events.clear();
  }
  return judgements;
}

bool PassiveJudge::add(const RecordedSession& conversation) {
  ++conversations_;
  const auto told = revision_of(conversation.events);
  const auto revision = told ? told : conversation.fallback;
  if (!revision) return false;
  Group& group = groups_[{*revision, conversation.transport}];
  Judgements judgements = judge(conversation, *revision);
  std::move(judgements.begin(), judgements.end(), std::back_inserter(group.judgements));
  bound_proofs(group.judgements, nullptr);
  if (!group.gap || conversation.gap.empty()) group.gap = conversation.gap;
  group.cost += cost_of_conversation(conversation.events, party_);
  const Introductions said = introductions_in(conversation.events);
  // What any of them declares may be used in one of them.
  if (said.server.is_object()) group.server.merge_patch(said.server);
  if (said.client.is_object()) group.client.merge_patch(said.client);
  return true;
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
  VerdictInput input{key.first, key.second, group.server, group.judgements, cut_short_, ""};
  input.catalogue_version = catalogue_version_;
  input.party = party_;
  input.client = group.client.contains("capabilities") ? &group.client : nullptr;
  input.is_passive = true;
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
