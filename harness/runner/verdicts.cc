#include "harness/runner/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/situations.h"
#include "harness/script/capability.h"

namespace assay::harness {
namespace {

using catalogue::Requirement;
using reports::Outcome;
using Kind = transport::Observation::Kind;

// What one piece of evidence may put into a report.
constexpr std::size_t kLongestEvidence = 4'000;
// A verdict shows this many events at most.
constexpr std::size_t kMostEvidence = 8;

std::string head_text(const transport::HttpHead& head) {
  std::string text = head.method.empty() ? fmt::format("HTTP {}\n", head.status)
                                         : fmt::format("{} {}\n", head.method, head.target);
  for (const auto& [key, value] : head.headers) text += fmt::format("{}: {}\n", key, value);
  return text;
}

std::string event_text(const Event& event) {
  const auto& observation = event.observation;
  switch (observation.kind) {
    case Kind::kLine:
    case Kind::kStderr:
    case Kind::kHttpBody:
      return observation.bytes;
    case Kind::kHttpRequest:
      return observation.bytes.empty() ? head_text(*observation.http)
                                       : head_text(*observation.http) + "\n" + observation.bytes;
    case Kind::kHttpResponse:
      return head_text(*observation.http);
    case Kind::kSseEvent:
      return observation.event->raw;
    case Kind::kExit:
      return observation.exit->signal
                 ? fmt::format("ended by signal {}", *observation.exit->signal)
                 : fmt::format("exited with status {}", observation.exit->code);
    case Kind::kClosed:
      return fmt::format("closed: {}", observation.bytes);
    case Kind::kBroken:
      return fmt::format("broke off: {}", observation.bytes);
  }
  return "";
}

int weight(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kBroke:
      return 4;
    case Finding::Kind::kHeld:
      return 3;
    case Finding::Kind::kUnclear:
      return 2;
    case Finding::Kind::kNotExercised:
      return 1;
    case Finding::Kind::kNotApplicable:
      return 0;
  }
  return 0;
}

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

bool concerns(const Requirement& requirement, const VerdictInput& input) {
  return requirement.existed_in(input.catalogue_version) &&
         requirement.binds_server_in(input.revision) && requirement.is_seen_of_server();
}

bool is_ruled_out_by_transport(const Requirement& requirement, TransportKind transport) {
  return requirement.transport != catalogue::Transport::kAny &&
         catalogue::name(requirement.transport) != name(transport);
}

void fill_from(const Finding& finding, reports::Verdict& verdict) {
  verdict.outcome = outcome_of(finding.kind);
  verdict.scenario = finding.judge;
  verdict.detail = finding.detail;
  verdict.hint = finding.hint;
  verdict.caused_by = finding.caused_by;
  if (finding.kind == Finding::Kind::kHeld) return;
  verdict.reproduce = finding.reproduce;
  const std::size_t skipped =
      finding.events.size() > kMostEvidence ? finding.events.size() - kMostEvidence : 0;
  for (std::size_t i = skipped; i < finding.events.size(); ++i) {
    if (finding.events[i]) verdict.evidence.push_back(make_evidence(*finding.events[i]));
  }
  if (!verdict.evidence.empty()) verdict.evidence.back().pointer = finding.pointer;
}

void judge_unspoken(const Requirement& requirement, const VerdictInput& input,
                    reports::Verdict& verdict) {
  if (is_ruled_out_by_transport(requirement, input.transport)) {
    verdict.outcome = Outcome::kNotApplicable;
    verdict.detail = fmt::format("the rule is about {}", catalogue::name(requirement.transport));
    return;
  }
  const std::string_view capability = requirement.capability;
  const bool is_servers = !capability.empty() && !capability.starts_with("client.");
  if (is_servers && !input.server.is_null() && !declares(input.server, capability)) {
    verdict.outcome = Outcome::kNotApplicable;
    verdict.detail = fmt::format("the server does not declare the capability {}", capability);
    return;
  }
  if (!input.cause.empty()) {
    verdict.outcome = Outcome::kInconclusive;
    verdict.detail = input.cause;
    verdict.caused_by = input.cause_verdict;
    return;
  }
  verdict.outcome = Outcome::kNotExercised;
  Situation situation = situation_of(requirement, input.wants);
  verdict.detail = std::move(situation.why);
  verdict.hint = std::move(situation.hint);
}

}  // namespace

reports::Evidence make_evidence(const Event& event) {
  reports::Evidence evidence;
  evidence.n = event.n;
  evidence.at_ms = std::chrono::duration<double, std::milli>(event.at).count();
  evidence.direction = event.is_sent() ? "to_target" : "from_target";
  evidence.lane = event.observation.lane.text();
  evidence.text = event_text(event);
  if (evidence.text.size() > kLongestEvidence) {
    evidence.text.resize(kLongestEvidence);
    evidence.is_cut = true;
  }
  return evidence;
}

std::vector<reports::Verdict> make_verdicts(const VerdictInput& input) {
  std::map<std::string_view, const Finding*> strongest;
  for (const Finding& finding : input.findings) {
    const Finding*& best = strongest[finding.requirement.text()];
    if (best == nullptr || weight(finding.kind) > weight(best->kind)) best = &finding;
  }
  std::vector<reports::Verdict> verdicts;
  for (const Requirement& requirement : catalogue::all()) {
    if (!concerns(requirement, input)) continue;
    reports::Verdict verdict;
    verdict.requirement = requirement.id;
    verdict.summary = requirement.summary;
    verdict.level = *requirement.level_in(input.revision);
    verdict.spec = requirement.link(input.revision);
    const auto found = strongest.find(requirement.id);
    if (found == strongest.end()) {
      judge_unspoken(requirement, input, verdict);
    } else {
      fill_from(*found->second, verdict);
    }
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

}  // namespace assay::harness
