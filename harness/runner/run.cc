#include "harness/runner/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/causes.h"
#include "harness/runner/confirmation.h"
#include "harness/runner/extensions.h"
#include "harness/runner/obstacle.h"
#include "harness/runner/proofs.h"
#include "harness/runner/remarks.h"
#include "harness/runner/reproduce.h"
#include "harness/runner/verdicts.h"
#include "harness/script/json_member.h"
#include "harness/script/pace.h"
#include "reference/model/extension.h"
#include "reports/settle.h"

namespace assay::harness {
namespace {

using reports::RunStatus;

std::int64_t milliseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

bool is_no_breach(const reports::Candidate& candidate) {
  return candidate.verdict.outcome != reports::Outcome::kViolated;
}

}  // namespace

TargetRun::TargetRun(const CertifyOptions& options, const TargetAccess& access,
                     model::Revision revision, Schedule::Progress progress)
    : record_(options, access, revision),
      plan_(plan_of(record_)),
      opening_(record_, plan_.has_shared_session),
      schedule_(record_, opening_, plan_, std::move(progress)),
      confirmation_(record_, opening_, schedule_) {}

bool TargetRun::begin() {
  if (!has_begun_) has_begun_ = begin_once();
  return *has_begun_;
}

bool TargetRun::begin_once() {
  const bool has_begun = opening_.begin();
  if (opening_.is_refused()) schedule_.run_before_login();
  if (record_.is_incomplete()) opening_.close(false);
  return has_begun && !record_.is_incomplete();
}

void TargetRun::reset() {
  has_begun_.reset();
  opening_.reset();
}

const Listing* TargetRun::listed_tools() const {
  const Listing& tools = context_.survey.tools();
  return has_begun_.value_or(false) && tools.is_complete ? &tools : nullptr;
}

// That a server broke no other rule while it refused us says nothing for it.
void TargetRun::keep_what_is_told_from_outside() {
  std::erase_if(record_.judgements(), [](const Judgement& judgement) {
    const std::string_view id = judgement.finding.requirement.text();
    const auto* const rule = catalogue::find(id);
    const auto* const extension =
        rule == nullptr ? nullptr : model::find_extension(rule->extension);
    const bool is_about_access =
        id.starts_with("authorization.") || (extension != nullptr && extension->folder == "auth");
    return judgement.finding.kind == Finding::Kind::kHeld && !is_about_access;
  });
}

void TargetRun::withdraw_unconfirmed() {
  constexpr std::string_view kWhy = "the run was interrupted before this was tried again";
  settle_without_second_look(record_.judgements(), kWhy);
  for (Judgement& judgement : record_.judgements()) {
    Finding& finding = judgement.finding;
    // Whoever stopped the run may have stopped the server, too.
    const bool is_proven =
        !finding.proof.lacks_answer() && finding.proof.kind() != Proof::Kind::kCrash;
    if (!is_breach(finding) || is_proven) continue;
    finding.kind = Finding::Kind::kUnclear;
    finding.detail = fmt::format("{}: {}", kWhy, finding.detail);
  }
  // What nobody spoke of was not asked: that is no property of the server.
  state_.cause = "the run was interrupted";
  state_.cause_verdict.clear();
}

std::string TargetRun::remark_on_limits() const {
  const auto& pace = context_.access.pace;
  if (!pace || !pace->is_limited()) return "";
  return fmt::format(
      "the server limits how often it may be asked: waited {:.1f} s because of it, of {} s at most",
      std::chrono::duration<double>(pace->waited()).count(), Pace::kBudget.count() / 1000);
}

std::string TargetRun::remark() const {
  std::string text = remark_on_limits();
  for (const std::string& more :
       {words_on_tools(context_.survey, context_.tools),
        words_on_exploration(context_.tools.known, record_.options().exploration)}) {
    if (!more.empty()) text += (text.empty() ? "" : "\n") + more;
  }
  return text;
}

void TargetRun::name_target(reports::Target& target) {
  const Json& server = state_.server;
  const Json& info = context_.revision.has_handshake()
                         ? member(server, "serverInfo")
                         : member(member(server, "_meta"), "io.modelcontextprotocol/serverInfo");
  if (!info.is_object()) return;
  if (info.value("name", Json()).is_string()) target.name = info["name"];
  if (info.value("version", Json()).is_string()) target.version = info["version"];
}

void TargetRun::put_judgements_in_order() {
  // What a later version of the catalogue brought is no cause either.
  std::erase_if(record_.judgements(), [&](const Judgement& judgement) {
    const auto* requirement = catalogue::find(judgement.finding.requirement.text());
    return requirement == nullptr || !requirement->existed_in(record_.options().catalogue_version);
  });
  if (context_.is_locked_out) keep_what_is_told_from_outside();
  // Which thread was quicker must not decide which evidence is shown.
  std::stable_sort(record_.judgements().begin(), record_.judgements().end(),
                   [](const Judgement& a, const Judgement& b) { return a.from < b.from; });
  name_causes(record_.judgements());
}

reports::Run TargetRun::finish(reports::Target& target) {
  if (record_.is_incomplete()) {
    state_.status = RunStatus::kIncomplete;
    state_.reason = state_.server.is_object()
                        ? "the run was interrupted before it had come to its end"
                        : "the run was interrupted before it had begun";
    withdraw_unconfirmed();
  }
  reports::Run run;
  run.revision = record_.key().revision;
  run.transport = record_.key().transport;
  run.status = state_.status;
  run.reason = state_.reason;
  if (run.reason.empty()) run.reason = remark();
  run.duration_ms = milliseconds_since(opening_.started());
  run.cost = record_.cost();
  run.extensions = reported_extensions(context_.extensions,
                                       declared_by_server(context_.revision, state_.server) |
                                           shown_by_survey(context_.revision, context_.survey));
  if (state_.server.is_object() && target.name.empty()) name_target(target);
  put_judgements_in_order();
  run.shard = record_.options().shard;
  // It could be judged a little before it ended: what was broken by then stands.
  const bool ended_early = state_.status != RunStatus::kConformant;
  const auto breaks = [](const Judgement& judgement) { return is_breach(judgement); };
  const bool has_verdicts =
      !ended_early || context_.is_locked_out ||
      (record_.is_incomplete() && state_.server.is_object()) ||
      std::any_of(record_.judgements().begin(), record_.judgements().end(), breaks);
  if (!has_verdicts) return run;
  VerdictInput input{context_.revision,
                     context_.access.kind,
                     state_.server,
                     record_.judgements(),
                     state_.cause.empty() ? state_.reason : state_.cause,
                     state_.cause_verdict,
                     record_.options().wants,
                     record_.options().catalogue_version};
  input.extensions = context_.extensions;
  input.binds_drafts = record_.options().binds_drafts;
  input.offers = state_.offers;
  auto candidates = make_candidates(input);
  // What it does not speak it was not asked in: there is no more to say of the other rules, unless
  // a breach is the reason.
  const bool is_by_right = state_.status == RunStatus::kUnsupported && state_.cause_verdict.empty();
  if (is_by_right) std::erase_if(candidates, is_no_breach);
  if (run.shard.is_part()) run.candidates = reports::worth_keeping(candidates);
  run.verdicts = reports::settle(std::move(candidates));
  const bool is_violated =
      std::any_of(run.verdicts.begin(), run.verdicts.end(), [](const reports::Verdict& verdict) {
        return verdict.outcome == reports::Outcome::kViolated &&
               reports::strength(verdict.level) == reports::Strength::kMust;
      });
  if (is_violated && !record_.is_incomplete()) run.status = RunStatus::kViolations;
  return run;
}

}  // namespace assay::harness
