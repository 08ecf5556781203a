#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "reference/server/http_testing.h"

namespace assay::server {
namespace {

TEST_F(HttpTest, SendsWhatIsUnrelatedOnTheGetStream) {
  start();
  begin();
  const transport::Lane get = start_exchange("GET", "", {{"Accept", "text/event-stream"}}, "");
  wait_for_response(get);
  post(kChange);
  EXPECT_TRUE(wait_for_event("tools/list_changed", get));
  EXPECT_EQ(seen_on(get).type(), "text/event-stream");
}

TEST_F(HttpTest, KeepsWhatIsUnrelatedForTheFirstGetStream) {
  start();
  begin();
  post(kChange);
  const transport::Lane get = start_exchange("GET", "", {{"Accept", "text/event-stream"}}, "");
  EXPECT_TRUE(wait_for_event("tools/list_changed", get));
}

TEST_F(HttpTest, SendsEachMessageOnOneStream) {
  start();
  begin();
  const transport::Lane first = start_exchange("GET", "", {{"Accept", "text/event-stream"}}, "");
  wait_for_response(first);
  const transport::Lane second = start_exchange("GET", "", {{"Accept", "text/event-stream"}}, "");
  wait_for_response(second);
  post(kChange);
  ASSERT_TRUE(wait_for_event("tools/list_changed"));
  other("DELETE");  // ends both streams
  const auto count = [&](transport::Lane lane) { return finish(lane).messages().size(); };
  EXPECT_EQ(count(first) + count(second), 1u);
}

TEST_F(HttpTest, ResumesAStreamThatItClosed) {
  start();
  begin();
  const SeenExchange broken = post(kReconnection);
  EXPECT_TRUE(broken.messages().empty());
  EXPECT_TRUE(std::any_of(broken.events.begin(), broken.events.end(),
                          [](const wire::SseEvent& event) { return event.retry.has_value(); }));
  const SeenExchange resumed = other(
      "GET", {{"Accept", "text/event-stream"}, {"Last-Event-ID", broken.events.at(0).id.value()}});
  ASSERT_EQ(resumed.messages().size(), 1u);
  EXPECT_EQ(resumed.messages()[0]["id"], 7);
}

TEST_F(HttpTest, RedeliversExactlyWhatWasLost) {
  start();
  begin();
  const SeenExchange whole = post(kLogging);
  post(kReconnection);  // another stream, whose messages are not for this one
  const SeenExchange resumed = other(
      "GET", {{"Accept", "text/event-stream"}, {"Last-Event-ID", whole.events.at(2).id.value()}});
  ASSERT_EQ(resumed.events.size(), whole.events.size() - 3);
  for (std::size_t i = 0; i < resumed.events.size(); ++i) {
    EXPECT_EQ(resumed.events[i].id, whole.events[i + 3].id);
    EXPECT_EQ(resumed.events[i].data, whole.events[i + 3].data);
  }
}

TEST_F(HttpTest, GivesNoTwoEventsTheSameId) {
  start();
  begin();
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    for (const wire::SseEvent& event : post(kLogging).events) ids.push_back(event.id.value());
  }
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::adjacent_find(ids.begin(), ids.end()), ids.end());
}

TEST_F(HttpTest, RefusesToResumeWhatItDoesNotKnow) {
  start();
  begin();
  for (const char* id : {"999-1", "nonsense", "-", "1-"}) {
    EXPECT_EQ(other("GET", {{"Accept", "text/event-stream"}, {"Last-Event-ID", id}}).status, 400)
        << id;
  }
}

TEST_F(HttpTest, EndsTheStreamOfACancelledRequestWithoutAnAnswer) {
  start();
  begin();
  const transport::Lane slow = start_post(
      R"({"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"test_slow",)"
      R"("arguments":{"duration_ms":300000,"steps":1000},"_meta":{"progressToken":1}}})");
  ASSERT_TRUE(wait_for_event("notifications/progress", slow));
  post(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}})");
  for (const Json& message : finish(slow).messages()) EXPECT_FALSE(message.contains("id"));
}

TEST_F(HttpTest, LetsFaultsAtStreams) {
  start({}, {"answers-on-get", "event-ids-repeated", "streams-not-primed"});
  begin();
  const transport::Lane get = start_exchange("GET", "", {{"Accept", "text/event-stream"}}, "");
  recorder_.wait_for([&](const transport::Observation& seen) {
    return seen.lane == get && seen.kind == transport::Observation::Kind::kHttpResponse;
  });
  EXPECT_EQ(post(kPing).status, 202);
  const auto event = wait_for_event(R"("id":5)", get);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->event->id, "1");
  EXPECT_EQ(seen_on(get).events.at(0).data, event->event->data);
}

// The body of a stream that the client left has no end, so nothing may follow it.
TEST_F(HttpTest, AnswersNothingBehindAStreamThatWasLeft) {
  Server server;
  transport::HttpServer http(server, {});
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string requests =
      "GET /sse HTTP/1.1\r\nHost: localhost\r\n\r\nGET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ASSERT_EQ(::send(ends[1], requests.data(), requests.size(), 0),
            static_cast<ssize_t>(requests.size()));
  ::shutdown(ends[1], SHUT_WR);
  http.serve(ends[0]);
  std::string answers(4096, '\0');
  answers.resize(static_cast<std::size_t>(::recv(ends[1], answers.data(), answers.size(), 0)));
  ::close(ends[1]);
  EXPECT_TRUE(answers.starts_with("HTTP/1.1 200"));
  EXPECT_EQ(answers.find("HTTP/1.1", 1), std::string::npos) << answers;
}

}  // namespace
}  // namespace assay::server
