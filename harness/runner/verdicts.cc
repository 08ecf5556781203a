#include "harness/runner/verdicts.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/fixes.h"
#include "harness/runner/authority_scenario.h"
#include "harness/runner/deliberate.h"
#include "harness/runner/evidence.h"
#include "harness/runner/situations.h"
#include "harness/script/capability.h"
#include "reference/model/extension.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::Requirement;
using reports::Outcome;

// Where nobody spoke: behind every part of a plan.
constexpr std::string_view kNowhere = "~";
// What no server declares, but each asks for or not.
constexpr std::string_view kAuthorization = "authorization";
constexpr std::string_view kAsksForTokens = "authorization.unauthenticated-401";
// How the catalogue says that a rule needs users that can be told apart.
constexpr std::string_view kUsers = "users";
// How the catalogue writes a capability of the client's.
constexpr std::string_view kOfClient = "client.";

Outcome outcome_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kHeld:
      return Outcome::kSatisfied;
    case Finding::Kind::kBroke:
      return Outcome::kViolated;
    case Finding::Kind::kUnclear:
      return Outcome::kInconclusive;
    case Finding::Kind::kNotExercised:
      return Outcome::kNotExercised;
    case Finding::Kind::kNotApplicable:
      return Outcome::kNotApplicable;
  }
  return Outcome::kInconclusive;
}

// The extension whose rule it is, if the run does not judge it; null otherwise.
const model::Extension* unjudged_extension(const Requirement& requirement,
                                           const VerdictInput& input) {
  const model::Extension* const extension = model::find_extension(requirement.extension);
  const bool is_judged =
      extension == nullptr || input.extensions.contains(model::index_of(*extension));
  return is_judged ? nullptr : extension;
}

// A draft may still change: who does not do what it demands is told, and not condemned.
reports::Level told_level(const Requirement& requirement, const VerdictInput& input) {
  using reports::Level;
  const Level level = *requirement.level_in(input.revision);
  const model::Extension* const extension = model::find_extension(requirement.extension);
  if (extension == nullptr || !extension->is_draft || input.binds_drafts) return level;
  if (level == Level::kMust) return Level::kShould;
  return level == Level::kMustNot ? Level::kShouldNot : level;
}

bool concerns(const Requirement& requirement, const VerdictInput& input) {
  if (!requirement.existed_in(input.catalogue_version)) return false;
  const auto* const unjudged = unjudged_extension(requirement, input);
  if (unjudged != nullptr && unjudged->is_draft) return false;
  if (input.is_of_authority) {
    return binds_authority_in(requirement, input.revision) &&
           requirement.observe != catalogue::Observation::kNo;
  }
  return input.party == Party::kServer
             ? requirement.binds_server_in(input.revision) && requirement.is_seen_of_server()
             : requirement.binds_client_in(input.revision) && requirement.is_seen_of_client();
}

bool is_ruled_out_by_transport(const Requirement& requirement, TransportKind transport) {
  return requirement.transport != catalogue::Transport::kAny &&
         catalogue::name(requirement.transport) != name(transport);
}

// Which of the events that prove a finding were wrong on purpose, and what the one that was asked
// last is called.
struct Asked {
  std::string_view method;
  bool is_deliberate = false;
};

Asked mark_deliberate(const Finding& finding, const VerdictInput& input,
                      std::vector<reports::Evidence>& evidence) {
  Asked asked;
  const Party ours = other_than(input.party);
  for (const EventPtr& event : finding.events) {
    if (!event || !event->is_from(ours) || !event->carries_message()) continue;
    if (event->message() != nullptr && !event->message()->method().empty()) {
      asked.method = event->message()->method();
    }
    if (!is_wrong_on_purpose(*event, input.revision, ours)) continue;
    asked.is_deliberate = true;
    for (reports::Evidence& shown : evidence) {
      const bool is_it = shown.n == event->n && shown.lane == event->observation.lane.text();
      if (is_it && shown.party == transport::name(ours)) shown.is_deliberate = true;
    }
  }
  return asked;
}

void fill_from(const Judgement& judgement, const VerdictInput& input, reports::Verdict& verdict) {
  const Finding& finding = judgement.finding;
  verdict.outcome = outcome_of(finding.kind);
  verdict.scenario = finding.judge;
  verdict.detail = finding.detail;
  verdict.hint = finding.hint;
  verdict.caused_by = finding.caused_by;
  if (finding.kind == Finding::Kind::kHeld) return;
  verdict.reproduce = finding.reproduce;
  verdict.history = judgement.history;
  if (finding.kind == Finding::Kind::kBroke || !judgement.history.empty()) {
    verdict.history.insert(verdict.history.begin(), {"seen", finding.judge, finding.proof.words()});
  }
  verdict.evidence = judgement.evidence.empty() ? make_evidence(finding.events, finding.pointer)
                                                : judgement.evidence;
  const Asked asked = mark_deliberate(finding, input, verdict.evidence);
  if (finding.kind == Finding::Kind::kBroke) {
    verdict.fix = catalogue::fix_of(finding.requirement.text(), asked.method, asked.is_deliberate);
  }
}

bool lacks_client_capability(const Requirement& requirement, const VerdictInput& input) {
  if (input.client == nullptr || !requirement.capability.starts_with(kOfClient)) return false;
  return !declares(*input.client, requirement.capability.substr(kOfClient.size()));
}

// Of a rule about authorization: whether the scenarios have found out that the server asks for
// tokens; nothing where none of them was played.
std::optional<bool> asks_for_tokens(const VerdictInput& input) {
  for (const Judgement& judgement : input.judgements) {
    if (judgement.finding.requirement.text() != kAsksForTokens) continue;
    if (judgement.finding.kind == Finding::Kind::kNotApplicable) return false;
    if (judgement.finding.kind != Finding::Kind::kUnclear) return true;
  }
  return std::nullopt;
}

// Why the server cannot tell users apart; empty where it may.
std::string lack_of_users(const VerdictInput& input) {
  if (input.transport.has_process()) return "over stdio the server has one user";
  const bool is_open = asks_for_tokens(input) == false;
  return is_open ? "the server serves who shows no token" : "";
}

Situation situation_for(const Requirement& requirement, const VerdictInput& input) {
  if (input.is_of_authority) return situation_of_authority(requirement, input.wants);
  if (input.is_passive) return situation_in_traffic(requirement, input.party);
  return input.party == Party::kClient ? situation_of_client(requirement, input.wants)
                                       : situation_of(requirement, input.wants);
}

// Why the situation of the rule cannot arise; empty where it can.
std::string ruled_out(const Requirement& requirement, const VerdictInput& input) {
  if (const auto* const extension = unjudged_extension(requirement, input)) {
    return fmt::format("the {} does not declare the extension {}",
                       input.party == Party::kServer ? "server" : "client", extension->identifier);
  }
  if (is_ruled_out_by_transport(requirement, input.transport)) {
    return fmt::format("the rule is about {}", catalogue::name(requirement.transport));
  }
  const std::string_view capability = requirement.capability;
  if (capability == kAuthorization) {
    const bool is_open = asks_for_tokens(input) == false;
    if (is_open) return "the server serves who shows no token";
  }
  const bool is_servers =
      !capability.empty() && !capability.starts_with(kOfClient) && capability != kAuthorization;
  if (is_servers && !input.server.is_null() && !declares(input.server, capability)) {
    return fmt::format("the server does not declare the capability {}", capability);
  }
  if (lacks_client_capability(requirement, input)) {
    return fmt::format("the client does not declare the capability {}",
                       capability.substr(kOfClient.size()));
  }
  if (input.party != Party::kServer || requirement.needs.empty()) return "";
  return requirement.needs == kUsers ? lack_of_users(input)
                                     : input.offers.lack_of(requirement.needs);
}

// What no scenario or monitor spoke of, and nothing rules out.
void judge_unspoken(const Requirement& requirement, const VerdictInput& input,
                    reports::Verdict& verdict) {
  verdict.outcome = Outcome::kNotExercised;
  if (requirement.capability == kAuthorization && asks_for_tokens(input) == true) {
    verdict.detail = "the server asks for tokens, and none was at hand that would show it";
    verdict.hint = "give one: --auth-token NAME=TOKEN; or let mcp-assay obtain one: --login";
    return;
  }
  if (!input.cause.empty()) {
    verdict.outcome = Outcome::kInconclusive;
    verdict.detail = input.cause;
    verdict.caused_by = input.cause_verdict;
    return;
  }
  Situation situation = situation_for(requirement, input);
  verdict.detail = std::move(situation.why);
  verdict.hint = std::move(situation.hint);
}

// True if the rule is ruled out: then the verdict says so.
bool rule_out(const Requirement& requirement, const VerdictInput& input,
              reports::Verdict& verdict) {
  std::string why = ruled_out(requirement, input);
  if (why.empty()) return false;
  verdict.outcome = Outcome::kNotApplicable;
  verdict.detail = std::move(why);
  verdict.hint.clear();
  return true;
}

// What breaks a rule of another revision is no verdict, but silence may come of it all the same.
void add_causes(const Requirement& requirement, const std::vector<const Judgement*>& spoken,
                std::vector<reports::Candidate>& candidates) {
  for (const Judgement* judgement : spoken) {
    if (!judgement->explains_silence) continue;
    reports::Candidate& cause = candidates.emplace_back();
    cause.verdict.requirement = requirement.id;
    cause.verdict.outcome = Outcome::kViolated;
    cause.verdict.scenario = judgement->finding.judge;
    cause.from = judgement->from;
    cause.explained_by = judgement->explained_by;
    cause.explains_silence = cause.is_cause_only = true;
  }
}

}  // namespace

std::vector<reports::Candidate> make_candidates(const VerdictInput& input) {
  std::map<std::string_view, std::vector<const Judgement*>> spoken;
  for (const Judgement& judgement : input.judgements) {
    spoken[judgement.finding.requirement.text()].push_back(&judgement);
  }
  std::vector<reports::Candidate> candidates;
  for (const Requirement& requirement : catalogue::all()) {
    if (!concerns(requirement, input)) {
      add_causes(requirement, spoken[requirement.id], candidates);
      continue;
    }
    reports::Candidate candidate;
    candidate.verdict.requirement = requirement.id;
    candidate.verdict.summary = requirement.summary;
    candidate.verdict.level = told_level(requirement, input);
    candidate.verdict.spec = requirement.link(input.revision);
    const auto found = spoken.find(requirement.id);
    if (found == spoken.end() || unjudged_extension(requirement, input) != nullptr) {
      if (!rule_out(requirement, input, candidate.verdict)) {
        judge_unspoken(requirement, input, candidate.verdict);
      }
      candidate.from = kNowhere;
      candidates.push_back(std::move(candidate));
      continue;
    }
    for (const Judgement* judgement : found->second) {
      reports::Candidate each = candidate;
      fill_from(*judgement, input, each.verdict);
      if (each.verdict.outcome == Outcome::kNotExercised) {
        const bool is_out = rule_out(requirement, input, each.verdict);
        const bool lacks_hint = !is_out && each.verdict.hint.empty();
        if (lacks_hint && input.party == Party::kServer) each.verdict.hint = requirement.hint;
      }
      each.from = judgement->from;
      each.explained_by = judgement->explained_by;
      each.ended_over = judgement->ended_over;
      // What a monitor saw was there, and an end is more than silence.
      const Finding& finding = judgement->finding;
      const bool may_be_silence =
          !finding.is_passive && finding.proof.kind() != Proof::Kind::kCrash;
      each.is_silence = may_be_silence && finding.proof.needs_second_look();
      each.lacks_answer = may_be_silence && finding.proof.lacks_answer();
      each.explains_silence = judgement->explains_silence;
      candidates.push_back(std::move(each));
    }
  }
  return candidates;
}

}  // namespace assay::harness
