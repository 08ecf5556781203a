#include "harness/runner/opening.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/runner/ending.h"
#include "harness/runner/extensions.h"
#include "harness/runner/obstacle.h"
#include "harness/runner/refusal.h"
#include "harness/script/abandoned.h"
#include "harness/script/explorer.h"
#include "harness/script/handshake_connection.h"
#include "harness/script/limit.h"
#include "harness/script/pace.h"
#include "harness/transcript/own_exit.h"
#include "reference/wire/message.h"
#include "reports/escape.h"
#include "reports/text.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using reports::RunStatus;

// How much of a dying target's stderr a reader needs.
constexpr std::size_t kStderrTail = 2'000;
// Of what came in place of an answer, in bytes.
constexpr std::size_t kMostHeard = 300;

// How many sessions a survey may cost whose lists end the connection.
constexpr int kMostSurveys = 5;

// How often a target is asked to begin that says that it is asked too often.
constexpr int kMostBeginnings = 6;

std::string stderr_tail(const Transcript& transcript) {
  std::string text;
  for (const EventPtr& event : transcript.events()) {
    if (event->observation.kind == Kind::kStderr) text += event->observation.bytes();
    if (text.size() > 2 * kStderrTail) text.erase(0, text.size() - kStderrTail);
  }
  return text.size() > kStderrTail ? text.substr(text.size() - kStderrTail) : text;
}

// What came in place of the answer, on lines of its own: a banner, a flood, an answer to something
// else.
std::string heard_instead(const Transcript& transcript) {
  int count = 0;
  int unreadable = 0;
  EventPtr first;
  for (const EventPtr& event : transcript.events()) {
    if (!event->is_from_server() || !event->carries_message()) continue;
    if (count++ == 0) first = event;
    if (event->decode_error() != nullptr) ++unreadable;
  }
  if (!first) return "";
  std::string what = reports::plural(count, unreadable == count ? "unreadable message" : "message");
  if (unreadable > 0 && unreadable < count) what += fmt::format(" ({} unreadable)", unreadable);
  return fmt::format("\nit sent {} instead, the first:\n{}", what,
                     reports::cut(first->observation.bytes(), kMostHeard));
}

// Why `initialize` had no answer at all, for the person who typed the command.
std::string how_it_failed(const Reply& reply, const Connection& connection) {
  if (reply.kind() == Reply::Kind::kSilence) {
    return late_start(connection.revision(), connection.patience()) +
           heard_instead(*connection.shared_transcript());
  }
  if (reply.kind() == Reply::Kind::kCutOff) {
    return fmt::format("the target sent too much before it answered initialize: {}",
                       reply.events().back()->observation.bytes());
  }
  const bool is_broken =
      !reply.events().empty() && reply.events().back()->observation.kind == Kind::kBroken;
  if (!is_broken) return "the target ended before it answered initialize";
  return fmt::format("initialize was not answered: {}", reply.events().back()->observation.bytes());
}

// Something that may have been meant for an answer.
bool has_said_something(const Connection& connection, std::size_t from) {
  const auto events = connection.shared_transcript()->events(from);
  return has_ended(*connection.shared_transcript()) ||
         std::any_of(events.begin(), events.end(), [](const EventPtr& event) {
           return event->is_from_server() && event->carries_message();
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

}  // namespace

void Opening::end_early(RunStatus status, std::string reason, bool is_judged) {
  // Who stops us may stop the server as well.
  if (status == RunStatus::kFailed && record_.was_stopped()) record_.note_incomplete();
  state_.status = status;
  state_.reason = std::move(reason);
  const auto transcript = first_->shared_transcript();
  close(is_judged);
  if (status != RunStatus::kFailed) return;
  state_.reason += own_exit(*transcript);
  const std::string tail = stderr_tail(*transcript);
  if (!tail.empty()) state_.reason += "\nstderr ends with:\n" + tail;
}

bool Opening::reopen() {
  first_ = record_.new_connection();
  return !first_->open() && first_->begin().is_answered() && first_->has_begun();
}

void Opening::close(bool is_judged) {
  if (!first_) return;
  first_->close();
  record_.hand_over(*first_, "shared session");
  record_.tell_all(first_->shared_transcript()->events());
  if (is_judged) record_.keep(record_.watch_session(*first_, plan_part(Part::kSharedSession)));
  first_.reset();
}

void Opening::take_survey() {
  read_lists();
  context_.extensions = context_.extensions | shown_by_survey(context_.revision, context_.survey);
  if (first_) state_.offers = Offers(context_.survey, *first_);
  profiles_ = choose_profiles(record_.options().profiles, context_.survey, state_.server);
  context_.tools.known = profiles_.known;
  explore_tools();
}

void Opening::explore_tools() {
  const ExplorerLimits& limits = record_.options().exploration;
  if (context_.stop.stop_requested() || limits.total.count() == 0) return;
  if (!is_worth_exploring(context_.survey, context_.tools, state_.server)) return;
  const auto opened = record_.new_connection();
  Connection& connection = *opened;
  if (connection.open() || !connection.begin().is_result()) return;
  try {
    context_.tools.known.add(
        explore(connection, context_.survey, context_.tools, limits, context_.extensions));
  } catch (const Abandoned&) {
    // A name of the target's that no request of ours can hold: the rest is let be.
  }
  connection.close();
  record_.hand_over(connection, "exploration");
  if (is_judged_) record_.keep(record_.watch_session(connection, plan_part(Part::kOpening)));
}

void Opening::read_lists() {
  context_.survey = Survey::take(*first_);
  const auto is_over = [this] {
    return has_ended(*first_->shared_transcript()) || has_lost_session(*first_, 0);
  };
  for (int i = 1; i < kMostSurveys && is_over(); ++i) {
    const auto events = first_->shared_transcript()->events();
    if (auto end = unexpected_end(events, context_.revision, context_.access.kind, "opening")) {
      record_.keep_opening(*std::move(end));
    }
    close(true);
    if (context_.survey.is_complete() || !reopen()) return;
    context_.survey.take_rest(*first_);
  }
}

void Opening::note_muteness(const Reply& ping) {
  state_.is_mute = true;
  state_.cause_verdict = "ping.answered";
  state_.cause = "the server answered initialize, and nothing that came after it";
  Finding finding(catalogue::RequirementId("ping.answered"), Finding::Kind::kBroke, "opening",
                  fmt::format("{}: {}", state_.cause, ping.describe()));
  finding.events = ping.events();
  finding.proof = proof_of(ping, context_.patience.request);
  record_.keep_opening(std::move(finding));
}

// Where the answer spoke of a limit: after a pause, on a new connection.
bool Opening::begins_again() {
  const auto& pace = context_.access.pace;
  if (!pace || !limit_of(*reply_)) return false;
  if (!pace->is_patient()) return false;
  first_->close();
  record_.count_cost(*first_, "opening");
  first_ = record_.new_connection();
  return !first_->open();
}

void Opening::start() {
  started_ = Clock::now();
  first_ = record_.new_connection();
  try {
    failure_ = first_->open();
    if (failure_) return;
    reply_ = first_->begin();
    for (int i = 1; i < kMostBeginnings && begins_again(); ++i) {
      reply_ = first_->begin();
    }
  } catch (const Abandoned&) {
    record_.note_incomplete();
    return;
  }
  if (reply_->kind() == Reply::Kind::kSilence) return;
  start_time_ = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
}

void Opening::reset() {
  is_late_ = false;
  context_.patience.start *= 2;
  state_.status = RunStatus::kConformant;
  state_.reason.clear();
  reply_.reset();
  record_.judgements().clear();
}

bool Opening::begin() {
  if (!first_ && !record_.is_incomplete()) start();
  bool has_begun = false;
  try {
    has_begun = !record_.is_incomplete() && begin_session();
  } catch (const Abandoned& reason) {
    if (reason.cause() == Abandoned::Cause::kStopped) {
      record_.note_incomplete();
    } else {
      end_early(RunStatus::kFailed, reason.why());
    }
  }
  is_refused_ =
      !has_begun && reply_ && !record_.is_incomplete() && is_about_access(reply_->http_status());
  // Some say how a server keeps clients out.
  if (is_refused_) choose_extensions();
  return has_begun;
}

void Opening::note_refusal(const Reply& reply) {
  constexpr int kBadRequest = 400;
  const bool may_be_stateless = reply.is_error() || reply.http_status() == kBadRequest;
  const Discovery discovery = may_be_stateless ? discover(context_.access, context_.revision,
                                                          context_.patience, context_.stop)
                                               : Discovery{};
  Refusal refusal = explain_refusal(reply, *first_, discovery);
  if (refusal.lacks_initialize) {
    state_.cause_verdict = "lifecycle.initialize-result";
    Finding finding(catalogue::RequirementId("lifecycle.initialize-result"), Finding::Kind::kBroke,
                    "opening", "the server does not know the method initialize");
    finding.events = reply.events();
    record_.keep_opening(std::move(finding));
  }
  end_early(refusal.status, std::move(refusal.reason));
}

bool Opening::begin_session() {
  if (failure_) {
    // What was seen by then may show why: the older HTTP pair begins before the first message.
    end_early(RunStatus::kFailed, failure_->detail);
    return false;
  }
  const Reply reply = *reply_;
  if (const auto limit = limit_of(reply)) {
    end_early(RunStatus::kFailed, limit->words());
    return false;
  }
  if (std::string elsewhere = wrong_address(reply, *first_); !elsewhere.empty()) {
    end_early(RunStatus::kFailed, std::move(elsewhere), false);
    return false;
  }
  const bool is_without_answer = reply.kind() == Reply::Kind::kSilence ||
                                 reply.kind() == Reply::Kind::kGone ||
                                 reply.kind() == Reply::Kind::kCutOff;
  const bool may_be_older = record_.options().is_any_revision && context_.revision.is_stateless();
  if (may_be_older && is_without_answer && reply.kind() != Reply::Kind::kCutOff) {
    end_early(RunStatus::kUnsupported,
              fmt::format("server/discover was not answered, as by servers that begin with "
                          "initialize; --revision {} insists on an answer",
                          context_.revision.text()));
    return false;
  }
  if (is_without_answer) {
    const bool is_silence = reply.kind() == Reply::Kind::kSilence;
    if (is_silence && context_.revision.is_stateless() && answers_without_discovery(reply)) {
      return false;
    }
    is_late_ = is_silence;
    end_early(RunStatus::kFailed, how_it_failed(reply, *first_));
    return false;
  }
  if (context_.revision.is_stateless()) return begin_stateless(reply);
  if (!reply.is_result()) {
    note_refusal(reply);
    return false;
  }
  if (!first_->has_begun()) {
    end_early(RunStatus::kFailed, "initialize was answered with a result that is not an object");
    return false;
  }
  state_.server = first_->server();
  const Json version = state_.server.value("protocolVersion", Json());
  if (version != context_.revision.text()) {
    if (version.is_string()) check_offer(version.get<std::string>(), reply);
    end_early(RunStatus::kUnsupported,
              version.is_string()
                  ? fmt::format("the server offered {} instead", version.get<std::string>())
                  : "the server named no protocol version");
    return false;
  }
  choose_extensions();
  const std::size_t from = first_->mark();
  take_survey();
  if (has_only_ended(context_.survey)) {
    state_.cause = "the server ended whenever one of its lists was read";
    state_.cause_verdict = "jsonrpc.request-answered-once";
  }
  const auto& ping = context_.survey.unanswered_ping();
  if (!ping || !first_ || has_said_something(*first_, from)) return true;
  if (is_about_access(ping->http_status())) {
    end_early(RunStatus::kFailed,
              fmt::format("after initialize a ping was answered with {}", ping->describe()));
  } else {
    note_muteness(*ping);
    close(true);
  }
  return false;
}

void Opening::check_offer(const std::string& offered, const Reply& offer) {
  const auto opened = record_.new_connection();
  Connection& connection = *opened;
  if (connection.open()) return;
  Json params = initialize_params(connection.revision());
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
  record_.keep_opening(std::move(finding));
}

}  // namespace assay::harness
