// Judges the cancellations that the target sends: of its own requests, and of those still running.
//
// Specification: basic/utilities/cancellation.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using Kind = transport::Observation::Kind;

class CancellationMonitor : public Monitor {
 public:
  std::string_view name() const override { return "cancellation_monitor"; }
  std::vector<RequirementId> server_requirements() const override {
    return {"cancellation.same-direction", "cancellation.still-in-progress",
            "cancellation.request-id-given", "cancellation.tasks-use-tasks-cancel",
            "cancellation.not-for-tasks"};
  }

  std::vector<RequirementId> client_requirements() const override { return server_requirements(); }
  bool holds_in(model::Revision /*revision*/) const override { return true; }

  void on_event(const EventPtr& event, const SessionView& /*session*/, Judge& /*judge*/) override {
    const bool is_unread = event->decode_error() != nullptr;
    if (is_unread && unread_.size() < kMostUnknown) unread_.push_back(event);
    const auto* head = event->observation.http();
    if (event->observation.kind == Kind::kHttpRequest && head != nullptr && head->method == "GET" &&
        streams_.size() < kMostUnknown) {
      streams_.insert(event->observation.lane.number);
    }
  }

  void on_message(const Sighting& sighting, const SessionView& session, Judge& judge) override {
    const bool is_stateless = session.revision().is_stateless();
    // What servers may cancel there is another rule's matter.
    if (is_stateless && judge.judged() == Party::kServer) return;
    if (sighting.is_from_judged && sighting.is_request()) note_request(sighting);
    if (sighting.exchange != nullptr) {
      note_answer(sighting);
    } else if (sighting.is_from_judged && sighting.is_request() &&
               sighting.message.method() == "tasks/cancel") {
      judge.held("cancellation.tasks-use-tasks-cancel", sighting.event);
    } else if (sighting.is_from_judged && sighting.is_notification() &&
               sighting.message.method() == "notifications/cancelled") {
      judge_cancellation(sighting, session, judge);
    }
  }

  void on_end(const SessionView& session, Judge& judge) override {
    for (const Cancellation& each : unknown_) {
      judge_direction(each, session.exchange(each.id, each.speaker) != nullptr, session, judge);
    }
  }

 private:
  struct Cancellation {
    wire::Id id;
    Party speaker;
    EventPtr event;
  };
  static constexpr std::size_t kMostUnknown = 1000;
  // Longer than a busy machine keeps a thread from sending what it has decided.
  static constexpr std::chrono::seconds kCrossing{5};

  static bool is_over_http(const Sighting& sighting) {
    return sighting.event->observation.lane.kind == transport::Lane::Kind::kHttp;
  }
  // A message that could not be read may have been the request.
  bool may_have_sent(const Cancellation& cancellation) const {
    return std::any_of(unread_.begin(), unread_.end(), [&](const EventPtr& event) {
      return event->is_from(cancellation.speaker) &&
             event->observation.bytes().find(cancellation.id.json_text()) != std::string_view::npos;
    });
  }
  // Streams that a client opens by GET carry what a server says by itself. While none is open, its
  // request may be dropped, and the cancellation may come on a stream that was opened since.
  bool may_be_lost(const Cancellation& cancellation, const SessionView& session) const {
    return session.transport().is_streamable_http() && cancellation.speaker == Party::kServer &&
           (streams_.contains(cancellation.event->observation.lane.number) ||
            streams_.size() >= kMostUnknown);
  }
  void judge_direction(const Cancellation& cancellation, bool is_own, const SessionView& session,
                       Judge& judge) const {
    if (!is_own && may_be_lost(cancellation, session)) {
      return judge.unclear("cancellation.same-direction",
                           "the request may have been made while no stream was open to carry it",
                           {cancellation.event});
    }
    if (!is_own && may_have_sent(cancellation)) {
      return judge.unclear("cancellation.same-direction",
                           "the request may be in a message that could not be read",
                           {cancellation.event});
    }
    judge.check("cancellation.same-direction", is_own,
                fmt::format("the {} cancelled a request that it had not sent",
                            transport::name(cancellation.speaker)),
                cancellation.event, "/params/requestId");
  }

  // When our answers went out, and how far into our traffic the target has certainly read.
  void note_answer(const Sighting& sighting) {
    if (sighting.is_from_judged) {
      read_up_to(sighting.exchange->request_event->n, sighting.event);
      return;
    }
    answered_at_[sighting.exchange->request_event->n] = sighting.event;
    answers_.insert(sighting.event->n);
    if (!sighting.is_result()) return;
    for (const char* name : {"nextCursor", "requestState"}) {
      const std::string_view token = text_member(sighting.message.result(), name);
      if (!token.empty()) given_.emplace(token, sighting.event->n);
    }
  }
  // Who gives back what an answer of ours gave goes by it.
  void note_request(const Sighting& sighting) {
    for (const char* name : {"cursor", "requestState"}) {
      const auto given = given_.find(text_member(sighting.message.params(), name));
      if (given == given_.end()) continue;
      went_by_.insert(given->second);
      read_up_to(given->second + 1, sighting.event);
    }
  }
  // Kept where it is the first proof for an answer.
  void read_up_to(std::uint64_t n, const EventPtr& proof) {
    const auto answer = answers_.lower_bound(read_.empty() ? 0 : read_.rbegin()->first);
    if (answer != answers_.end() && *answer < n) read_.emplace(n, proof);
  }

  void judge_cancellation(const Sighting& sighting, const SessionView& session, Judge& judge) {
    const Json& id = member(sighting.message.params(), "requestId");
    if (id.is_null()) {
      // Since tasks have a cancellation of their own, the schema lets the id be left out.
      if (session.revision().has_core_tasks()) {
        judge.broke("cancellation.request-id-given", "the cancellation names no request",
                    {sighting.event}, "/params");
      }
      return;
    }
    if (session.revision().has_core_tasks()) {
      judge.held("cancellation.request-id-given", sighting.event);
    }
    Cancellation cancellation{wire::Id::from_json_text(id.dump()), sighting.speaker(),
                              sighting.event};
    const Exchange* exchange = session.exchange(cancellation.id, cancellation.speaker);
    // Over HTTP each message goes by itself: what it cancels may be on its way.
    if (exchange == nullptr && is_over_http(sighting)) {
      if (unknown_.size() < kMostUnknown) unknown_.push_back(std::move(cancellation));
      return;
    }
    judge_direction(cancellation, exchange != nullptr, session, judge);
    if (exchange == nullptr) return;
    judge_progress(*exchange, sighting, judge);
    if (session.revision().has_core_tasks()) judge_task(*exchange, sighting, judge);
  }

  void judge_progress(const Exchange& exchange, const Sighting& sighting, Judge& judge) {
    const auto answered = answered_at_.find(exchange.request_event->n);
    if (answered == answered_at_.end()) {
      judge.held("cancellation.still-in-progress", sighting.event);
      return;
    }
    // The cancellation may have crossed our answer. Only on one line of traffic is it proved to
    // have been read, by an answer to a later request of ours, or by what only our answer told.
    const std::uint64_t n = answered->second->n;
    const auto proof = read_.upper_bound(n);
    const bool was_gone_by = went_by_.contains(n);
    if (is_over_http(sighting) || (proof == read_.end() && !was_gone_by)) return;
    const std::vector<EventPtr> events = {exchange.request_event, answered->second, sighting.event};
    // Read by one thread is not known to others, which may have given up just before, on several
    // requests at once. It is over soon, and does not happen to what is asked later.
    const std::string detail = fmt::format("the {} cancelled a request that was already answered",
                                           transport::name(sighting.speaker()));
    if (was_gone_by) {
      judge.broke("cancellation.still-in-progress", detail, events, "/params/requestId");
    } else if (sighting.event->at - proof->second->at >= kCrossing ||
               has_happened_before(exchange.request_event->n, sighting.event->n)) {
      // A thread that was stopped may have decided it long before.
      judge.crossed("cancellation.still-in-progress", detail, events, false);
    } else {
      judge.unclear("cancellation.still-in-progress",
                    fmt::format("the {} cancelled a request just after it had read the answer: it "
                                "may have given up before",
                                transport::name(sighting.speaker())),
                    events);
    }
  }

  // Whether the request was cancelled soon after its answer before, or asked after another was.
  bool has_happened_before(std::uint64_t asked, std::uint64_t cancelled) {
    if (first_soon_after_ == 0) first_soon_after_ = cancelled;
    return !soon_after_.insert(asked).second || asked > first_soon_after_;
  }

  static void judge_task(const Exchange& exchange, const Sighting& sighting, Judge& judge) {
    if (!member(exchange.request.params(), "task").is_object()) {
      judge.held("cancellation.not-for-tasks", sighting.event);
      return;
    }
    for (const RequirementId id : {RequirementId("cancellation.not-for-tasks"),
                                   RequirementId("cancellation.tasks-use-tasks-cancel")}) {
      judge.broke(id, "a task was cancelled by the id of its request, not with tasks/cancel",
                  {exchange.request_event, sighting.event}, "/params/requestId");
    }
  }

  std::vector<EventPtr> unread_;       // messages
  std::set<std::uint64_t> streams_;    // lanes that a GET opened
  std::vector<Cancellation> unknown_;  // of requests that had not come by then
  // The target has read all of ours before the event of that number, as the one beside it proves.
  std::map<std::uint64_t, EventPtr> read_;
  std::set<std::uint64_t> answers_;  // of ours
  std::set<std::uint64_t> went_by_;  // answers of ours whose cursors and states it gave back
  // Requests whose cancellation may have been decided before the answer, and the first of these.
  std::set<std::uint64_t> soon_after_;
  std::uint64_t first_soon_after_ = 0;                       // 0: there is none
  std::map<std::string, std::uint64_t, std::less<>> given_;  // cursors and states, by their text
  std::map<std::uint64_t, EventPtr> answered_at_;  // our answers, by the number of the request
};

const MonitorRegistration<CancellationMonitor> kCancellationMonitorRegistration;

}  // namespace
}  // namespace assay::harness
