#include "harness/watch/live_sessions.h"

#include <utility>

#include "harness/monitors/trace.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// No session id is empty: where there are no sessions.
constexpr const char* kWithoutSessions = "";

}  // namespace

void LiveSessions::give_up() {
  is_over_ = true;
  stdio_.give_up();
  lanes_.clear();
  sessions_.clear();
}

void LiveSessions::judge(LiveWatch& session, const EventPtr& event, std::vector<Breach>& out) {
  for (Finding& each : session.show(event)) {
    exercised_[each.party].insert(each.requirement.text());
    out.push_back({std::move(each), *session.revision()});
  }
  for (const Party party : {Party::kClient, Party::kServer}) {
    exercised_[party].merge(session.held(party));
  }
}

// A session is judged from its beginning on.
void LiveSessions::note(const Event& event, Lane& lane) {
  const transport::HttpHead* head = event.observation.http();
  if (lane.is_known || head == nullptr) return;
  const auto id = transport::find_header(head->headers, "Mcp-Session-Id");
  if (event.observation.kind == Kind::kHttpRequest) {
    const wire::Message* message = event.message();
    lane.is_initialize = message != nullptr && message->method() == "initialize";
    const bool has_no_session = message != nullptr && revision_of(*message).has_value();
    lane.is_known = has_no_session || (id && !lane.is_initialize);
    if (has_no_session) {
      sessions_.try_emplace(kWithoutSessions, transport_, true);
      lane.session = kWithoutSessions;
    } else if (id && sessions_.contains(std::string(*id))) {
      lane.session = std::string(*id);
    }
  } else if (event.observation.kind == Kind::kHttpResponse) {
    lane.is_known = true;
    if (!lane.is_initialize || !id || id->empty() || sessions_.size() >= kMostSessions) return;
    lane.session = std::string(*id);
    sessions_.try_emplace(*lane.session, transport_);
  }
}

std::vector<LiveSessions::Breach> LiveSessions::show(const EventPtr& event) {
  std::vector<Breach> out;
  const auto& observation = event->observation;
  bytes_ +=
      event->message() == nullptr ? observation.bytes().size() : event->message()->held_bytes();
  if (bytes_ > Transcript::kMaxBytes) give_up();
  if (is_over_) return out;
  if (transport_.has_process()) {
    judge(stdio_, event, out);
    return out;
  }
  if (lanes_.size() >= kMostLanes && !lanes_.contains(observation.lane)) return out;
  Lane& lane = lanes_[observation.lane];
  note(*event, lane);
  lane.held.push_back(event);
  const bool has_ended = observation.kind == Kind::kClosed || observation.kind == Kind::kBroken;
  if (lane.is_known) {
    for (const EventPtr& each : std::exchange(lane.held, {})) {
      if (lane.session) judge(sessions_.at(*lane.session), each, out);
    }
  }
  if (has_ended) lanes_.erase(observation.lane);
  return out;
}

}  // namespace assay::harness
