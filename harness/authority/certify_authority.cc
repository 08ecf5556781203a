#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/authority/authority.h"
#include "harness/authority/authority_script.h"
#include "harness/catalogue/catalogue.h"
#include "harness/runner/authority_scenario.h"
#include "harness/runner/confirmation.h"
#include "harness/runner/extensions.h"
#include "harness/runner/new_result.h"
#include "harness/runner/proofs.h"
#include "harness/runner/recorded_session.h"
#include "harness/runner/verdicts.h"
#include "harness/script/abandoned.h"
#include "harness/script/json_member.h"
#include "reference/transport/http_url.h"
#include "reports/bound.h"
#include "reports/escape.h"
#include "reports/settle.h"
#include "reports/subject.h"

namespace assay::harness {
namespace {

using reports::RunStatus;
using transport::HttpUrl;

constexpr std::string_view kOauthServer = "/.well-known/oauth-authorization-server";
constexpr std::string_view kOpenId = "/.well-known/openid-configuration";
constexpr const char* kTransport = "http";
// What is asked a second time has this many times as long.
constexpr int kMorePatience = 3;

std::string without_slash(std::string text) {
  if (text.ends_with('/')) text.pop_back();
  return text;
}

// What was found in one scenario, which counts where it holds.
struct Played {
  const AuthorityScenario* scenario;
  Judgements judgements;
};

// All that is asked of one authorization server, once.
class Visit {
 public:
  explicit Visit(const CertifyAuthorityOptions& options) : options_(options) {
    inquirer_options_ = {{}, options.patience, options.vault, options.stop};
    const auto parsed = HttpUrl::parse(options.issuer);
    if (const auto* issuer = std::get_if<HttpUrl>(&parsed)) {
      inquirer_options_.origins.push_back(issuer->origin());
    }
    inquirer_options_.origins.insert(inquirer_options_.origins.end(),
                                     options.further_origins.begin(),
                                     options.further_origins.end());
  }

  std::vector<const AuthorityScenario*> plan() const;
  // Finds out what all scenarios need to know. False if there is nobody to ask.
  bool open();
  // False once nothing more can be played. What was not answered is asked again, more patiently.
  bool play(const AuthorityScenario& scenario);
  reports::Run finish(model::Revision revision) const;
  // Of all that was asked; each revision is judged by the same.
  const reports::Cost& cost() const { return cost_; }

 private:
  void read_metadata(Inquirer& inquirer);
  // What one performance shows; nothing where it was stopped.
  std::optional<Judgements> perform(const AuthorityScenario& scenario,
                                    const InquirerOptions& options);
  void hand_over(Inquirer& inquirer, std::string_view scenario);
  void conclude(reports::Run& run) const;

  const CertifyAuthorityOptions& options_;
  InquirerOptions inquirer_options_;
  AuthorityFacts facts_;
  std::vector<Played> played_;
  reports::Cost cost_;
  std::string trouble_;  // why it could not be tested
  bool was_stopped_ = false;
  bool has_had_code_ = false;
  std::string why_no_code_;  // as far as one was wanted
  const Clock::time_point began_ = Clock::now();
};

std::vector<const AuthorityScenario*> Visit::plan() const {
  std::vector<const AuthorityScenario*> plan;
  for (const AuthorityScenario& scenario : authority_scenarios()) {
    const auto holds = [&](model::Revision revision) { return scenario.holds_in(revision); };
    const bool is_in = std::any_of(options_.revisions.begin(), options_.revisions.end(), holds);
    const auto* const extension = model::find_extension(scenario.extension);
    const auto& asked_for = options_.extensions;
    const bool is_asked_for = extension == nullptr || std::find(asked_for.begin(), asked_for.end(),
                                                                extension) != asked_for.end();
    if (is_in && is_asked_for && options_.wants(scenario.name)) plan.push_back(&scenario);
  }
  return plan;
}

// Those that name the issuer as the user did count; where none do, the first that there are.
void Visit::read_metadata(Inquirer& inquirer) {
  facts_.issuer = options_.issuer;
  facts_.documents = metadata_places(options_.issuer);
  for (AuthorityDocument& each : facts_.documents) {
    each.answer = inquirer.get(each.url, "application/json");
  }
  for (const AuthorityDocument& each : facts_.documents) {
    if (!each.is_there()) continue;
    if (facts_.metadata.is_null() || each.is_of(options_.issuer)) {
      facts_.metadata = each.answer.json;
    }
    if (each.is_of(options_.issuer)) {
      facts_.issuer = text_member(each.answer.json, "issuer");
      break;
    }
  }
}

void Visit::hand_over(Inquirer& inquirer, std::string_view scenario) {
  const std::vector<EventPtr> events = inquirer.transcript().events();
  ++cost_.sessions;
  for (const EventPtr& event : events) {
    const std::size_t size = event->observation.bytes().size();
    (event->is_from_client() ? cost_.bytes_sent : cost_.bytes_received) += size;
    if (event->observation.kind == transport::Observation::Kind::kHttpRequest) ++cost_.requests;
  }
  if (options_.on_transcript) options_.on_transcript("authorization", scenario, events);
}

bool Visit::open() {
  Inquirer inquirer(inquirer_options_);
  try {
    read_metadata(inquirer);
    if (facts_.documents.empty()) trouble_ = "the issuer is no URL";
    const bool is_silent =
        std::all_of(facts_.documents.begin(), facts_.documents.end(),
                    [](const AuthorityDocument& each) { return each.answer.status == 0; });
    if (!facts_.documents.empty() && is_silent) {
      trouble_ = fmt::format("it cannot be asked: {}", facts_.documents.front().answer.trouble);
    }
    if (trouble_.empty()) {
      facts_.client = register_with(inquirer, options_, facts_.metadata);
      if (!options_.client_secret.empty()) options_.vault->add(options_.client_secret);
    }
  } catch (const Abandoned&) {
    was_stopped_ = true;
  }
  hand_over(inquirer, "");
  return trouble_.empty() && !was_stopped_;
}

std::optional<Judgements> Visit::perform(const AuthorityScenario& scenario,
                                         const InquirerOptions& options) {
  Inquirer inquirer(options);
  AuthorityScript script(options_, facts_, inquirer, std::string(scenario.name));
  try {
    scenario.body(script);
  } catch (const Abandoned&) {
    was_stopped_ = true;
  }
  hand_over(inquirer, scenario.name);
  if (was_stopped_) return std::nullopt;
  has_had_code_ = has_had_code_ || script.has_had_code();
  if (why_no_code_.empty()) why_no_code_ = script.why_no_code();
  Findings findings = script.take_findings();
  for (Finding& finding : findings) {
    if (!is_breach(finding)) continue;
    finding.reproduce = fmt::format("mcp-assay authorization --url {} --scenario {}",
                                    reports::shell_word(options_.issuer), scenario.name);
    if (!scenario.extension.empty()) {
      finding.reproduce += fmt::format(" --extension {}", scenario.extension);
      if (!options_.idp_issuer.empty()) {
        finding.reproduce += fmt::format(" --idp {}", reports::shell_word(options_.idp_issuer));
      }
    }
  }
  const std::vector<EventPtr> events = inquirer.transcript().events();
  return with_evidence(std::move(findings), events, plan_part(Part::kOwn, scenario.name));
}

bool Visit::play(const AuthorityScenario& scenario) {
  auto judgements = perform(scenario, inquirer_options_);
  if (!judgements) return false;
  if (needs_second_look(*judgements)) {
    InquirerOptions more = inquirer_options_;
    more.patience *= kMorePatience;
    auto again = perform(scenario, more);
    if (!again) return false;
    judgements = confirmed(*std::move(judgements), *std::move(again));
  }
  bound_proofs(*judgements, nullptr);
  played_.push_back({&scenario, *std::move(judgements)});
  return true;
}

void Visit::conclude(reports::Run& run) const {
  const auto has = [&run](auto&& is_it) {
    return std::any_of(run.verdicts.begin(), run.verdicts.end(), is_it);
  };
  const bool is_violated = has([](const reports::Verdict& verdict) {
    return verdict.outcome == reports::Outcome::kViolated &&
           reports::strength(verdict.level) == reports::Strength::kMust;
  });
  const bool is_judged = has([](const reports::Verdict& verdict) {
    return verdict.outcome == reports::Outcome::kViolated ||
           verdict.outcome == reports::Outcome::kSatisfied;
  });
  if (is_violated) run.status = RunStatus::kViolations;
  if (!is_judged) {
    run.status = RunStatus::kFailed;
    run.reason = trouble_.empty() ? "nothing that it did could be judged" : trouble_;
  }
  // Who gives us no code is judged for its metadata, and for nothing else: that is no certificate.
  if (is_judged && !is_violated && !has_had_code_ && !why_no_code_.empty()) {
    run.status = RunStatus::kFailed;
    run.reason =
        fmt::format("the authorization server issued no code, so little could be judged: {}",
                    reports::printable_line(why_no_code_));
  }
  if (was_stopped_ || options_.stop.stop_requested()) {
    run.status = RunStatus::kIncomplete;
    run.reason = "the run was stopped";
  }
}

reports::Run Visit::finish(model::Revision revision) const {
  Judgements judgements;
  for (const Played& each : played_) {
    if (!each.scenario->holds_in(revision)) continue;
    for (const Judgement& judgement : each.judgements) {
      const auto* requirement = catalogue::find(judgement.finding.requirement.text());
      const bool counts = requirement != nullptr && binds_authority_in(*requirement, revision) &&
                          requirement->existed_in(options_.catalogue_version);
      if (!counts) continue;
      judgements.push_back(judgement);
      // What may be left out is not broken by who leaves it out.
      const bool is_free =
          reports::strength(*requirement->level_in(revision)) == reports::Strength::kMay;
      Finding& finding = judgements.back().finding;
      if (is_free && is_breach(finding)) finding.kind = Finding::Kind::kNotExercised;
    }
  }
  const Json nothing;
  VerdictInput input{revision, TransportKind::kHttp, nothing, judgements, trouble_, ""};
  input.wants = options_.wants;
  input.catalogue_version = options_.catalogue_version;
  input.is_of_authority = true;
  input.extensions = asked_for_in(revision, options_.extensions);
  input.binds_drafts = options_.binds_drafts;
  reports::Run run;
  run.revision = revision.text();
  run.transport = kTransport;
  run.duration_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began_).count();
  run.extensions = reported_extensions(input.extensions, {});
  run.verdicts = reports::settle(make_candidates(input));
  conclude(run);
  return run;
}

}  // namespace

bool AuthorityDocument::is_of(const std::string& issuer) const {
  return without_slash(std::string(text_member(answer.json, "issuer"))) == without_slash(issuer);
}

bool AuthorityDocument::is_there() const {
  return answer.status == 200 && !text_member(answer.json, "issuer").empty();
}

std::vector<AuthorityDocument> metadata_places(const std::string& issuer) {
  const auto parsed = HttpUrl::parse(issuer);
  const auto* url = std::get_if<HttpUrl>(&parsed);
  if (url == nullptr) return {};
  const std::string origin = url->origin();
  const std::string path = without_slash(url->target.substr(0, url->target.find('?')));
  const auto at = [](std::string where, bool is_openid) {
    return AuthorityDocument{std::move(where), is_openid, {}};
  };
  std::vector<AuthorityDocument> places;
  places.push_back(at(origin + std::string(kOauthServer) + path, false));
  places.push_back(at(origin + std::string(kOpenId) + path, true));
  if (!path.empty()) places.push_back(at(origin + path + std::string(kOpenId), true));
  return places;
}

reports::Result certify_authority(const CertifyAuthorityOptions& options, reports::Events& events) {
  const Clock::time_point began = Clock::now();
  reports::Result result = new_result(options.catalogue_version);
  result.target = options.target;
  result.target.subject = reports::kAuthoritySubject;
  Visit visit(options);
  const auto plan = visit.plan();
  events.run_started({static_cast<int>(options.revisions.size()), static_cast<int>(plan.size())});
  const reports::RunKey first{
      options.revisions.empty() ? "" : std::string(options.revisions.front().text()), kTransport};
  if (visit.open()) {
    for (const AuthorityScenario* scenario : plan) {
      const Clock::time_point start = Clock::now();
      if (!visit.play(*scenario)) break;
      const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
      events.scenario_finished(first, std::string(scenario->name), took.count());
    }
  }
  for (const model::Revision revision : options.revisions) {
    result.runs.push_back(visit.finish(revision));
  }
  if (!result.runs.empty()) result.runs.front().cost = visit.cost();
  reports::bound(result);
  for (const reports::Run& run : result.runs) {
    const reports::RunKey key{run.revision, run.transport};
    for (const reports::Verdict& verdict : run.verdicts) events.verdict(key, verdict);
  }
  result.was_interrupted = options.stop.stop_requested();
  result.duration_ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count();
  events.run_finished(result);
  return result;
}

}  // namespace assay::harness
