#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "reference/client/session.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_sse_client.h"
#include "reference/transport/raw_server_testing.h"
#include "reference/transport/recorder_testing.h"
#include "reference/wire/compose.h"

namespace assay::client {
namespace {

using testing::HasSubstr;
using transport::http_answer;
using transport::http_chunk;
using transport::HttpClient;
using transport::kChunkedSseHead;
using transport::kJsonType;
using transport::RawConnection;
using transport::RawServer;
using transport::test_deadline;

SessionOptions quick() {
  SessionOptions options;
  options.listens = false;
  options.reconnect_delay = std::chrono::milliseconds(1);
  return options;
}

Json body_of(const std::string& request) {
  return Json::parse(request.substr(request.find("\r\n\r\n") + 4), nullptr, false);
}

std::string result_for(const Json& request, const Json& result) {
  return Json{{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", result}}.dump();
}

// Calls `handle` with every request, one connection at a time for the shared state it touches.
RawServer::Handler serially(std::function<void(RawConnection&, const std::string&)> handle) {
  auto mutex = std::make_shared<std::mutex>();
  return [=](RawConnection& connection) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      const std::lock_guard lock(*mutex);
      handle(connection, request);
    }
  };
}

TEST(SessionHttp, TakesUpABrokenStreamWhereItBroke) {
  std::string resumed;
  Json call;
  RawServer server(serially([&](RawConnection& connection, const std::string& request) {
    if (request.starts_with("POST")) {
      call = body_of(request);
      connection.write(kChunkedSseHead);
      connection.write(http_chunk("id: e1\nretry: 2\ndata:\n\n") + "0\r\n\r\n");
    } else if (resumed.empty()) {
      // The first attempt breaks too, after an event of its own.
      resumed = request;
      connection.write(kChunkedSseHead);
      connection.write(http_chunk("id: e2\ndata:\n\n") + "0\r\n\r\n");
    } else {
      resumed = request;
      connection.write(kChunkedSseHead);
      connection.write(http_chunk("id: e3\ndata: " + result_for(call, "done") + "\n\n") +
                       "0\r\n\r\n");
    }
  }));
  ClientSession session(quick());
  HttpClient client(server.url(), {}, session);
  ASSERT_FALSE(session.open(client));
  const ServerAnswer reply = session.request("tools/call", Json::object(), test_deadline());
  EXPECT_TRUE(reply.is_result()) << reply.detail;
  EXPECT_EQ(reply.json, "done");
  EXPECT_THAT(resumed, HasSubstr("Last-Event-ID: e2\r\n"));
  session.close(test_deadline());
}

TEST(SessionHttp, GivesUpResumingWhenNothingComesOfIt) {
  int attempts = 0;
  RawServer server(serially([&](RawConnection& connection, const std::string& request) {
    if (request.starts_with("GET")) ++attempts;
    connection.write(kChunkedSseHead);
    connection.write(request.starts_with("GET") ? "0\r\n\r\n"
                                                : http_chunk("id: e1\ndata:\n\n") + "0\r\n\r\n");
  }));
  ClientSession session(quick());
  HttpClient client(server.url(), {}, session);
  ASSERT_FALSE(session.open(client));
  const ServerAnswer reply = session.request("tools/call", Json::object(), test_deadline());
  EXPECT_EQ(reply.kind, ServerAnswer::Kind::kClosed);
  EXPECT_EQ(attempts, 3);
  session.close(test_deadline());
}

TEST(SessionHttp, AStreamWithoutEventIdsCannotBeResumed) {
  RawServer server(serially([&](RawConnection& connection, const std::string&) {
    connection.write(kChunkedSseHead);
    connection.write("0\r\n\r\n");
  }));
  ClientSession session(quick());
  HttpClient client(server.url(), {}, session);
  ASSERT_FALSE(session.open(client));
  EXPECT_EQ(session.request("x", Json::object(), test_deadline()).kind,
            ServerAnswer::Kind::kClosed);
  session.close(test_deadline());
}

TEST(SessionHttp, ShowsTheStatusOfARefusal) {
  RawServer server(serially([&](RawConnection& connection, const std::string& request) {
    if (body_of(request)["method"] == "plain") {
      connection.write(http_answer(400, "", "bad"));
    } else {
      connection.write(http_answer(400, kJsonType,
                                   R"({"jsonrpc":"2.0","error":{"code":-32000,"message":"no"}})"));
    }
  }));
  ClientSession session(quick());
  HttpClient client(server.url(), {}, session);
  ASSERT_FALSE(session.open(client));
  const ServerAnswer plain = session.request("plain", Json::object(), test_deadline());
  EXPECT_EQ(plain.kind, ServerAnswer::Kind::kClosed);
  EXPECT_EQ(plain.http_status, 400);
  const ServerAnswer told = session.request("told", Json::object(), test_deadline());
  EXPECT_TRUE(told.is_error(-32000));
  EXPECT_EQ(told.http_status, 400);
  session.close(test_deadline());
}

TEST(SessionHttp, BeginsANewSessionWhenTheOldOneIsGone) {
  int sessions = 0;
  std::vector<std::string> seen;
  RawServer server(serially([&](RawConnection& connection, const std::string& request) {
    const Json message = body_of(request);
    const Json method = message["method"];
    if (method == "initialize") {
      ++sessions;
      connection.write(http_answer(
          200, fmt::format("Content-Type: application/json\r\nMcp-Session-Id: s{}\r\n", sessions),
          result_for(message, {{"protocolVersion", "2025-11-25"}})));
    } else if (method == "notifications/initialized") {
      connection.write(http_answer(202, "", ""));
    } else if (request.find("Mcp-Session-Id: s2") == std::string::npos) {
      connection.write(http_answer(404, "", ""));
    } else {
      connection.write(http_answer(200, kJsonType, result_for(message, "again")));
    }
  }));
  ClientSession session(quick());
  HttpClient client(server.url(), {}, session);
  ASSERT_FALSE(session.open(client));
  ASSERT_TRUE(session.initialize(test_deadline()).is_result());
  const ServerAnswer reply = session.request("x", Json::object(), test_deadline());
  EXPECT_EQ(reply.json, "again") << reply.detail;
  EXPECT_EQ(sessions, 2);
  session.close(test_deadline());
}

TEST(SessionHttp, HearsWhatTheServerSaysByItself) {
  std::promise<std::string> heard;
  SessionOptions options = quick();
  options.listens = true;
  options.on_notification = [&](std::string_view method, const Json&) {
    heard.set_value(std::string(method));
  };
  RawServer server([&](RawConnection& connection) {
    while (true) {
      const std::string request = connection.read_request();
      if (request.empty()) return;
      if (request.starts_with("GET")) {
        connection.write(kChunkedSseHead);
        connection.write(http_chunk(
            "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n"));
        connection.wait_for_end();
        return;
      }
      const Json message = body_of(request);
      connection.write(message.contains("id")
                           ? http_answer(200, kJsonType,
                                         result_for(message, {{"protocolVersion", "2025-06-18"}}))
                           : http_answer(202, "", ""));
    }
  });
  ClientSession session(options);
  HttpClient client(server.url(), {}, session);
  ASSERT_FALSE(session.open(client));
  ASSERT_TRUE(session.initialize(test_deadline()).is_result());
  EXPECT_EQ(heard.get_future().get(), "notifications/tools/list_changed");
  session.close(test_deadline());
}

// A server that asks for a sample as a task, with progress, and looks at the task.
class TaskAsker {
 public:
  RawServer::Handler handler() {
    return [this](RawConnection& connection) {
      while (true) {
        const std::string request = connection.read_request();
        if (request.empty()) return;
        if (request.starts_with("GET")) return ask(connection);
        const Json message = body_of(request);
        const bool is_request = message.contains("id") && message.contains("method");
        take(message);
        connection.write(is_request
                             ? http_answer(200, kJsonType,
                                           result_for(message, {{"protocolVersion", "2025-11-25"}}))
                             : http_answer(202, "", ""));
      }
    };
  }
  // What came, up to the answer to the look.
  std::vector<std::string> wait_for_order() {
    is_over_.get_future().wait();
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  void ask(RawConnection& connection) {
    const auto say = [&](const char* id, std::string_view method, const Json& params) {
      const Json question = wire::make_request(wire::Id::of_string(id), method, params);
      connection.write(http_chunk("data: " + wire::encode(question) + "\n\n"));
    };
    connection.write(kChunkedSseHead);
    say("create", "sampling/createMessage",
        {{"messages", Json::array()},
         {"maxTokens", 1},
         {"task", Json::object()},
         {"_meta", {{"progressToken", "its"}}}});
    say("look", "tasks/get", {{"taskId", task_.get_future().get()}});
    connection.wait_for_end();
  }
  void take(const Json& message) {
    const std::lock_guard lock(mutex_);
    const Json id = message.value("id", Json());
    if (id == "create") task_.set_value(message["result"]["task"]["taskId"]);
    if (message.value("method", Json()) == "notifications/progress") order_.push_back("progress");
    if (id != "look") return;
    order_.push_back(message["result"]["status"]);
    is_over_.set_value();
  }

  std::promise<std::string> task_;
  std::promise<void> is_over_;
  std::mutex mutex_;  // guards order_
  std::vector<std::string> order_;
};

// Each message goes by itself, so that the answer waits until the server has what comes before it.
TEST(SessionHttp, TellsOfTheProgressOfATaskBeforeItsEnd) {
  SessionOptions options = quick();
  options.listens = true;
  TaskAsker asker;
  RawServer server(asker.handler());
  ClientSession session(options);
  HttpClient client(server.url(), {}, session);
  ASSERT_FALSE(session.open(client));
  ASSERT_TRUE(session.initialize(test_deadline()).is_result());
  EXPECT_EQ(asker.wait_for_order(), (std::vector<std::string>{"progress", "completed"}));
  session.close(test_deadline());
}

TEST(SessionHttp, TheOlderTransportEndsWithItsStream) {
  RawServer server([&](RawConnection& connection) {
    const std::string request = connection.read_request();
    if (request.starts_with("GET")) {
      connection.write(kChunkedSseHead);
      connection.write(http_chunk("event: endpoint\ndata: /m\n\n"));
      connection.write("0\r\n\r\n");
    } else {
      connection.write(http_answer(202, "", ""));
    }
  });
  ClientSession session(quick());
  transport::HttpSseClient client(server.url(), {}, session);
  ASSERT_FALSE(session.open(client));
  EXPECT_EQ(session.request("x", Json::object(), test_deadline()).kind,
            ServerAnswer::Kind::kClosed);
  session.close(test_deadline());
}

}  // namespace
}  // namespace assay::client
