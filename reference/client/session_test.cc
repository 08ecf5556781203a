#include "reference/client/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>

#include "reference/transport/pipe.h"
#include "reference/transport/recorder_testing.h"
#include "reference/transport/stdio_child.h"
#include "reference/wire/compose.h"

namespace assay::client {
namespace {

using transport::Pipe;
using transport::test_deadline;

Deadline soon() {
  return std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
}

// A server at the other end of a pipe: answers by method, and keeps what it was sent.
class PipeServer {
 public:
  explicit PipeServer(ClientSession& session)
      : pipe_([this](std::string_view bytes) { take(Json::parse(bytes)); }, session) {
    answers_["initialize"] = {{"protocolVersion", "2025-11-25"},
                              {"capabilities", Json::object()},
                              {"serverInfo", {{"name", "s"}, {"version", "1"}}}};
  }
  void answer(const std::string& method, Json result) { answers_[method] = std::move(result); }
  void deliver(const Json& message) { pipe_.deliver(message.dump()); }
  Pipe& pipe() { return pipe_; }

  std::vector<Json> received(const std::string& method) {
    const std::lock_guard lock(mutex_);
    std::vector<Json> found;
    for (const Json& message : received_) {
      if (message.value("method", "") == method) found.push_back(message);
    }
    return found;
  }
  // The session's answer to a request of ours.
  Json wait_for_answer(const Json& id) {
    std::unique_lock lock(mutex_);
    Json answer;
    changed_.wait_until(lock, test_deadline(), [&] {
      for (const Json& message : received_) {
        const bool is_batch = message.is_array();
        if (!message.contains("method") && (is_batch ? message[0] : message)["id"] == id) {
          answer = message;
        }
      }
      return !answer.is_null();
    });
    return answer;
  }

 private:
  void take(Json message) {
    {
      const std::lock_guard lock(mutex_);
      received_.push_back(message);
      changed_.notify_all();
    }
    if (!message.contains("method") || !message.contains("id")) return;
    const auto found = answers_.find(message["method"].get<std::string>());
    if (found == answers_.end()) return;
    deliver({{"jsonrpc", "2.0"}, {"id", message["id"]}, {"result", found->second}});
  }

  std::map<std::string, Json> answers_;
  std::mutex mutex_;  // guards received_
  std::condition_variable changed_;
  std::vector<Json> received_;
  Pipe pipe_;
};

TEST(ClientSession, ShakesHands) {
  ClientSession session({});
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  ASSERT_TRUE(session.initialize(test_deadline()).is_result());
  EXPECT_EQ(session.revision(), model::Revision::v2025_11_25);
  EXPECT_EQ(session.server()["serverInfo"]["name"], "s");
  EXPECT_EQ(server.received("initialize")[0]["params"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(server.received("notifications/initialized").size(), 1u);
  session.close(test_deadline());
}

TEST(ClientSession, RefusesARevisionThatItDoesNotSpeak) {
  for (const Json& version : {Json("1999-01-01"), Json(3), Json("2026-07-28")}) {
    ClientSession session({});
    PipeServer server(session);
    server.answer("initialize", {{"protocolVersion", version}});
    ASSERT_FALSE(session.open(server.pipe()));
    const ServerAnswer reply = session.initialize(test_deadline());
    EXPECT_EQ(reply.kind, ServerAnswer::Kind::kClosed);
    EXPECT_FALSE(reply.detail.empty());
    EXPECT_TRUE(server.received("notifications/initialized").empty());
    session.close(test_deadline());
  }
}

TEST(ClientSession, DoesNotAnswerWhatIsCancelledMeanwhile) {
  std::promise<void> cancelled;
  SessionOptions options;
  options.handlers["assay/slow"] = [&](const Json&) -> Answer {
    cancelled.get_future().wait_until(test_deadline());
    return Json::object();
  };
  ClientSession session(options);
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  ASSERT_TRUE(session.initialize(test_deadline()).is_result());
  server.deliver({{"jsonrpc", "2.0"}, {"id", "q"}, {"method", "assay/slow"}});
  server.deliver({{"jsonrpc", "2.0"},
                  {"method", "notifications/cancelled"},
                  {"params", {{"requestId", "q"}}}});
  cancelled.set_value();
  server.deliver({{"jsonrpc", "2.0"}, {"id", "p"}, {"method", "ping"}});
  EXPECT_TRUE(server.wait_for_answer("p").contains("result"));
  for (const Json& answer : server.received("")) EXPECT_NE(answer["id"], "q") << answer;
  session.close(test_deadline());
}

TEST(ClientSession, MatchesAnswersToRequestsWhateverTheirOrder) {
  ClientSession session({});
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  std::promise<ServerAnswer> first;
  std::promise<ServerAnswer> second;
  const auto take = [](std::promise<ServerAnswer>& promise) {
    return [&](const ServerAnswer& reply) { promise.set_value(reply); };
  };
  const wire::Id one = session.start("a", Json::object(), test_deadline(), take(first));
  const wire::Id two = session.start("b", Json::object(), test_deadline(), take(second));
  // The same number as a string is another id.
  server.deliver({{"jsonrpc", "2.0"}, {"id", two.json_text()}, {"result", "wrong"}});
  server.deliver({{"jsonrpc", "2.0"}, {"id", Json::parse(two.json_text())}, {"result", 2}});
  server.deliver({{"jsonrpc", "2.0"},
                  {"id", Json::parse(one.json_text())},
                  {"error", {{"code", -32601}, {"message", "no"}}}});
  EXPECT_EQ(second.get_future().get().json, 2);
  EXPECT_TRUE(first.get_future().get().is_error(wire::kMethodNotFound));
  EXPECT_EQ(session.stray_messages(), 1u);
  session.close(test_deadline());
}

TEST(ClientSession, CancelsWhatIsNotAnsweredInTime) {
  ClientSession session({});
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  EXPECT_EQ(session.request("tools/call", Json::object(), soon()).kind,
            ServerAnswer::Kind::kTimeout);
  const auto cancelled = server.received("notifications/cancelled");
  ASSERT_EQ(cancelled.size(), 1u);
  EXPECT_EQ(cancelled[0]["params"]["requestId"], server.received("tools/call")[0]["id"]);
  session.close(test_deadline());
}

TEST(ClientSession, NeverCancelsInitialize) {
  ClientSession session({});
  Pipe pipe(
      [](std::string_view bytes) {
        EXPECT_THAT(std::string(bytes), testing::HasSubstr("initialize"));
      },
      session);
  ASSERT_FALSE(session.open(pipe));
  EXPECT_EQ(session.initialize(soon()).kind, ServerAnswer::Kind::kTimeout);
  session.close(test_deadline());
}

TEST(ClientSession, CallsBackWhenAnAsynchronousRequestTimesOut) {
  ClientSession session({});
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  std::promise<ServerAnswer> promise;
  session.start("x", Json::object(), soon(),
                [&](const ServerAnswer& reply) { promise.set_value(reply); });
  EXPECT_EQ(promise.get_future().get().kind, ServerAnswer::Kind::kTimeout);
  session.close(test_deadline());
}

TEST(ClientSession, EveryWaitEndsWhenThePeerGoesAway) {
  ClientSession session({});
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  std::promise<ServerAnswer> promise;
  session.start("x", Json::object(), test_deadline(),
                [&](const ServerAnswer& reply) { promise.set_value(reply); });
  server.pipe().close_from_peer();
  EXPECT_EQ(promise.get_future().get().kind, ServerAnswer::Kind::kClosed);
  EXPECT_EQ(session.request("y", Json::object(), test_deadline()).kind,
            ServerAnswer::Kind::kClosed);
  EXPECT_TRUE(session.closed());
  session.close(test_deadline());
}

TEST(ClientSession, AnswersWhatTheServerAsks) {
  SessionOptions options;
  options.offer.root_list = {{"file:///a", "A"}};
  options.handlers["custom/fails"] = [](const Json& params) -> Answer {
    return params.at("missing");
  };
  ClientSession session(options);
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  ASSERT_TRUE(session.initialize(test_deadline()).is_result());
  const auto ask = [&](const char* id, const char* method, Json params) {
    server.deliver({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
    return server.wait_for_answer(id);
  };
  EXPECT_EQ(ask("1", "ping", Json::object())["result"], Json::object());
  EXPECT_EQ(ask("2", "roots/list", Json::object())["result"]["roots"][0]["uri"], "file:///a");
  EXPECT_EQ(ask("3", "sampling/createMessage",
                {{"messages", Json::array()}, {"maxTokens", 1}})["result"]["role"],
            "assistant");
  EXPECT_EQ(ask("4", "elicitation/create", {{"message", "?"}})["result"]["action"], "accept");
  EXPECT_EQ(ask("5", "elicitation/create", {{"mode", "url"}})["result"]["action"], "decline");
  EXPECT_EQ(ask("6", "no/such", Json::object())["error"]["code"], wire::kMethodNotFound);
  EXPECT_EQ(ask("7", "custom/fails", Json::object())["error"]["code"], wire::kInternalError);
  session.close(test_deadline());
}

TEST(ClientSession, AnswersWithTheIdAsItCame) {
  ClientSession session({});
  std::mutex mutex;  // guards answers; the session answers on a thread of its own
  std::condition_variable changed;
  std::vector<std::string> answers;
  transport::Pipe pipe(
      [&](std::string_view bytes) {
        const std::lock_guard lock(mutex);
        answers.emplace_back(bytes);
        changed.notify_all();
      },
      session);
  ASSERT_FALSE(session.open(pipe));
  pipe.deliver(R"({"jsonrpc":"2.0","id":90071992547409931234,"method":"none"})");
  pipe.deliver(R"([{"jsonrpc":"2.0","id":-0,"method":"none"}])");
  {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_until(lock, test_deadline(), [&] { return answers.size() == 2; }));
  }
  session.close(test_deadline());
  EXPECT_NE(answers[0].find(R"("id":90071992547409931234,)"), std::string::npos) << answers[0];
  EXPECT_NE(answers[1].find(R"([{"jsonrpc":"2.0","id":-0,)"), std::string::npos) << answers[1];
}

TEST(ClientSession, AnswersABatchWithABatch) {
  SessionOptions options;
  options.revision = model::Revision::v2025_03_26;
  ClientSession session(options);
  PipeServer server(session);
  server.answer("initialize", {{"protocolVersion", "2025-03-26"}});
  ASSERT_FALSE(session.open(server.pipe()));
  ASSERT_TRUE(session.initialize(test_deadline()).is_result());
  server.deliver(Json::parse(R"([{"jsonrpc":"2.0","id":"x","method":"ping"},
                                 {"jsonrpc":"2.0","method":"notifications/message"},
                                 {"jsonrpc":"2.0","id":"y","method":"no/such"}])"));
  const Json answer = server.wait_for_answer("x");
  ASSERT_TRUE(answer.is_array());
  EXPECT_EQ(answer.size(), 2u);
  session.close(test_deadline());
}

TEST(ClientSession, ReportsProgressOfItsOwnRequestOnly) {
  ClientSession session({});
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  std::promise<void> done;
  std::vector<Json> seen;
  RequestOptions options;
  options.on_progress = [&](const Json& params) { seen.push_back(params["progress"]); };
  const wire::Id id = session.start(
      "slow", {{"k", 1}}, test_deadline(), [&](const ServerAnswer&) { done.set_value(); }, options);
  const Json number = Json::parse(id.json_text());
  const auto progress = [&](const Json& token, int value) {
    server.deliver({{"jsonrpc", "2.0"},
                    {"method", "notifications/progress"},
                    {"params", {{"progressToken", token}, {"progress", value}}}});
  };
  EXPECT_EQ(server.received("slow")[0]["params"]["_meta"]["progressToken"], number);
  progress(number, 1);
  progress(99, 2);
  progress(number, 3);
  server.deliver({{"jsonrpc", "2.0"}, {"id", number}, {"result", Json::object()}});
  progress(number, 4);
  done.get_future().get();
  EXPECT_EQ(seen, (std::vector<Json>{1, 3}));
  session.close(test_deadline());
}

TEST(ClientSession, PassesNotificationsOn) {
  std::promise<std::string> level;
  SessionOptions options;
  options.on_notification = [&](std::string_view method, const Json& params) {
    if (method == "notifications/message") level.set_value(params["level"]);
  };
  ClientSession session(options);
  PipeServer server(session);
  ASSERT_FALSE(session.open(server.pipe()));
  server.deliver(
      {{"jsonrpc", "2.0"}, {"method", "notifications/message"}, {"params", {{"level", "info"}}}});
  EXPECT_EQ(level.get_future().get(), "info");
  session.close(test_deadline());
}

TEST(ClientSession, WalksEveryPageAndStopsInACircle) {
  ClientSession session({});
  std::unique_ptr<Pipe> pipe;
  pipe = std::make_unique<Pipe>(
      [&](std::string_view bytes) {
        const Json request = Json::parse(bytes);
        const std::string cursor = request["params"].value("cursor", "0");
        Json page{{"tools", {cursor}}};
        if (request["method"] == "circle") page["nextCursor"] = "again";
        if (request["method"] == "object") page["nextCursor"] = Json::object();
        if (request["method"] == "tools/list" && cursor != "2") {
          page["nextCursor"] = std::to_string(std::stoi(cursor) + 1);
        }
        pipe->deliver(Json{{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", page}}.dump());
      },
      session);
  ASSERT_FALSE(session.open(*pipe));
  const ListOutcome list = session.list_all("tools/list", "tools", test_deadline());
  EXPECT_TRUE(list.is_complete);
  EXPECT_EQ(list.items, (std::vector<Json>{"0", "1", "2"}));
  const ListOutcome circle = session.list_all("circle", "tools", test_deadline());
  EXPECT_FALSE(circle.is_complete);
  EXPECT_EQ(circle.pages, 2u);
  const ListOutcome object = session.list_all("object", "tools", test_deadline());
  EXPECT_FALSE(object.is_complete);
  EXPECT_EQ(object.pages, 1u);
  session.close(test_deadline());
}

TEST(ClientSession, IgnoresNoise) {
  ClientSession session({});
  PipeServer server(session);
  server.answer("ping", Json::object());
  ASSERT_FALSE(session.open(server.pipe()));
  for (const char* noise : {"", "Listening...", "[]", "{}", "null", "[[1]]", "\xff",
                            R"({"jsonrpc":"2.0","id":77,"result":{}})",
                            R"({"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}})"}) {
    server.pipe().deliver(noise);
  }
  EXPECT_TRUE(session.request("ping", Json::object(), test_deadline()).is_result());
  EXPECT_GE(session.stray_messages(), 8u);
  session.close(test_deadline());
}

TEST(ClientSession, SeesAChildThatDies) {
  ClientSession session({});
  transport::StdioOptions options;
  options.spawn.command = {"sh", "-c", "read line; exit 3"};
  transport::StdioChild child(options, session);
  ASSERT_FALSE(session.open(child));
  const ServerAnswer reply = session.initialize(test_deadline());
  EXPECT_EQ(reply.kind, ServerAnswer::Kind::kClosed);
  EXPECT_FALSE(reply.detail.empty());
  session.close(test_deadline());
}

TEST(ClientSession, TellsThatATransportDidNotOpen) {
  ClientSession session({});
  transport::StdioOptions options;
  options.spawn.command = {"no-such-command-here"};
  transport::StdioChild child(options, session);
  const auto failure = session.open(child);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, transport::Failure::Kind::kNotFound);
  EXPECT_EQ(session.initialize(test_deadline()).kind, ServerAnswer::Kind::kClosed);
}

}  // namespace
}  // namespace assay::client
