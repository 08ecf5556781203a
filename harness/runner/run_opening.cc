// How a run begins: the handshake, the survey, and what is said of a target with which neither
// comes about.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/runner/ending.h"
#include "harness/runner/run.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using reports::RunStatus;

// How much of a dying target's stderr a reader needs.
constexpr std::size_t kStderrTail = 2'000;

// How many sessions a survey may cost whose lists end the connection.
constexpr int kMostSurveys = 5;

std::string stderr_tail(const Transcript& transcript) {
  std::string text;
  for (const EventPtr& event : transcript.events()) {
    if (event->observation.kind == Kind::kStderr) text += event->observation.bytes();
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
                           reply.events().back()->observation.bytes());
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
    const auto* exit = event->observation.exit();
    if (!exit || exit->was_killed_by_us) continue;
    return exit->signal ? fmt::format(" (signal {})", *exit->signal)
                        : fmt::format(" (exit status {})", exit->code);
  }
  return "";
}

// Something that may have been meant for an answer.
bool has_said_something(const Connection& connection, std::size_t from) {
  const auto events = connection.shared_transcript()->events(from);
  return has_ended(*connection.shared_transcript()) ||
         std::any_of(events.begin(), events.end(), [](const EventPtr& event) {
           return !event->is_sent() && event->carries_message();
         });
}

// Not one list could be read, because the target ended the connection each time.
bool has_only_ended(const Survey& survey) {
  bool is_any = false;
  for (const Listing& listing : survey.listings()) {
    if (!listing.last_reply) continue;
    if (listing.last_reply->kind() != Reply::Kind::kGone) return false;
    is_any = true;
  }
  return is_any;
}

constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;

}  // namespace

void TargetRun::end_early(RunStatus status, std::string reason) {
  status_ = status;
  reason_ = std::move(reason);
  const auto transcript = first_->shared_transcript();
  close_first(true);
  if (status != RunStatus::kFailed) return;
  reason_ += own_exit(*transcript);
  const std::string tail = stderr_tail(*transcript);
  if (!tail.empty()) reason_ += "\nstderr ends with:\n" + tail;
}

bool TargetRun::open_first() {
  first_ = std::make_unique<Connection>(context_.access, context_.revision, context_.patience,
                                        context_.stop);
  return !first_->open() && first_->initialize().is_answered() && first_->is_initialized();
}

void TargetRun::take_survey() {
  read_lists();
  profiles_ = choose_profiles(options_.profiles, context_.survey, server_);
  context_.tools.known = profiles_.known;
}

void TargetRun::read_lists() {
  context_.survey = Survey::take(*first_);
  for (int i = 1; i < kMostSurveys && has_ended(*first_->shared_transcript()); ++i) {
    const auto events = first_->shared_transcript()->events();
    if (auto end = unexpected_end(events, context_.revision, context_.access.kind, "opening")) {
      keep_opening(*std::move(end));
    }
    close_first(true);
    if (context_.survey.is_complete() || !open_first()) return;
    context_.survey.take_rest(*first_);
  }
}

void TargetRun::note_muteness(const Reply& ping) {
  is_mute_ = true;
  cause_verdict_ = "ping.answered";
  cause_ = "the server answered initialize, and nothing that came after it";
  Finding finding(catalogue::RequirementId("ping.answered"), Finding::Kind::kBroke, "opening",
                  fmt::format("{}: {}", cause_, ping.describe()));
  finding.events = ping.events();
  finding.lacks_answer = true;
  finding.depends_on_time = ping.kind() == Reply::Kind::kSilence;
  keep_opening(std::move(finding));
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
    if (reply.is_error(wire::kMethodNotFound)) {
      cause_verdict_ = "lifecycle.initialize-result";
      Finding finding(catalogue::RequirementId("lifecycle.initialize-result"),
                      Finding::Kind::kBroke, "opening",
                      "the server does not know the method initialize");
      finding.events = reply.events();
      keep_opening(std::move(finding));
    }
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
  const std::size_t from = first_->mark();
  take_survey();
  if (has_only_ended(context_.survey)) {
    cause_ = "the server ended whenever one of its lists was read";
    cause_verdict_ = "jsonrpc.request-answered-once";
  }
  const auto& ping = context_.survey.unanswered_ping();
  if (!ping || !first_ || has_said_something(*first_, from)) return true;
  if (ping->http_status() == kUnauthorized || ping->http_status() == kForbidden) {
    end_early(RunStatus::kFailed,
              fmt::format("after initialize a ping was answered with {}", ping->describe()));
  } else {
    note_muteness(*ping);
    close_first(true);
  }
  return false;
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
  Finding finding(catalogue::RequirementId("lifecycle.version-supported-echo"),
                  Finding::Kind::kBroke, "opening",
                  fmt::format("the server offered {}, but asked for just that it answered with {}",
                              offered, answered.get<std::string>()));
  finding.events = offer.events();
  finding.events.insert(finding.events.end(), reply.events().begin(), reply.events().end());
  keep_opening(std::move(finding));
}

void TargetRun::keep_opening(Finding finding) {
  Judgements judgements;
  judgements.push_back({std::move(finding), plan_part(Part::kOpening), {}});
  keep(std::move(judgements));
}

}  // namespace assay::harness
