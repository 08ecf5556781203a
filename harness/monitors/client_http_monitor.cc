// Judges the header fields of a client's HTTP requests.
//
// Specification: basic/transports, "Streamable HTTP" (2025-03-26 to 2025-11-25); of 2026-07-28
// basic/transports/streamable-http, "Sending Messages".
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "harness/monitors/http_lanes.h"
#include "harness/monitors/monitor.h"
#include "harness/monitors/session_view.h"
#include "harness/script/json_member.h"
#include "reference/transport/accept.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using catalogue::RequirementId;
using Kind = transport::Observation::Kind;

constexpr std::string_view kVersionField = "MCP-Protocol-Version";
constexpr std::string_view kSessionField = "Mcp-Session-Id";

bool has_wildcard(const transport::Headers& headers) {
  return std::any_of(headers.begin(), headers.end(), [](const transport::Header& header) {
    return wire::equals_without_case(header.first, "Accept") &&
           header.second.find("/*") != std::string::npos;
  });
}

bool is_message(const wire::Decoded& decoded) {
  const auto* message = std::get_if<wire::Message>(&decoded);
  return message != nullptr && message->kind() != wire::MessageKind::kMalformed;
}

// Lines each of which is a message.
bool holds_several(std::string_view body) {
  int messages = 0;
  while (!body.empty()) {
    const std::size_t end = std::min(body.find('\n'), body.size());
    const std::string_view line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (!is_message(wire::decode(line))) return false;
    ++messages;
  }
  return messages > 1;
}

// No client sends this before it has read the answer to initialize.
bool comes_of_session(const wire::Message* message) {
  if (message == nullptr) return false;
  const auto& members = message->members();
  return is_response(*message) || message->method() == "notifications/initialized" ||
         std::any_of(members.begin(), members.end(),
                     [](const wire::Message& member) { return comes_of_session(&member); });
}

// Responses only, or none.
bool is_of_one_kind(const wire::Message& batch) {
  const auto& members = batch.members();
  const auto responses = std::count_if(members.begin(), members.end(), is_response);
  return responses == 0 || responses == static_cast<std::ptrdiff_t>(members.size());
}

class ClientHttpMonitor : public Monitor {
 public:
  std::string_view name() const override { return "client_http_monitor"; }
  std::vector<RequirementId> client_requirements() const override {
    return {"http.post-accept",
            "http.get-accept",
            "http.session-id-sent",
            "http.version-header",
            "http.version-header-negotiated",
            "http.post-method",
            "http.message-per-post",
            "http.post-body-single",
            "http.post-body-forms"};
  }

  void on_event(const EventPtr& event, const SessionView& session, Judge& judge) override {
    if (!session.transport().is_streamable_http()) return;
    const HttpLane* lane = lanes_.note(event);
    if (lane == nullptr) return;
    if (event->observation.kind == Kind::kHttpResponse) note_session(*lane);
    if (event->observation.kind != Kind::kHttpRequest) return;
    judge_request(*lane, event, session, judge);
    judge_body(*lane, event, session.revision(), judge);
  }
  void on_end(const SessionView& /*session*/, Judge& judge) override {
    if (early_ != nullptr) judge_other(early_, false, judge);
  }
  bool holds_in(model::Revision /*revision*/) const override { return true; }
  bool rests_on_history(RequirementId id) const override {
    return id.text() == "http.session-id-sent" || id.text() == "http.version-header" ||
           id.text() == "http.version-header-negotiated";
  }

 private:
  void note_session(const HttpLane& lane) {
    if (!lane.is_initialize || !lane.is_success()) return;
    const auto id =
        transport::find_header(lane.response->observation.http()->headers, kSessionField);
    session_id_ = id ? std::string(*id) : "";
    assigned_ = lane.response;
    is_used_ = has_listened_ = false;
    latest_.reset();
    early_ = nullptr;
  }

  void judge_request(const HttpLane& lane, const EventPtr& event, const SessionView& session,
                     Judge& judge) {
    const bool is_of_session = session.revision().has_sessions();
    if (is_of_session || lane.is_post()) judge_accept(lane, event, judge);
    if (!is_of_session) return;
    // A session begins with it, and belongs to none.
    if (lane.is_initialize || !assigned_) return;
    if (session_id_.empty()) return;
    const auto sent = lane.sent_header(kSessionField);
    if (sent == session_id_) {
      is_used_ = true;
      if (const auto number = number_of(event))
        latest_ = std::max(latest_.value_or(*number), *number);
      if (lane.is_get()) {
        has_listened_ = true;
        early_ = nullptr;
      }
      judge.held("http.session-id-sent", event);
      // Only the session id makes certain that the request is a later one of the same client, and
      // no first one of another.
      judge_version(lane, event, session, judge);
      return;
    }
    // Who cannot speak the version that was answered may leave, and look for the older transport.
    if (lane.is_get() && !is_used_) return;
    // A stream that was asked for before the answer, and is read here after it.
    if (lane.is_get() && !sent && !has_listened_ && early_ == nullptr) {
      early_ = event;
      return;
    }
    if (!sent && may_be_early_ping(event)) return;
    judge_other(event, sent.has_value(), judge);
  }

  // The id of the request, if it is one, and its id a number.
  static std::optional<std::int64_t> number_of(const EventPtr& event) {
    const wire::Message* message = event->message();
    if (message == nullptr || message->kind() != wire::MessageKind::kRequest) return std::nullopt;
    const Json id = wire::to_json(*message->id());
    return id.is_number_integer() ? std::optional(id.get<std::int64_t>()) : std::nullopt;
  }

  // A ping may be sent before initialize is answered, and be slow, however often one looks. A
  // client that counts its requests shows which ones it sent later.
  bool may_be_early_ping(const EventPtr& event) const {
    if (event->message() == nullptr || event->message()->method() != "ping") return false;
    const auto number = number_of(event);
    return !number || !latest_ || *number < *latest_;
  }

  // What was sent before the answer to initialize was read, on another connection, may come after
  // it.
  void judge_other(const EventPtr& event, bool has_id, Judge& judge) const {
    judge.crossed("http.session-id-sent",
                  has_id ? "the request carries another session id than the server assigned"
                         : "the request carries no session id, and the server assigned one",
                  {assigned_, event}, comes_of_session(event->message()));
  }

  static void judge_accept(const HttpLane& lane, const EventPtr& event, Judge& judge) {
    const transport::Headers& headers = event->observation.http()->headers;
    // Who sends no Accept field takes everything, and lists nothing.
    const bool has_field = lane.sent_header("Accept").has_value();
    const bool has_events = has_field && transport::accepts(headers, "text/event-stream");
    const bool has_both = has_events && transport::accepts(headers, "application/json");
    // Whether a wildcard is a list, the text does not say.
    if (has_wildcard(headers) && (lane.is_post() ? has_both : has_events)) return;
    if (lane.is_post()) {
      judge.check("http.post-accept", has_both,
                  "the Accept field of a POST does not list application/json and "
                  "text/event-stream",
                  event);
    } else if (lane.is_get()) {
      judge.check("http.get-accept", has_events,
                  "the Accept field of a GET does not list text/event-stream", event);
    }
  }

  // With what a message is sent, and what the body holds besides.
  static void judge_body(const HttpLane& lane, const EventPtr& event, model::Revision revision,
                         Judge& judge) {
    const std::string_view body = event->observation.bytes();
    if (body.empty()) return;
    const wire::Message* message = event->message();
    if (!lane.is_post()) {
      if (!is_message(wire::decode(body))) return;
      judge.broke("http.post-method",
                  fmt::format("a message was sent with HTTP {}", lane.method().substr(0, 20)),
                  {event});
    } else if (message == nullptr) {
      if (!holds_several(body)) return;
      judge.broke("http.message-per-post", "the body of a POST holds several messages", {event});
    } else {
      judge.held("http.post-method", event);
      judge.held("http.message-per-post", event);
      judge_form(*message, event, revision, judge);
    }
  }

  static void judge_form(const wire::Message& message, const EventPtr& event,
                         model::Revision revision, Judge& judge) {
    const bool is_batch = message.kind() == wire::MessageKind::kBatch;
    if (revision.has_batching()) {
      judge.check("http.post-body-forms", !is_batch || is_of_one_kind(message),
                  "the body of a POST is an array of requests and responses", event);
    } else {
      judge.check("http.post-body-single", !is_batch,
                  "the body of a POST is an array, and no single message", event);
    }
  }

  static void judge_version(const HttpLane& lane, const EventPtr& event, const SessionView& session,
                            Judge& judge) {
    const Json& negotiated = member(session.server(), "protocolVersion");
    // A version that does not exist was not agreed on.
    if (!negotiated.is_string()) return;
    if (!model::Revision::parse(negotiated.get_ref<const std::string&>())) return;
    const auto sent = lane.sent_header(kVersionField);
    judge.check("http.version-header", sent.has_value(),
                fmt::format("the request carries no {}", kVersionField), event);
    if (!sent) return;
    judge.check(
        "http.version-header-negotiated", *sent == negotiated.get_ref<const std::string&>(),
        fmt::format("{} names another version than the one that was negotiated", kVersionField),
        event);
  }

  HttpLanes lanes_;
  EventPtr assigned_;                   // the answer to initialize
  std::string session_id_;              // that it assigned; empty if none
  bool is_used_ = false;                // by a request that carries it
  std::optional<std::int64_t> latest_;  // the highest number among the ids of those requests
  // The client asked for a stream with the id; without it, and has not done so with it since.
  bool has_listened_ = false;
  EventPtr early_;
};

const MonitorRegistration<ClientHttpMonitor> kClientHttpMonitorRegistration;

}  // namespace
}  // namespace assay::harness
