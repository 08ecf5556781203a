// Calls that go on as tasks of the extension io.modelcontextprotocol/tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "reference/client/scripted_server_testing.h"
#include "reference/client/session.h"
#include "reference/transport/recorder_testing.h"

namespace assay::client {
namespace {

using Kind = ServerAnswer::Kind;

// A server whose every call is the task "t", with what each look at it brings.
class TaskSession : public testing::Test {
 protected:
  void SetUp() override {
    SessionOptions options;
    options.opening = SessionOptions::Opening::kStateless;
    session_ = std::make_unique<ClientSession>(std::move(options));
    server_ = std::make_unique<ScriptedServer>(*session_);
    server_->on_result("server/discover", {{"supportedVersions", {"2026-07-28"}},
                                           {"capabilities", {{"tools", Json::object()}}}});
    server_->on_result("tools/call", task("working", {{"resultType", "task"}}));
    server_->on_result("tasks/cancel", {{"resultType", "complete"}});
    server_->on_result("tasks/update", {{"resultType", "complete"}});
    server_->on("tasks/get", [this](const Json&) {
      const std::size_t at = std::min(looks_++, shown_.size() - 1);
      return Json{{"result", shown_[at]}};
    });
    ASSERT_EQ(session_->open(server_->pipe()), std::nullopt);
    ASSERT_TRUE(session_->initialize(transport::test_deadline()).is_result());
  }
  void TearDown() override { session_->close(transport::test_deadline()); }

  static Json task(const char* status, Json more = Json::object()) {
    more.update({{"taskId", "t"}, {"status", status}, {"ttlMs", nullptr}, {"pollIntervalMs", 1}});
    if (!more.contains("resultType")) more["resultType"] = "complete";
    return more;
  }
  static Json asking(const char* key) {
    return task("input_required", {{"inputRequests", {{key, {{"method", "roots/list"}}}}}});
  }
  ServerAnswer call() {
    return session_->request("tools/call", {{"name", "n"}}, transport::test_deadline());
  }

  std::unique_ptr<ClientSession> session_;
  std::unique_ptr<ScriptedServer> server_;
  std::vector<Json> shown_ = {task("working")};
  std::size_t looks_ = 0;
};

TEST_F(TaskSession, DeclaresTheExtensionWithEachRequest) {
  shown_ = {task("completed", {{"result", {{"content", Json::array()}}}})};
  call();
  for (const char* method : {"server/discover", "tools/call", "tasks/get"}) {
    const Json meta = server_->received(method).at(0)["params"]["_meta"];
    EXPECT_TRUE(meta["io.modelcontextprotocol/clientCapabilities"]["extensions"].contains(
        "io.modelcontextprotocol/tasks"))
        << method;
  }
}

TEST_F(TaskSession, FollowsATaskToItsResult) {
  shown_ = {task("working"), task("working"),
            task("completed", {{"result", {{"content", Json::array()}, {"isError", true}}}})};
  const ServerAnswer reply = call();
  ASSERT_TRUE(reply.is_result());
  EXPECT_EQ(reply.json["isError"], true);
  EXPECT_EQ(server_->received("tasks/get").size(), 3u);
  EXPECT_EQ(server_->received("tasks/get").at(0)["params"]["taskId"], "t");
}

TEST_F(TaskSession, TakesTheErrorOfAFailedTaskForTheAnswer) {
  shown_ = {task("failed", {{"error", {{"code", -32603}, {"message", "No"}}}})};
  EXPECT_TRUE(call().is_error(-32603));
}

TEST_F(TaskSession, SaysThatATaskWasCancelled) {
  shown_ = {task("cancelled")};
  EXPECT_EQ(call().kind, Kind::kClosed);
}

TEST_F(TaskSession, TakesNoStatusThatItDoesNotKnow) {
  shown_ = {task("resting")};
  EXPECT_EQ(call().kind, Kind::kInvalid);
}

TEST_F(TaskSession, AnswersEachKeyOnce) {
  shown_ = {asking("one"), asking("one"), task("working"), asking("two"),
            task("completed", {{"result", {{"content", Json::array()}}}})};
  EXPECT_TRUE(call().is_result());
  const auto updates = server_->received("tasks/update");
  ASSERT_EQ(updates.size(), 2u);
  EXPECT_TRUE(updates[0]["params"]["inputResponses"]["one"].contains("roots"));
  EXPECT_EQ(updates[1]["params"]["inputResponses"].size(), 1u);
  EXPECT_TRUE(updates[1]["params"]["inputResponses"].contains("two"));
}

TEST_F(TaskSession, CancelsATaskThatAsksForWhatItDoesNotOffer) {
  shown_ = {task("input_required", {{"inputRequests", {{"k", {{"method", "no/such"}}}}}})};
  EXPECT_EQ(call().kind, Kind::kInvalid);
  EXPECT_TRUE(server_->received("tasks/update").empty());
  EXPECT_EQ(server_->received("tasks/cancel").at(0)["params"]["taskId"], "t");
}

TEST_F(TaskSession, CancelsATaskThatDoesNotEndInTime) {
  const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  EXPECT_EQ(session_->request("tools/call", {{"name", "n"}}, soon).kind, Kind::kTimeout);
  EXPECT_EQ(server_->received("tasks/cancel").size(), 1u);
}

TEST_F(TaskSession, WaitsNoLongerThanTheTaskIsKept) {
  Json created = task("working", {{"resultType", "task"}});
  created["ttlMs"] = 20;
  server_->on_result("tools/call", created);
  EXPECT_EQ(call().kind, Kind::kTimeout);
}

TEST_F(TaskSession, TakesATaskForNoAnswerToAnotherRequest) {
  server_->on_result("resources/list", task("working", {{"resultType", "task"}}));
  const auto reply =
      session_->request("resources/list", Json::object(), transport::test_deadline());
  EXPECT_EQ(reply.kind, Kind::kInvalid);
  EXPECT_TRUE(server_->received("tasks/get").empty());
}

}  // namespace
}  // namespace assay::client
