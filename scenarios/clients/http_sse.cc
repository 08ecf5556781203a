// The older pair of endpoints: the stream says where messages go, and they go there.
//
// Specification: 2024-11-05, basic/transports, "HTTP with SSE".
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/http_endpoint.h"
#include "reference/transport/http_guard.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using harness::RecordedSession;
using transport::Lane;
using HttpEvent = transport::Observation::Kind;

// Where messages are to be POSTed: of no shape that a client could guess.
constexpr std::string_view kOwnPath = "/assay/messages";
constexpr std::string_view kOwnQuery = "?of=assay&";

std::string_view path_of_target(std::string_view target) {
  return target.substr(0, target.find('?'));
}
bool is_own_endpoint(std::string_view target) {
  return target.starts_with(std::string(kOwnPath) + std::string(kOwnQuery));
}

// Who has not spoken to the endpoint may be trying Streamable HTTP beside its stream: there every
// POST names both types that it takes, and here none has to.
bool is_of_streamable_http(const transport::HttpHead& head) {
  const auto accept = transport::find_header(head.headers, "Accept");
  return accept && accept->find("text/event-stream") != std::string_view::npos;
}

// A stream that has named its endpoint; a client that speaks to it has it open.
struct NamedStream {
  std::string target;
  EventPtr event;  // that names it
  EventPtr end;    // null where it stayed open

  bool is_open_at(const EventPtr& other) const {
    return event->at < other->at && (end == nullptr || other->at < end->at);
  }
};

// What passed, of whatever session, in its order.
std::vector<EventPtr> all_events(const Review& review) {
  std::vector<EventPtr> all;
  for (const RecordedSession& session : review.sessions()) {
    all.insert(all.end(), session.events.begin(), session.events.end());
  }
  all.insert(all.end(), review.beside().begin(), review.beside().end());
  std::stable_sort(all.begin(), all.end(),
                   [](const EventPtr& a, const EventPtr& b) { return a->at < b->at; });
  return all;
}

std::map<Lane, NamedStream> streams_among(const std::vector<EventPtr>& events) {
  std::map<Lane, NamedStream> streams;
  for (const EventPtr& event : events) {
    const Lane lane = event->observation.lane;
    const wire::SseEvent* sse = event->observation.event();
    if (sse != nullptr && sse->event == "endpoint") {
      streams.try_emplace(lane, NamedStream{sse->data, event, nullptr});
    }
    const HttpEvent kind = event->observation.kind;
    const auto known = streams.find(lane);
    const bool is_end = kind == HttpEvent::kClosed || kind == HttpEvent::kBroken;
    if (is_end && known != streams.end()) known->second.end = event;
  }
  return streams;
}

class OlderPairPlay : public Play {
 public:
  std::optional<std::string> begin(const harness::Venue& venue) override {
    vault_ = venue.vault;
    return std::nullopt;
  }
  // The URL that clients are told is that of the stream. Who tries Streamable HTTP there is refused
  // in the way that has a client of both try this one.
  std::optional<transport::HttpReply> on_request(const transport::HttpHead& request,
                                                 std::string_view /*body*/) override {
    const bool is_stream = path_of_target(request.target) == transport::kMcpPath;
    if (is_stream && request.method == "GET") return std::nullopt;
    if (is_own_endpoint(request.target) && request.method == "POST") return std::nullopt;
    const bool is_there = is_stream || is_own_endpoint(request.target);
    return is_there ? transport::error_reply(405, "Method not allowed")
                    : transport::error_reply(404, "Not found");
  }
  std::optional<transport::HttpHead> on_head(const transport::HttpHead& request) override {
    transport::HttpHead taken = request;
    taken.target = transport::kSsePath;
    if (is_own_endpoint(request.target)) {
      const std::size_t before = kOwnPath.size() + kOwnQuery.size();
      taken.target = std::string(transport::kMessagesPath) + "?" + request.target.substr(before);
    }
    return taken;
  }
  void on_event(wire::SseEvent& event) override {
    if (event.event != "endpoint") return;
    const std::size_t query = event.data.find('?');
    if (query == std::string::npos) return;
    event.data = std::string(kOwnPath) + std::string(kOwnQuery) + event.data.substr(query + 1);
    // Whoever knows the id of a session may speak in it.
    const std::size_t id = event.data.rfind('=');
    const bool is_kept = vault_ != nullptr && ids_ < kMostIds;
    if (is_kept && id != std::string::npos) vault_->add(event.data.substr(id + 1));
    ++ids_;
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    const std::vector<EventPtr> events = all_events(review);
    const auto streams = streams_among(events);
    if (streams.empty()) {
      return review.not_exercised(kRule, "the client did not come over HTTP+SSE");
    }
    for (const EventPtr& event : events) {
      const bool is_message =
          event->observation.kind == HttpEvent::kHttpRequest && event->message() != nullptr;
      if (is_message && !review_message(event, streams, review)) return;
    }
    if (first_ != nullptr) {
      review.held(kRule, first_);
    } else {
      review.not_exercised(kRule, "the client sent no message while its stream was open");
    }
  }

 private:
  static constexpr catalogue::RequirementId kRule = "http-sse.post-to-endpoint";
  // Every text that is kept is searched for each of them.
  static constexpr int kMostIds = 200;

  // False where that settles it.
  bool review_message(const EventPtr& event, const std::map<Lane, NamedStream>& streams,
                      Review& review) {
    const transport::HttpHead& head = *event->observation.http();
    const NamedStream* open = nullptr;
    for (const auto& [lane, stream] : streams) {
      if (!stream.is_open_at(event)) continue;
      open = &stream;
      const bool is_its = head.method == "POST" && head.target.starts_with(stream.target);
      if (!is_its) continue;
      if (first_ == nullptr) first_ = event;
      return true;
    }
    if (open == nullptr) return true;
    // A further session may try Streamable HTTP before it has a stream of its own.
    const bool begins = event->message() != nullptr && event->message()->method() == "initialize";
    if (first_ != nullptr && begins && is_of_streamable_http(head)) return true;
    if (first_ == nullptr && is_of_streamable_http(head)) {
      review.unclear(kRule, "the client tried Streamable HTTP while it had its stream",
                     {open->event, event});
      return false;
    }
    review.broke(kRule, "a message was not POSTed to where the endpoint event says",
                 {open->event, event});
    return false;
  }

  std::shared_ptr<reports::Vault> vault_;
  int ids_ = 0;     // of sessions that were given
  EventPtr first_;  // message that went where it should
};

const ClientScenarioRegistration kOlderPair(
    {.name = "http-sse",
     .task =
         "connects over the older HTTP+SSE, to the event stream at the URL, and lists the tools",
     .requirements = {"http-sse.post-to-endpoint"},
     .make = make_play<OlderPairPlay>,
     .transports = {harness::TransportKind::kHttp},
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
