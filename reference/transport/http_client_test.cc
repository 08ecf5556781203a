#include "reference/transport/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "reference/transport/raw_server_testing.h"
#include "reference/transport/recorder_testing.h"

namespace assay::transport {
namespace {

using Kind = Observation::Kind;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{}})";
constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":2,"method":"ping"})";

std::vector<Kind> kinds_on(const Recorder& recorder, Lane lane) {
  std::vector<Kind> kinds;
  for (const Observation& seen : recorder.all()) {
    if (seen.lane == lane) kinds.push_back(seen.kind);
  }
  return kinds;
}

TEST(HttpClient, ObservesAJsonExchangeOnALaneOfItsOwn) {
  RawServer server(always(http_answer(200, kJsonType, "{\"x\":1}")));
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  ASSERT_FALSE(client.open());
  const Lane lane = client.send(kPing);
  EXPECT_EQ(lane.text(), "http/1");
  const auto end = wait_for_end(recorder, lane);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, Kind::kClosed);
  EXPECT_THAT(kinds_on(recorder, lane),
              testing::ElementsAre(Kind::kHttpRequest, Kind::kHttpResponse, Kind::kHttpBody,
                                   Kind::kClosed));
  const auto body = recorder.wait_for(Kind::kHttpBody);
  EXPECT_EQ(body->message(), "{\"x\":1}");
  EXPECT_EQ(body->http->status, 200);
}

TEST(HttpClient, RepeatsTheSessionAndNamesTheRevision) {
  std::mutex mutex;
  std::vector<std::string> requests;
  RawServer server([&](RawConnection& connection) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      {
        const std::lock_guard lock(mutex);
        requests.push_back(request);
      }
      connection.write(
          http_answer(200, "Content-Type: application/json\r\nMcp-Session-Id: s1\r\n", "{}"));
    }
  });
  Recorder recorder;
  HttpClientOptions options;
  options.headers = {{"Authorization", "Bearer t0", true}, {"X-Plain", "p", false}};
  HttpClient client(server.url(), options, recorder);
  ASSERT_FALSE(client.open());
  ASSERT_TRUE(wait_for_end(recorder, client.send(kInitialize)));
  client.set_protocol_version("2025-11-25");
  ASSERT_TRUE(wait_for_end(recorder, client.send(kPing)));
  ASSERT_TRUE(wait_for_end(recorder, *client.end_session()));
  EXPECT_FALSE(client.end_session());
  client.close(test_deadline());
  const std::lock_guard lock(mutex);
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_THAT(requests[0], Not(HasSubstr("Session-Id")));
  EXPECT_THAT(requests[0], HasSubstr("Accept: application/json, text/event-stream\r\n"));
  EXPECT_THAT(requests[0], HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_THAT(requests[0], HasSubstr("Authorization: Bearer t0\r\n"));
  EXPECT_THAT(requests[1], HasSubstr("Mcp-Session-Id: s1\r\n"));
  EXPECT_THAT(requests[1], HasSubstr("MCP-Protocol-Version: 2025-11-25\r\n"));
  EXPECT_THAT(requests[2], testing::StartsWith("DELETE /mcp HTTP/1.1\r\n"));
  EXPECT_THAT(requests[2], HasSubstr("Mcp-Session-Id: s1\r\n"));
  EXPECT_THAT(client.secrets(), testing::ElementsAre("Bearer t0"));
}

// A session that a request made by start() began is ended too, with the credentials it began with.
TEST(HttpClient, EndsAllSessionsThatItBegan) {
  std::mutex mutex;
  std::vector<std::string> requests;
  RawServer server([&](RawConnection& connection) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      std::string id;
      {
        const std::lock_guard lock(mutex);
        requests.push_back(request);
        id = "s" + std::to_string(requests.size());
      }
      connection.write(http_answer(200, "Mcp-Session-Id: " + id + "\r\n", ""));
    }
  });
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  ASSERT_TRUE(wait_for_end(recorder, client.send(kInitialize)));
  for (const char* token : {"Bearer t1", "Bearer t2"}) {
    HttpRequest request;
    request.headers = {{"Authorization", token}, {"Mcp-Session-Id", ""}};
    request.body = kInitialize;
    ASSERT_TRUE(wait_for_end(recorder, client.start(std::move(request))));
  }
  client.set_session_id("s3");  // went on in it
  const std::vector<Lane> lanes = client.end_all_sessions();
  ASSERT_EQ(lanes.size(), 2u);
  for (const Lane& lane : lanes) ASSERT_TRUE(wait_for_end(recorder, lane));
  EXPECT_TRUE(client.end_all_sessions().empty());
  client.close(test_deadline());
  const std::lock_guard lock(mutex);
  ASSERT_EQ(requests.size(), 5u);
  EXPECT_THAT(requests, testing::Contains(AllOf(testing::StartsWith("DELETE "),
                                                HasSubstr("Mcp-Session-Id: s3\r\n"),
                                                HasSubstr("Authorization: Bearer t2\r\n"))));
  EXPECT_THAT(requests, testing::Contains(AllOf(testing::StartsWith("DELETE "),
                                                HasSubstr("Mcp-Session-Id: s2\r\n"),
                                                HasSubstr("Authorization: Bearer t1\r\n"))));
}

TEST(HttpClient, InitializesAgainWithoutTheOldSession) {
  RawServer server(always(http_answer(200, "Mcp-Session-Id: new\r\n", "")));
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  client.set_session_id("old");
  ASSERT_TRUE(wait_for_end(recorder, client.send(kInitialize)));
  const auto request = recorder.wait_for(Kind::kHttpRequest, Party::kClient);
  EXPECT_FALSE(find_header(request->http->headers, "Mcp-Session-Id"));
  EXPECT_EQ(client.session_id(), "new");
}

TEST(HttpClient, OlderRevisionsHaveNoVersionHeader) {
  RawServer server(always(http_answer(202, "", "")));
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  client.set_protocol_version("2025-03-26");
  ASSERT_TRUE(wait_for_end(recorder, client.send(kPing)));
  const auto request = recorder.wait_for(Kind::kHttpRequest, Party::kClient);
  EXPECT_FALSE(find_header(request->http->headers, "mcp-protocol-version"));
}

// A session's id, a version and an event's id are a peer's text, and stand in heads that we send.
TEST(HttpClient, RepeatsNoTextThatCouldEndALineOfItsHead) {
  RawServer server(always(http_answer(200, "Mcp-Session-Id: s1\rX-Forged: 1\r\n", "")));
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  ASSERT_TRUE(wait_for_end(recorder, client.send(kInitialize)));
  EXPECT_EQ(client.session_id(), std::nullopt);
  client.set_protocol_version("2025-06-18\r\nX-Forged: 1");
  const Lane lane = client.open_stream("7\r\nX-Forged: 1");
  ASSERT_TRUE(wait_for_end(recorder, lane));
  for (const Observation& observation : recorder.all()) {
    if (observation.kind != Kind::kHttpRequest) continue;
    for (const auto& [name, value] : observation.http->headers) {
      EXPECT_THAT(value, Not(HasSubstr("X-Forged"))) << name;
    }
  }
}

TEST(Observer, KnowsWhatMayStandInAHeaderField) {
  EXPECT_TRUE(is_field_value("2025-06-18"));
  EXPECT_TRUE(is_field_value("a b\tc"));
  EXPECT_TRUE(is_field_value("\xC3\xA9"));
  EXPECT_FALSE(is_field_value("a\rb"));
  EXPECT_FALSE(is_field_value("a\nb"));
  EXPECT_FALSE(is_field_value(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_field_value("\x7f"));
  EXPECT_FALSE(is_field_value(std::string(5000, 'a')));
}

TEST(HttpClient, SendsAnyRequestThatAScenarioMakes) {
  RawServer server(always(http_answer(405, "", "")));
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  client.set_session_id("s");
  HttpRequest request;
  request.method = "PUT";
  request.target = "/elsewhere";
  request.headers = {{"accept", ""}, {"X-Twice", "1"}, {"X-Twice", "2"}};
  request.body = "not json";
  request.with_session_headers = false;
  ASSERT_TRUE(wait_for_end(recorder, client.start(request)));
  const auto sent = recorder.wait_for(Kind::kHttpRequest, Party::kClient);
  EXPECT_EQ(sent->http->method, "PUT");
  EXPECT_EQ(sent->http->target, "/elsewhere");
  EXPECT_FALSE(find_header(sent->http->headers, "Accept"));
  EXPECT_FALSE(find_header(sent->http->headers, "Mcp-Session-Id"));
  EXPECT_EQ(std::count_if(sent->http->headers.begin(), sent->http->headers.end(),
                          [](const Header& header) { return header.first == "X-Twice"; }),
            2);
  EXPECT_EQ(recorder.wait_for(Kind::kHttpResponse)->http->status, 405);
}

TEST(HttpClient, ReadsEventsWhileTheStreamIsOpen) {
  RawServer server([](RawConnection& connection) {
    connection.read_request();
    connection.write(kChunkedSseHead);
    connection.write(http_chunk("id: 1\ndata:\n\nid: 2\nda"));
    connection.write(http_chunk("ta: {}\n\n"));
    connection.wait_for_end();
  });
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  const Lane lane = client.open_stream("0");
  const auto event = recorder.wait_for([](const Observation& seen) {
    return seen.kind == Kind::kSseEvent && seen.event->id == "2";
  });
  ASSERT_TRUE(event);
  EXPECT_EQ(event->message(), "{}");
  const auto request = recorder.wait_for(Kind::kHttpRequest, Party::kClient);
  EXPECT_EQ(find_header(request->http->headers, "last-event-id"), "0");
  EXPECT_EQ(find_header(request->http->headers, "accept"), "text/event-stream");
  client.abandon(lane);
  const auto end = wait_for_end(recorder, lane);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, Kind::kBroken);
  EXPECT_EQ(end->speaker, Party::kClient);
}

TEST(HttpClient, TellsAnEndedStreamFromABrokenOne) {
  RawServer server([](RawConnection& connection) {
    const std::string request = connection.read_request();
    connection.write(kChunkedSseHead);
    connection.write(http_chunk("data: {}\n\n"));
    if (request.find("ends") != std::string::npos) connection.write("0\r\n\r\n");
  });
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  EXPECT_EQ(wait_for_end(recorder, client.send("ends"))->kind, Kind::kClosed);
  const auto broken = wait_for_end(recorder, client.send("breaks"));
  EXPECT_EQ(broken->kind, Kind::kBroken);
  EXPECT_EQ(broken->speaker, Party::kServer);
}

TEST(HttpClient, CannotOpenWhereNothingListens) {
  HttpUrl url;
  {
    RawServer server([](RawConnection&) {});
    url = server.url();
  }
  Recorder recorder;
  HttpClient client(url, {}, recorder);
  const auto failure = client.open();
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, Failure::Kind::kUnreachable);
  EXPECT_THAT(wait_for_end(recorder, client.send(kPing))->bytes, HasSubstr("refused"));
}

TEST(HttpClient, GivesUpOnAServerThatNeverAnswers) {
  RawServer server([](RawConnection& connection) { connection.wait_for_end(); });
  Recorder recorder;
  HttpClientOptions options;
  options.limits.answer_timeout = std::chrono::milliseconds(50);
  HttpClient client(server.url(), options, recorder);
  EXPECT_THAT(wait_for_end(recorder, client.send(kPing))->bytes, HasSubstr("no answer within"));
}

TEST(HttpClient, BoundsAnEndlessBody) {
  RawServer server([](RawConnection& connection) {
    const std::string request = connection.read_request();
    if (request.find("\r\n\r\nstream") != std::string::npos) {
      connection.write(kChunkedSseHead);
    } else {
      connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
    }
    while (connection.write(http_chunk("data: x\n\n"))) {
    }
  });
  HttpClientOptions options;
  options.limits.max_body_bytes = options.limits.max_stream_bytes = 1 << 16;
  for (const char* message : {"body", "stream"}) {
    Recorder recorder;
    HttpClient client(server.url(), options, recorder);
    const auto end = wait_for_end(recorder, client.send(message));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->kind, Kind::kCutOff);
    EXPECT_THAT(end->bytes, HasSubstr("longer than 65536 bytes"));
    for (const Observation& seen : recorder.all()) {
      const bool is_body = seen.kind == Kind::kHttpBody;
      EXPECT_TRUE(!is_body || (seen.is_truncated && !seen.message()));
    }
  }
}

TEST(HttpClient, HoldsNoMoreOfAnAnswerThanTheBudgetHas) {
  RawServer server([](RawConnection& connection) {
    const std::string request = connection.read_request();
    const bool is_stream = request.find("\r\n\r\nstream") != std::string::npos;
    connection.write(is_stream ? "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: "
                               : "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n");
    while (connection.write(std::string(4096, 'x'))) {
    }
  });
  for (const char* message : {"body", "stream"}) {
    Recorder recorder;
    HttpClientOptions options;
    options.limits.budget = wire::BudgetPtr(new wire::Budget(1 << 20));
    HttpClient client(server.url(), options, recorder);
    const auto end = wait_for_end(recorder, client.send(message));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->kind, Kind::kCutOff);
    EXPECT_THAT(end->bytes, HasSubstr("than there is memory left for"));
  }
}

TEST(HttpClient, AsksForNoCompressionAndUnpacksNone) {
  std::string request;
  RawServer server([&](RawConnection& connection) {
    request = connection.read_request();
    connection.write(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
        "Content-Length: 2\r\n\r\n\x1f\x8b");
    connection.wait_for_end();
  });
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  const auto end = wait_for_end(recorder, client.send(kPing));
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, Kind::kCutOff);
  EXPECT_THAT(end->bytes, HasSubstr("compressed (gzip)"));
  client.close(test_deadline());
  EXPECT_THAT(request, HasSubstr("\r\nAccept-Encoding: identity\r\n"));
}

TEST(HttpClient, EverythingEndsWithTheCut) {
  RawServer server([](RawConnection& connection) {
    if (connection.read_request().find("GET ") == 0) return connection.wait_for_end();
    connection.write("HTTP/1.1 200 OK\r\nX: " + std::string(1 << 18, 'x'));
    connection.wait_for_end();
  });
  Recorder recorder;
  HttpClient client(server.url(), {}, recorder);
  client.open_stream();
  ASSERT_TRUE(wait_for_end(recorder, client.send(kPing)));
  const auto seen = recorder.all().size();
  client.send(kPing);
  client.close(test_deadline());
  EXPECT_EQ(recorder.all().size(), seen);
}

TEST(HttpClient, RunsExchangesSideBySideOnFewThreads) {
  std::atomic<int> arrived{0};
  RawServer server([&](RawConnection& connection) {
    while (!connection.read_request().empty()) {
      ++arrived;
      connection.write(http_answer(200, kJsonType, "{}"));
    }
  });
  Recorder recorder;
  HttpClientOptions options;
  options.limits.max_concurrent = 4;
  HttpClient client(server.url(), options, recorder);
  std::vector<Lane> lanes;
  for (int i = 0; i < 100; ++i) lanes.push_back(client.send(kPing));
  for (const Lane lane : lanes) EXPECT_EQ(wait_for_end(recorder, lane)->kind, Kind::kClosed);
  EXPECT_EQ(arrived, 100);
}

TEST(HttpClient, CloseEndsEverythingAndThenIsSilent) {
  RawServer server([](RawConnection& connection) { connection.wait_for_end(); });
  Recorder recorder;
  HttpClientOptions options;
  options.limits.max_concurrent = 2;
  HttpClient client(server.url(), options, recorder);
  for (int i = 0; i < 5; ++i) client.send(kPing);
  client.close(test_deadline());
  const auto all = recorder.all();
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const Observation& seen) { return seen.kind == Kind::kBroken; }),
            5);
  client.send(kPing);
  EXPECT_EQ(recorder.all().size(), all.size());
}

}  // namespace
}  // namespace assay::transport
