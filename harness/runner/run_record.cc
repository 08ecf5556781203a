#include "harness/runner/run_record.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/monitors/monitor.h"
#include "harness/runner/evidence.h"
#include "harness/runner/proofs.h"
#include "harness/runner/reproduce.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

std::int64_t requests_in(const wire::Message& message) {
  std::int64_t out = message.kind() == wire::MessageKind::kRequest ? 1 : 0;
  for (const wire::Message& member : message.members()) out += requests_in(member);
  return out;
}

}  // namespace

RunRecord::RunRecord(const CertifyOptions& options, const TargetAccess& access,
                     model::Revision revision)
    : options_(options),
      context_{access, revision, options.patience, options.tools, options.stop, {}, false, {}} {}

reports::RunKey RunRecord::key() const {
  return {std::string(context_.revision.text()), std::string(name(context_.access.kind))};
}

std::unique_ptr<Connection> RunRecord::new_connection(Patience patience) const {
  return connect(context_.access, context_.revision, patience, context_.stop);
}

void RunRecord::keep(Judgements judgements) {
  // Nothing of a rule that held is shown but that it did: its events may go with their session.
  for (Judgement& judgement : judgements) {
    if (judgement.finding.kind != Finding::Kind::kHeld) continue;
    judgement.finding.events.clear();
    judgement.finding.more_events.clear();
  }
  const std::lock_guard lock(mutex_);
  std::move(judgements.begin(), judgements.end(), std::back_inserter(judgements_));
  bound_proofs(judgements_, context_.access.budget);
}

void RunRecord::keep_opening(Finding finding) {
  // What took a connection beside the session is shown by a run of the revision alone.
  if (is_breach(finding)) {
    finding.reproduce = reproduce_with_suite(context_.access, context_.revision, "");
  }
  Judgements judgements;
  judgements.push_back({std::move(finding), plan_part(Part::kOpening), {}});
  keep(std::move(judgements));
}

void RunRecord::tell(std::span<const EventPtr> events, Judgement& judgement) const {
  Finding& finding = judgement.finding;
  if (!is_breach(finding) || finding.events.empty() || !finding.events.back()) return;
  const std::size_t index = static_cast<std::size_t>(finding.events.back()->n) - 1;
  if (index >= events.size() || events[index] != finding.events.back()) return;
  finding.events = with_requests(events, finding.events);
  // What did not come after other messages, or came in a wrong order, takes more than the evidence.
  const bool takes_more = finding.proof.needs_second_look() && !finding.proof.lacks_answer() &&
                          finding.proof.kind() != Proof::Kind::kCrash;
  if (!takes_more) finding.reproduce = reproduce(context_.access, events, finding.events);
  const std::string_view scenario = scenario_of(judgement.from);
  if (finding.is_passive && !scenario.empty()) {
    judgement.history.insert(judgement.history.begin(),
                             {"played", std::string(scenario), "a monitor saw it in this session"});
  }
  if (finding.reproduce.empty()) {
    finding.reproduce = reproduce_with_suite(context_.access, context_.revision, scenario);
  }
  judgement.evidence = make_evidence(events, finding.events, finding.pointer);
}

void RunRecord::tell_all(std::span<const EventPtr> events) {
  const std::lock_guard lock(mutex_);
  for (Judgement& judgement : judgements_) {
    if (judgement.evidence.empty()) tell(events, judgement);
  }
}

Judgements RunRecord::watch_session(const Connection& connection, const PartOf& part_of) const {
  const auto events = connection.shared_transcript()->events();
  Judgements judgements;
  const Trace trace{events, context_.access.kind, Party::kServer, context_.revision};
  for (Finding& finding : watch(trace)) {
    std::string from = part_of(finding);
    tell(events, judgements.emplace_back(Judgement{std::move(finding), std::move(from), {}}));
  }
  return judgements;
}

void RunRecord::hand_over(const Connection& connection, std::string_view scenario,
                          Clock::duration counted) {
  count_cost(connection, scenario, counted);
  if (!options_.on_transcript) return;
  const reports::RunKey run = key();
  options_.on_transcript(run.revision + " " + run.transport, scenario,
                         connection.shared_transcript()->events());
}

void RunRecord::count_wait(std::string_view scenario, Clock::duration waited) {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(waited);
  if (time.count() == 0) return;
  reports::Cost cost;
  cost.waits[std::string(scenario)] = time.count();
  const std::lock_guard lock(mutex_);
  cost_ += cost;
}

void RunRecord::count_cost(const Connection& connection, std::string_view scenario,
                           Clock::duration counted) {
  count_wait(scenario, connection.waited_in_vain() - counted);
  reports::Cost cost{.sessions = 1};
  for (const EventPtr& event : connection.shared_transcript()->events()) {
    const wire::Message* message = event->message();
    const std::size_t size = event->observation.bytes().size();
    if (!event->is_from_client()) {
      cost.bytes_received += size;
      continue;
    }
    cost.bytes_sent += size;
    if (message != nullptr) cost.requests += requests_in(*message);
  }
  const std::lock_guard lock(mutex_);
  cost_ += cost;
}

}  // namespace assay::harness
