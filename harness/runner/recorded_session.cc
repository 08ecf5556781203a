#include "harness/runner/recorded_session.h"

#include <string_view>
#include <utility>

#include "harness/monitors/monitor.h"
#include "harness/runner/causes.h"
#include "harness/runner/ending.h"
#include "harness/runner/evidence.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::Message;
using wire::MessageKind;

constexpr const char* kServerInfo = "io.modelcontextprotocol/serverInfo";
constexpr const char* kClientInfo = "io.modelcontextprotocol/clientInfo";

void introduce(const Message& message, bool is_client, Introductions& out) {
  if (is_client) {
    const Json& params = message.params();
    if (message.method() == "initialize" && params.is_object()) out.client = params;
    const Json& info = member(member(params, "_meta"), kClientInfo);
    if (info.is_object() && out.client.is_null()) out.client = {{"clientInfo", info}};
    return;
  }
  if (message.kind() != MessageKind::kResult || !message.result().is_object()) return;
  const Json& result = message.result();
  const bool is_introduction = member(result, "capabilities").is_object();
  const Json& info = member(member(result, "_meta"), kServerInfo);
  if (is_introduction) out.server.merge_patch(result);
  if (info.is_object() && out.server.is_object()) out.server["serverInfo"] = info;
}

std::int64_t requests_within(const Message& message) {
  std::int64_t out = message.kind() == MessageKind::kRequest ? 1 : 0;
  for (const Message& member : message.members()) out += requests_within(member);
  return out;
}

}  // namespace

Introductions introductions_in(std::span<const EventPtr> events) {
  Introductions out;
  for (const EventPtr& event : events) {
    if (event->message() != nullptr) introduce(*event->message(), event->is_from_client(), out);
  }
  return out;
}

void name_target(const Json& info, reports::Target& target) {
  if (target.name.empty()) target.name = text_member(info, "name");
  if (target.version.empty()) target.version = text_member(info, "version");
}

reports::Cost cost_of_session(std::span<const EventPtr> events, Party judged) {
  reports::Cost cost{.sessions = 1};
  for (const EventPtr& event : events) {
    const std::size_t size = event->observation.bytes().size();
    if (event->is_from(judged)) {
      cost.bytes_received += size;
      continue;
    }
    cost.bytes_sent += size;
    if (event->message() != nullptr) cost.requests += requests_within(*event->message());
  }
  return cost;
}

Judgements with_evidence(Findings findings, std::span<const EventPtr> events,
                         const std::string& from) {
  Judgements judgements;
  for (Finding& finding : findings) {
    if (is_breach(finding)) finding.events = with_requests(events, finding.events);
    Judgement& judgement = judgements.emplace_back(Judgement{std::move(finding), from, {}});
    if (!is_breach(judgement) && judgement.finding.kind != Finding::Kind::kUnclear) continue;
    judgement.evidence = make_evidence(events, judgement.finding.events, judgement.finding.pointer);
  }
  name_causes(judgements);
  for (Judgement& judgement : judgements) {
    judgement.finding.events.clear();
    judgement.finding.more_events.clear();
  }
  return judgements;
}

Judgements judge_session(const RecordedSession& conversation, Party party, model::Revision revision,
                         const std::string& from) {
  const std::span<const EventPtr> events = conversation.events;
  Trace trace{events,
              conversation.transport,
              party,
              {},
              conversation.gap,
              conversation.is_altered,
              conversation.is_whole};
  // Where the traffic does not tell, somebody did; where it does, each message may tell of itself.
  if (!revision_of(events)) trace.revision = revision;
  Findings findings = watch(trace);
  if (party == Party::kServer && conversation.is_whole && conversation.gap.empty()) {
    auto end = unexpected_end(events, revision, conversation.transport, "end_of_connection");
    if (end) findings.push_back(*std::move(end));
  }
  return with_evidence(std::move(findings), events, from);
}

}  // namespace assay::harness
