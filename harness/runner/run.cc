#include "harness/runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/monitors/monitor.h"
#include "harness/runner/causes.h"
#include "harness/runner/reproduce.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using reports::RunStatus;

// A confirmation waits longer than the first try did.
constexpr int kConfirmationFactor = 2;
// How much of a dying target's stderr a reader needs.
constexpr std::size_t kStderrTail = 2'000;

std::int64_t milliseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

bool has_ended(const Transcript& transcript) {
  const auto events = transcript.events();
  return std::any_of(events.begin(), events.end(), [](const EventPtr& event) {
    const auto& observation = event->observation;
    const bool is_end = observation.kind == Kind::kExit || observation.kind == Kind::kBroken ||
                        (observation.kind == Kind::kClosed && !event->is_sent());
    return is_end && observation.lane.kind != transport::Lane::Kind::kHttp &&
           observation.lane.kind != transport::Lane::Kind::kStderr;
  });
}

std::string stderr_tail(const Transcript& transcript) {
  std::string text;
  for (const EventPtr& event : transcript.events()) {
    if (event->observation.kind == Kind::kStderr) text += event->observation.bytes;
    if (text.size() > 2 * kStderrTail) text.erase(0, text.size() - kStderrTail);
  }
  return text.size() > kStderrTail ? text.substr(text.size() - kStderrTail) : text;
}

// Why no session came about, for the person who typed the command.
std::string how_it_failed(const Reply& reply) {
  switch (reply.kind()) {
    case Reply::Kind::kSilence:
      return "the target did not answer initialize in time";
    case Reply::Kind::kGone:
      if (!reply.events().empty() && reply.events().back()->observation.kind == Kind::kBroken) {
        return fmt::format("initialize was not answered: {}",
                           reply.events().back()->observation.bytes);
      }
      return "the target ended before it answered initialize";
    case Reply::Kind::kResult:
    case Reply::Kind::kError:
    case Reply::Kind::kRefused:
      return fmt::format("initialize was answered with {}", reply.describe());
  }
  return "";
}

// How a child ended, if it did so by itself: " (exit status 3)".
std::string own_exit(const Transcript& transcript) {
  for (const EventPtr& event : transcript.events()) {
    const auto& exit = event->observation.exit;
    if (!exit || exit->was_killed_by_us) continue;
    return exit->signal ? fmt::format(" (signal {})", *exit->signal)
                        : fmt::format(" (exit status {})", exit->code);
  }
  return "";
}

bool is_breach(const Finding& finding) {
  return finding.kind == Finding::Kind::kBroke;
}

void add_reproduction(const TargetAccess& access, const Connection& connection, Finding& finding) {
  if (finding.events.empty() || !finding.events.back()) return;
  const auto events = connection.shared_transcript()->events();
  const std::size_t index = static_cast<std::size_t>(finding.events.back()->n) - 1;
  if (index < events.size() && events[index] == finding.events.back()) {
    finding.reproduce = reproduce(access, events, finding.events);
  }
}

// What an abandoned scenario has not judged is inconclusive, and says why.
void add_unjudged(const Scenario& scenario, const std::string& why, Findings& findings) {
  for (const auto& requirement : scenario.requirements) {
    const bool is_judged = std::any_of(
        findings.begin(), findings.end(),
        [&](const Finding& finding) { return finding.requirement.text() == requirement.text(); });
    if (is_judged) continue;
    findings.emplace_back(requirement, Finding::Kind::kUnclear, std::string(scenario.name), why);
  }
}

}  // namespace

TargetRun::TargetRun(const CertifyOptions& options, const TargetAccess& access,
                     model::Revision revision, Progress progress)
    : options_(options),
      context_{access, revision, options.patience, options.tools, options.stop, {}},
      progress_(std::move(progress)),
      started_(Clock::now()) {
  for (const Scenario& scenario : scenarios()) {
    if (scenario.applies_to(revision, access.kind) && options.wants(scenario.name)) {
      plan_.push_back(&scenario);
    }
  }
}

reports::RunKey TargetRun::key() const {
  return {std::string(context_.revision.text()), std::string(name(context_.access.kind))};
}

void TargetRun::close_first() {
  if (!first_) return;
  first_->close();
  collect(*first_, "shared session");
  first_.reset();
}

void TargetRun::end_early(RunStatus status, std::string reason) {
  status_ = status;
  reason_ = std::move(reason);
  const auto transcript = first_->shared_transcript();
  close_first();
  if (status != RunStatus::kFailed) return;
  reason_ += own_exit(*transcript);
  const std::string tail = stderr_tail(*transcript);
  if (!tail.empty()) reason_ += "\nstderr ends with:\n" + tail;
}

bool TargetRun::begin() {
  started_ = Clock::now();
  first_ = std::make_unique<Connection>(context_.access, context_.revision, context_.patience,
                                        context_.stop);
  if (const auto failure = first_->open()) {
    // What was seen by then may show why: the older HTTP pair begins before the first message.
    end_early(RunStatus::kFailed, failure->detail);
    return false;
  }
  const Reply reply = first_->initialize();
  if (!reply.is_answered()) {
    end_early(RunStatus::kFailed, context_.stop.stop_requested()
                                      ? "interrupted before initialize was answered"
                                      : how_it_failed(reply));
    return false;
  }
  if (!first_->is_initialized()) {
    end_early(RunStatus::kUnsupported, fmt::format("initialize for {} was answered with {}",
                                                   context_.revision.text(), reply.describe()));
    return false;
  }
  server_ = first_->server();
  const Json version = server_.value("protocolVersion", Json());
  if (version != context_.revision.text()) {
    if (version.is_string()) check_offer(version.get<std::string>(), reply);
    end_early(RunStatus::kUnsupported,
              version.is_string()
                  ? fmt::format("the server offered {} instead", version.get<std::string>())
                  : "the server named no protocol version");
    return false;
  }
  context_.survey = Survey::take(*first_);
  profiles_ = choose_profiles(options_.profiles, context_.survey, server_);
  context_.tools.known = profiles_.known;
  return true;
}

void TargetRun::check_offer(const std::string& offered, const Reply& offer) {
  Connection connection(context_.access, context_.revision, context_.patience, context_.stop);
  if (connection.open()) return;
  Json params = connection.initialize_params();
  params["protocolVersion"] = offered;
  const Reply reply =
      connection.await(connection.start("initialize", params), connection.patience().start);
  connection.close();
  const Json answered =
      reply.result().is_object() ? reply.result().value("protocolVersion", Json()) : Json();
  if (!answered.is_string() || answered == offered) return;
  Finding& finding = findings_.emplace_back(
      catalogue::RequirementId("lifecycle.version-supported-echo"), Finding::Kind::kBroke,
      "opening",
      fmt::format("the server offered {}, but asked for just that it answered with {}", offered,
                  answered.get<std::string>()));
  finding.events = offer.events();
  finding.events.insert(finding.events.end(), reply.events().begin(), reply.events().end());
}

void TargetRun::run_shared() {
  for (const Scenario* scenario : plan_) {
    if (scenario->session_use != Scenario::SessionUse::kShared) continue;
    if (context_.stop.stop_requested()) break;
    // A session that an earlier scenario lost does not take the later ones with it.
    if (first_ && has_ended(*first_->shared_transcript())) close_first();
    run_scenario(*scenario, first_.get());
  }
  close_first();
}

void TargetRun::run_own(const Scenario& scenario) {
  if (!context_.stop.stop_requested()) run_scenario(scenario, nullptr);
}

void TargetRun::run_scenario(const Scenario& scenario, Connection* shared) {
  const auto start = Clock::now();
  Findings findings = play(scenario, shared, context_.patience);
  {
    const std::lock_guard lock(mutex_);
    std::move(findings.begin(), findings.end(), std::back_inserter(findings_));
  }
  progress_(*this, scenario.name, milliseconds_since(start));
}

Findings TargetRun::play(const Scenario& scenario, Connection* shared, Patience patience) {
  RunContext context = context_;
  context.patience = patience;
  Script script(context, std::string(scenario.name), shared);
  std::string abandoned;
  try {
    scenario.body(script);
  } catch (const Abandoned& reason) {
    abandoned = reason.why();
  }
  for (const auto& connection : script.connections()) {
    connection->close();
    collect(*connection, scenario.name);
  }
  Findings findings = script.take_findings();
  for (Finding& finding : findings) {
    if (finding.kind != Finding::Kind::kBroke) continue;
    if (shared != nullptr) add_reproduction(context_.access, *shared, finding);
    for (const auto& own : script.connections()) add_reproduction(context_.access, *own, finding);
  }
  if (!abandoned.empty()) add_unjudged(scenario, abandoned, findings);
  return findings;
}

void TargetRun::collect(const Connection& connection, std::string_view scenario) {
  const auto events = connection.shared_transcript()->events();
  Findings findings = watch(events, context_.revision, context_.access.kind);
  for (Finding& finding : findings) {
    if (finding.kind == Finding::Kind::kBroke) {
      finding.reproduce = reproduce(context_.access, events, finding.events);
    }
  }
  if (options_.on_transcript) {
    const reports::RunKey run = key();
    options_.on_transcript(run.revision + " " + run.transport, scenario, events);
  }
  const std::lock_guard lock(mutex_);
  std::move(findings.begin(), findings.end(), std::back_inserter(findings_));
}

void TargetRun::confirm_timing() {
  std::set<std::string_view> suspects;
  for (const Finding& finding : findings_) {
    if (finding.kind == Finding::Kind::kBroke && finding.depends_on_time) {
      suspects.insert(finding.judge);
    }
  }
  for (const Scenario* scenario : plan_) {
    if (!suspects.contains(scenario->name) || context_.stop.stop_requested()) continue;
    Patience patience = context_.patience;
    patience.request *= kConfirmationFactor;
    const Findings again = play(*scenario, nullptr, patience);
    for (Finding& finding : findings_) {
      if (finding.judge != scenario->name || !finding.depends_on_time) continue;
      const bool is_confirmed = std::any_of(again.begin(), again.end(), [&](const Finding& other) {
        return other.kind == Finding::Kind::kBroke &&
               other.requirement.text() == finding.requirement.text();
      });
      if (is_confirmed) continue;
      finding.kind = Finding::Kind::kUnclear;
      finding.detail = "seen once, and not again when it was tried alone: " + finding.detail;
    }
  }
}

reports::Run TargetRun::finish(reports::Target& target) {
  reports::Run run;
  run.revision = key().revision;
  run.transport = key().transport;
  run.status = status_;
  run.reason = reason_;
  run.duration_ms = milliseconds_since(started_);
  if (server_.is_object() && target.name.empty()) {
    const Json info = server_.value("serverInfo", Json::object());
    if (info.is_object() && info.value("name", Json()).is_string()) target.name = info["name"];
    if (info.is_object() && info.value("version", Json()).is_string()) {
      target.version = info["version"];
    }
  }
  // What a later version of the catalogue brought is no cause either.
  std::erase_if(findings_, [&](const Finding& finding) {
    const auto* requirement = catalogue::find(finding.requirement.text());
    return requirement == nullptr || !requirement->existed_in(options_.catalogue_version);
  });
  name_causes(findings_);
  // It could be judged a little before it ended: what was broken by then stands.
  const bool ended_early = status_ != RunStatus::kConformant;
  if (ended_early && std::none_of(findings_.begin(), findings_.end(), is_breach)) return run;
  run.verdicts = make_verdicts({context_.revision, context_.access.kind, server_, findings_,
                                reason_, "", options_.wants, options_.catalogue_version});
  const bool is_violated =
      std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const reports::Verdict& verdict) {
        return verdict.outcome == reports::Outcome::kViolated &&
               reports::strength(verdict.level) == reports::Strength::kMust;
      });
  if (is_violated) run.status = RunStatus::kViolations;
  return run;
}

}  // namespace assay::harness
