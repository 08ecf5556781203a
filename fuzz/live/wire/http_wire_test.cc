// When a server over HTTP counts as hanging: not for breaking a connection off, nor for refusing;
// and what is not waited for.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/sandbox_testing.h"
#include "fuzz/live/wire/raw_socket.h"
#include "fuzz/live/wire/wire.h"
#include "harness/runner/target.h"
#include "reference/transport/raw_server_testing.h"

namespace assay::fuzz {
namespace {

enum class Deed : std::uint8_t { kAnswer, kLeaveOpen, kRefuse, kBreak, kStaySilent };

// Answers every request, until told to do other things with those that come next. Calls of tools
// never, if it has slow tools.
class MoodyServer {
 public:
  MoodyServer() : server_([this](transport::RawConnection& connection) { serve(connection); }) {}

  // Each deed is for one request; the last of them for all that follow, too.
  void next(std::deque<Deed> deeds) {
    const std::lock_guard lock(mutex_);
    deeds_ = std::move(deeds);
  }
  // A GET is left open, and not even a head comes on it.
  void keep_streams_silent() { has_silent_streams_ = true; }
  // Whether so many GETs have been broken off, in time.
  bool await_ended_streams(int count) {
    std::unique_lock lock(mutex_);
    return stream_ended_.wait_for(lock, std::chrono::seconds(20),
                                  [&] { return ended_streams_ >= count; });
  }
  void have_slow_tools() { has_slow_tools_ = true; }
  int cancellations() const { return cancellations_; }
  std::string url() const { return fmt::format("http://127.0.0.1:{}/mcp", server_.port()); }

 private:
  Deed take() {
    const std::lock_guard lock(mutex_);
    const Deed deed = deeds_.front();
    if (deeds_.size() > 1) deeds_.pop_front();
    return deed;
  }

  void serve(transport::RawConnection& connection) {
    for (std::string request; !(request = connection.read_request()).empty();) {
      if (request.find("notifications/cancelled") != std::string::npos) ++cancellations_;
      if (has_silent_streams_ && request.starts_with("GET ")) {
        connection.wait_for_end();
        const std::lock_guard lock(mutex_);
        ++ended_streams_;
        stream_ended_.notify_all();
        return;
      }
      if (has_slow_tools_ && request.find("tools/call") != std::string::npos) {
        connection.wait_for_end();
        return;
      }
      switch (take()) {
        case Deed::kAnswer:
          connection.write(answer_to(request));
          break;
        case Deed::kLeaveOpen:
          connection.write(
              "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
              "data: " +
              text_of_answer(request) + "\n\n");
          connection.wait_for_end();
          return;
        case Deed::kRefuse:
          connection.write(transport::http_answer(503, "", ""));
          break;
        case Deed::kBreak:
          return;
        case Deed::kStaySilent:
          connection.wait_for_end();
          return;
      }
    }
  }

  static std::string answer_to(const std::string& request) {
    const std::string text = text_of_answer(request);
    if (text.empty()) return transport::http_answer(202, "", "");
    return transport::http_answer(200, transport::kJsonType, text);
  }

  static std::string text_of_answer(const std::string& request) {
    const Json message = Json::parse(request.substr(request.find("\r\n\r\n") + 4), nullptr, false);
    if (!message.is_object() || !message.contains("id")) return "";
    Json result = Json::object();
    if (message["method"] == "initialize") {
      result = {{"protocolVersion", "2025-11-25"},
                {"capabilities", Json::object()},
                {"serverInfo", {{"name", "moody"}, {"version", "1"}}}};
    }
    return Json{{"jsonrpc", "2.0"}, {"id", message["id"]}, {"result", result}}.dump();
  }

  std::mutex mutex_;
  std::condition_variable stream_ended_;
  int ended_streams_ = 0;
  std::atomic<bool> has_silent_streams_ = false;
  std::deque<Deed> deeds_ = {Deed::kAnswer};
  std::atomic<bool> has_slow_tools_ = false;
  std::atomic<int> cancellations_ = 0;
  transport::RawServer server_;
};

// What was said, a line each, and how it stands.
struct Said {
  std::string text;
  WireState state = WireState::kAlive;
};

// Of a server that does this with the ping behind a case, and with what follows it. With a
// handshake before it unless the deeds are for that, too.
Said said_after(std::deque<Deed> deeds, bool has_begun = true, Waits waits = {},
                const std::vector<Case>& cases = {}) {
  MoodyServer server;
  const auto access = std::get<harness::TargetAccess>(harness::over_http({server.url(), {}}));
  Vocabulary words;
  words.initialize_params = Json::object();
  const auto wire = make_wire({access, words, waits}, !has_begun);
  EXPECT_EQ(wire->open(), std::nullopt);
  if (has_begun) {
    EXPECT_TRUE(wire->begin());
  }
  (void)wire->judge().take_suspicions();
  server.next(std::move(deeds));
  wire->post(cases, 1);
  Said said;
  said.state = wire->await();
  for (const Suspicion& each : wire->judge().take_suspicions()) {
    said.text += each.signature() + ": " + each.detail + "\n";
  }
  wire->close();
  return said;
}

TEST(HttpWire, HasNothingToSayOfAServerThatAnswers) {
  const Said said = said_after({Deed::kAnswer});
  EXPECT_EQ(said.text, "");
  EXPECT_EQ(said.state, WireState::kAlive);
}

TEST(HttpWire, TriesAgainWhereAConnectionIsBrokenOff) {
  const Said said = said_after({Deed::kBreak, Deed::kBreak, Deed::kBreak, Deed::kAnswer});
  EXPECT_EQ(said.text, "");
  EXPECT_EQ(said.state, WireState::kAlive);
}

TEST(HttpWire, TellsOfAServerThatBreaksOffEveryConnection) {
  const Said said = said_after({Deed::kBreak});
  EXPECT_EQ(said.text,
            "hang: no answer to a ping: It answered no ping, and broke off 3 attempts to begin "
            "anew\n");
  EXPECT_EQ(said.state, WireState::kSilent);
}

TEST(HttpWire, DoesNotCallARefusalAHang) {
  const Said said = said_after({Deed::kRefuse});
  EXPECT_EQ(said.text, "");
  EXPECT_EQ(said.state, WireState::kSilent);
}

TEST(HttpWire, TellsOfAServerThatDoesNotAnswerInTime) {
  Waits waits;
  waits.start = waits.ping = std::chrono::milliseconds(50);
  const Said said = said_after({Deed::kStaySilent}, false, waits);
  EXPECT_NE(said.text.find("It answered no ping within 50 ms, and no new session within 50 "
                           "ms"),
            std::string::npos)
      << said.text;
  EXPECT_EQ(said.state, WireState::kSilent);
}

Case request_of(std::string_view method) {
  Case made;
  made.steps.push_back(line_step(
      fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{"name":"a"}}}})", method)));
  return made;
}

Waits waits_of(std::chrono::milliseconds answer) {
  Waits waits;
  waits.answer = answer;
  return waits;
}

// Each of these would wait for an hour.
TEST(HttpWire, DoesNotWaitForAStreamThatStaysOpenBehindItsAnswer) {
  const Said said = said_after({Deed::kLeaveOpen}, true, waits_of(std::chrono::hours(1)),
                               {request_of("tools/list"), request_of("ping")});
  EXPECT_EQ(said.text.find("missing"), std::string::npos) << said.text;
  EXPECT_EQ(said.state, WireState::kAlive);
}

TEST(HttpWire, LeavesASlowToolBehind) {
  const Said said = said_after({Deed::kStaySilent, Deed::kAnswer}, true,
                               waits_of(std::chrono::hours(1)), {request_of("tools/call")});
  EXPECT_EQ(said.text, "");
  EXPECT_EQ(said.state, WireState::kAlive);
}

// There is an hour to wait, and a tool that takes it is no reason to.
TEST(HttpWire, CancelsSlowToolsThatAreTooManyToLeaveBehind) {
  MoodyServer server;
  server.have_slow_tools();
  const auto access = std::get<harness::TargetAccess>(harness::over_http({server.url(), {}}));
  Vocabulary words;
  words.initialize_params = Json::object();
  const auto wire = make_wire({access, words, waits_of(std::chrono::hours(1))}, false);
  EXPECT_EQ(wire->open(), std::nullopt);
  EXPECT_TRUE(wire->begin());
  wire->post(std::vector<Case>(40, request_of("tools/call")), 1);
  // The answers to the pings behind them show that it has heard what was sent before.
  EXPECT_EQ(wire->await(), WireState::kAlive);
  EXPECT_TRUE(wire->ping());
  EXPECT_GE(server.cancellations(), 1);
  EXPECT_TRUE(wire->judge().take_suspicions().empty());
  wire->close();
}

// Some servers send its head with the first event only, and leave it open behind a session's end.
TEST(HttpWire, WaitsForNoHeadOfAStreamAndBreaksItOffWithItsSession) {
  MoodyServer server;
  server.keep_streams_silent();
  const auto access = std::get<harness::TargetAccess>(harness::over_http({server.url(), {}}));
  const ScratchFolder scratch;
  const auto sandbox = sandbox_in(scratch.path());
  Vocabulary words;
  words.initialize_params = Json::object();
  words.sandbox = sandbox.get();
  const auto wire =
      make_wire({access, words, {.ping = std::chrono::minutes(5)}, nullptr, {}}, false);
  ASSERT_EQ(wire->open(), std::nullopt);
  const auto began = std::chrono::steady_clock::now();
  EXPECT_TRUE(wire->begin());
  EXPECT_TRUE(wire->begin());
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(4));
  EXPECT_TRUE(server.await_ended_streams(2));
  wire->close();
}

TEST(HttpWire, MissesAnAnswerThatDoesNotCome) {
  const Said said = said_after({Deed::kStaySilent, Deed::kAnswer}, true,
                               waits_of(std::chrono::milliseconds(50)), {request_of("tools/list")});
  EXPECT_NE(said.text.find("missing-answer: tools/list"), std::string::npos) << said.text;
}

// The peer keeps each connection open, and there is an hour to wait.
TEST(RawSocket, WaitsForNothingBehindAWholeAnswer) {
  const std::string whole = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}";
  const std::pair<std::string, int> answers[] = {
      {whole, 404},
      {"HTTP/1.1 100 Continue\r\n\r\n" + whole, 404},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 200},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n", 200},
      {"HTTP/1.1 204 No Content\r\n\r\n", 204},
      {"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" + whole, 404},
      {"no HTTP", 0},
  };
  for (const auto& [answer, status] : answers) {
    transport::RawServer server([&answer = answer](transport::RawConnection& connection) {
      connection.write(answer);
      connection.wait_for_end();
    });
    const RawReply reply =
        send_raw_bytes(server.url(), "x", Step::End::kRead, std::chrono::hours(1));
    EXPECT_TRUE(reply.is_connected);
    EXPECT_EQ(reply.status, status) << answer;
  }
}

TEST(RawSocket, EndsWithAStop) {
  std::stop_source stop;
  transport::RawServer server([&stop](transport::RawConnection& connection) {
    connection.read_request();
    connection.write("HTTP/1.1 200 OK\r\n\r\nwhat ends with the connection");
    stop.request_stop();
    connection.wait_for_end();
  });
  const auto reply = send_raw_bytes(server.url(), "GET / HTTP/1.1\r\n\r\n", Step::End::kRead,
                                    std::chrono::hours(1), stop.get_token());
  EXPECT_TRUE(reply.is_connected);
}

}  // namespace
}  // namespace assay::fuzz
