// Event streams of a server: an answer that comes in one, and one that breaks off in mid-call.
//
// Specification: basic/transports, "Sending Messages to the Server" and "Resumability and
// Redelivery" (2025-03-26 to 2025-11-25).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/transport/http_replies.h"
#include "reference/wire/peer_json.h"
#include "scenarios/clients/event_streams.h"
#include "scenarios/clients/passages.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

using transport::HttpHead;
using transport::HttpReply;

// The answer to initialize comes in a stream. All others come as JSON.
class StreamedAnswerPlay : public Play {
 public:
  void on_reply(const HttpHead& request, std::string_view body, HttpReply& reply) override {
    const Json message = wire::parse_of_peer(body);
    const bool is_initialize = request.method == "POST" && message.is_object() &&
                               message.value("method", Json()) == "initialize";
    if (!is_initialize || reply.status != 200 || reply.body.empty()) return;
    // A comment, and data over two lines, as any stream may have them.
    std::string data = reply.body;
    if (data.starts_with('{')) data.insert(1, "\ndata:");
    make_events(": welcome\n\nevent: message\ndata: " + data + "\n\n", reply);
  }
  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }
  void review(Review& review) override {
    const catalogue::RequirementId rule("http.client-takes-both-types");
    for (const Said& asked : review.requests("initialize")) {
      const auto reply = review.reply_to(asked);
      if (!reply || reply->message.kind() != wire::MessageKind::kResult) continue;
      const auto& said = review.client();
      const auto next = std::find_if(said.begin(), said.end(), [&](const Said& each) {
        return each.session == reply->session && each.event->n > reply->event->n;
      });
      if (next != said.end()) {
        review.held(rule, next->event);
      } else {
        review.fell_silent(rule,
                           "initialize was answered in an event stream, and nothing more came",
                           {asked.event, reply->event});
      }
    }
  }
};

const ClientScenarioRegistration kStreamedAnswer(
    {.name = "answer-in-stream",
     .task = "connects, is answered in an event stream, and lists the tools",
     .requirements = {"http.client-takes-both-types"},
     .make = make_play<StreamedAnswerPlay>,
     .concerns = &model::Revision::has_sessions,
     .transports = {harness::TransportKind::kHttp}});

constexpr const char* kReconnection = "test_reconnection";
constexpr std::chrono::milliseconds kRetry{500};
// Of the stream that resumes the first: longer than the delays that clients have of their own.
constexpr std::chrono::milliseconds kLongRetry{2500};
// Timers of clients may be early by a little.
constexpr std::chrono::milliseconds kEarly{50};
constexpr std::string_view kFirstEvent = "assay-event-1";
constexpr std::string_view kSecondEvent = "assay-event-2";
constexpr std::string_view kLastEventField = "Last-Event-ID";
// On the stream that the client listens to, between the end of the other and its resumption.
std::string aside(int number) {
  return fmt::format("id: assay-aside-{}\ndata: {}\n\n", number,
                     R"({"jsonrpc":"2.0","method":"notifications/message",)"
                     R"("params":{"level":"info","data":"This stream goes on"}})");
}

// The stream of a call ends after its first event, and the answer waits for a client that resumes
// it: at once, or where streams are polled, after one more wait.
class RetryPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call") || called_tool(visit.message()) != kReconnection) return;
    has_polling_ = visit.revision().has_sse_polling();
    visit.answer(text_result(visit.message(), "The stream was closed in the middle of this call"));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    list_only({hosted_tool(kReconnection, "Closes its event stream before it answers")}, result);
  }
  void on_reply(const HttpHead& request, std::string_view body, HttpReply& reply) override {
    if (request.method == "GET") return on_stream(request, reply);
    if (!answer_.empty() || request.method != "POST" || reply.status != 200) return;
    const Json message = wire::parse_of_peer(body);
    const bool is_call = message.is_object() && message.value("method", Json()) == "tools/call";
    if (is_call && !reply.body.empty()) break_off(reply);
  }

  void review(Review& review) override {
    const std::vector<Passage> all = passages(review);
    const auto call = std::find_if(all.begin(), all.end(), [](const Passage& passage) {
      return passage.posts("tools/call") && called_tool(*passage.message()) == kReconnection;
    });
    if (call == all.end() || call->end == nullptr || call->response == nullptr) return;
    const std::vector<Passage> back = come_back(review, all, *call);
    // Who confuses streams waits in vain for the rest of the right one, and cancels the call later.
    const harness::EventPtr cancellation = cancellation_of(review, *call->message());
    if (back.empty() && review_confusion(review, all, *call, cancellation)) return;
    if (back.empty() && cancellation) {
      return review.not_exercised("http.client-polls", "the client cancelled its call");
    }
    if (back.empty()) {
      review.missed("http.client-polls",
                    "the server closed the stream of a call, and the client did not connect again",
                    {call->request, call->end}, {"GET with Last-Event-ID"});
      return;
    }
    // Who means this stream says so, whatever else it opens before.
    const auto named = [&](bool is_right) {
      return std::find_if(back.begin(), back.end(), [&](const Passage& passage) {
        const auto last = last_event_of(passage);
        return last && (last == kFirstEvent || !is_right);
      });
    };
    auto resumed = named(true);
    if (resumed == back.end()) resumed = named(false);
    if (resumed == back.end()) return review_unnamed(review, all, *call, back);
    review.held("http.client-polls", resumed->request);
    review.check("http.resume-with-get", last_event_of(*resumed) == kFirstEvent,
                 "the client resumes with another event id than the last of that stream",
                 {call->end, resumed->request});
    if (last_event_of(*resumed) != kFirstEvent) return;
    review_wait(review, *call, *resumed, kRetry);
    const auto again = std::find_if(all.begin(), all.end(), [](const Passage& passage) {
      return last_event_of(passage) == kSecondEvent;
    });
    const bool is_whole = resumed->response != nullptr && resumed->end != nullptr;
    if (again != all.end() && is_whole) review_wait(review, *resumed, *again, kLongRetry);
  }

 private:
  void break_off(HttpReply& reply) {
    answer_ = reply.body;
    const char* const data = has_polling_
                                 ? ""
                                 : R"({"jsonrpc":"2.0","method":"notifications/message",)"
                                   R"("params":{"level":"info","data":"This stream ends now"}})";
    make_events(fmt::format("id: {}\nretry: {}\ndata: {}\n\n", kFirstEvent, kRetry.count(), data),
                reply, [listening = listening_] {
                  if (listening) listening->say_more();
                });
  }

  // Its answer is of no use any more.
  static harness::EventPtr cancellation_of(const Review& review, const wire::Message& call) {
    const auto& said = review.client();
    const auto found = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      return each.message.method() == "notifications/cancelled" &&
             harness::member(each.message.params(), "requestId") == wire::to_json(*call.id());
    });
    return found == said.end() ? nullptr : found->event;
  }

  // A client may have a stream of its own, now or later; but whoever comes back without the event
  // is given no other one.
  void on_stream(const HttpHead& request, HttpReply& reply) {
    const auto last = last_event_in(request);
    const bool is_back = last == kFirstEvent || last == kSecondEvent;
    if (is_back && !answer_.empty()) {
      go_on(reply);
    } else if (!last && has_stream_ && !answer_.empty()) {
      reply = transport::method_not_allowed("POST, DELETE");
    }
    has_stream_ = has_stream_ || !last;
    if (last || !reply.stream || listening_) return;
    listening_ = std::make_shared<StreamWithMore>(reply.stream, aside);
    reply.stream = listening_;
    // Asked for before the call, and here only now.
    if (!answer_.empty()) listening_->say_more();
  }

  void go_on(HttpReply& reply) {
    if (has_polling_ && !std::exchange(has_resumed_, true)) {
      make_events(fmt::format("id: {}\nretry: {}\ndata: \n\n", kSecondEvent, kLongRetry.count()),
                  reply);
    } else {
      make_events(fmt::format("id: assay-event-3\ndata: {}\n\n", answer_), reply);
    }
  }

  // An empty one says that there was none.
  static std::optional<std::string_view> last_event_in(const HttpHead& request) {
    const auto last = transport::find_header(request.headers, kLastEventField);
    return last && !last->empty() ? std::optional<std::string_view>(*last) : std::nullopt;
  }
  static std::optional<std::string_view> last_event_of(const Passage& passage) {
    return last_event_in(passage.head());
  }

  // What the client fetches behind the end of that stream, but for what it says to be the rest of
  // another one. We may write the end down late: whoever names the last event comes back in any
  // case.
  static std::vector<Passage> come_back(const Review& review, const std::vector<Passage>& all,
                                        const Passage& call) {
    std::vector<Passage> back;
    for (const Passage& passage : all) {
      if (passage.head().method != "GET" || passage.request->at < call.request->at) continue;
      const auto last = last_event_of(passage);
      const bool is_back = last == kFirstEvent || (passage.request->at > call.end->at &&
                                                   (!last || !is_of_another(review, call, *last)));
      if (is_back) back.push_back(passage);
    }
    return back;
  }
  // It came back with the last event of another stream. That is a mistake only if the other one
  // goes on. True if it is told.
  static bool review_confusion(Review& review, const std::vector<Passage>& all, const Passage& call,
                               const harness::EventPtr& cancellation) {
    for (const Passage& passage : all) {
      // The call is of no interest to it any more.
      if (cancellation && cancellation->n < passage.request->n) continue;
      const auto last = last_event_of(passage);
      const bool is_later =
          passage.head().method == "GET" && passage.request->at > call.end->at && last;
      const Passage* other = is_later ? stream_of(review, all, call, *last) : nullptr;
      if (other == nullptr) continue;
      const bool goes_on = other->end == nullptr || other->end->at > passage.request->at;
      if (!goes_on) {
        review.unclear("http.client-polls",
                       "the client came back to another stream, which had ended as well",
                       {call.request, call.end, passage.request});
        return true;
      }
      review.held("http.client-polls", passage.request);
      review.broke("http.resume-with-get",
                   "the client resumes the stream of the call with the last event of another "
                   "stream, which goes on",
                   {other->request, call.end, passage.request});
      return true;
    }
    return false;
  }
  // The exchange, but for the call, in which an event of that id came; null if there is none.
  static const Passage* stream_of(const Review& review, const std::vector<Passage>& all,
                                  const Passage& call, std::string_view id) {
    for (const harness::RecordedSession& session : review.sessions()) {
      for (const harness::EventPtr& event : session.events) {
        const wire::SseEvent* said = event->observation.event();
        if (said == nullptr || said->id != id) continue;
        const auto found = std::find_if(all.begin(), all.end(), [&](const Passage& each) {
          return each.request->observation.lane == event->observation.lane &&
                 each.request != call.request;
        });
        if (found != all.end()) return &*found;
      }
    }
    return nullptr;
  }
  static bool is_of_another(const Review& review, const Passage& call, std::string_view id) {
    for (const harness::RecordedSession& session : review.sessions()) {
      for (const harness::EventPtr& event : session.events) {
        const wire::SseEvent* said = event->observation.event();
        const bool is_elsewhere = event->observation.lane != call.request->observation.lane;
        if (is_elsewhere && said != nullptr && said->id == id) return true;
      }
    }
    return false;
  }

  // Who has no stream of its own yet may open that now, and a client may have several. Only where
  // another one stays open, each time that this is played, it is for the sake of the call.
  static void review_unnamed(Review& review, const std::vector<Passage>& all, const Passage& call,
                             const std::vector<Passage>& back) {
    const auto found = std::find_if(back.begin(), back.end(), [&](const Passage& passage) {
      return was_listening(all, passage);
    });
    if (found == back.end()) return;
    review.held("http.client-polls", found->request);
    review.missed("http.resume-with-get", "the client connects again without a Last-Event-ID",
                  {call.end, found->request}, {"GET with Last-Event-ID"});
  }
  // It has a stream for what the server says by itself, and keeps it for as long as it is there.
  static bool was_listening(const std::vector<Passage>& all, const Passage& back) {
    return std::any_of(all.begin(), all.end(), [&](const Passage& stream) {
      const bool is_other = stream.head().method == "GET" && stream.status() == 200 &&
                            stream.session_id() == back.session_id() &&
                            stream.request->at < back.request->at;
      return is_other && (stream.end == nullptr ||
                          std::none_of(all.begin(), all.end(), [&](const Passage& later) {
                            return later.request->at > stream.end->at &&
                                   later.head().method != "DELETE";
                          }));
    });
  }

  // From the request on, behind which its stream ended: however late we are with the end, or write
  // it down, that can only be longer. So a breach needs no second look, and what else the client
  // broke does not explain it; and a wait that is long enough, counted from the end, is kept.
  static void review_wait(Review& review, const Passage& ended, const Passage& back,
                          std::chrono::milliseconds retry) {
    const auto gap = back.request->at - ended.request->at;
    const auto wait = back.request->at - ended.end->at;
    const auto earliest = retry - kEarly;
    if (gap >= earliest && wait < earliest) {
      return review.unclear("http.retry-respected",
                            "the stream ended so late after its request that it is not seen how "
                            "long the client waited",
                            {ended.response, ended.end, back.request});
    }
    review.check("http.retry-respected", gap >= earliest,
                 fmt::format("the client came back {} ms after the request whose stream had ended; "
                             "retry said {} ms",
                             std::chrono::duration_cast<std::chrono::milliseconds>(gap).count(),
                             retry.count()),
                 {ended.response, ended.end, back.request});
  }

  bool has_polling_ = false;
  bool has_stream_ = false;                    // the client asked for one of its own
  std::shared_ptr<StreamWithMore> listening_;  // the first of them
  std::string answer_;                         // once the stream was broken off
  bool has_resumed_ = false;                   // and was told to come back once more
};

const ClientScenarioRegistration kSseRetry(
    {.name = "sse-retry",
     .task = "calls test_reconnection, waits as long as its stream says, and resumes it",
     .requirements = {"http.client-polls", "http.resume-with-get", "http.retry-respected"},
     .make = make_play<RetryPlay>,
     .transports = {harness::TransportKind::kHttp},
     .deeds = {{harness::Act::kCallsTool, kReconnection}}});

}  // namespace
}  // namespace assay::scenarios
