#include "reference/server/session_testing.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

class TasksTest : public testing::Test {
 protected:
  // Calls a tool as a task and gives the task.
  Json create(const std::string& tool, Json arguments = Json::object(), Json ttl = 60000) {
    return client_
        .request("tools/call",
                 {{"name", tool}, {"arguments", std::move(arguments)}, {"task", {{"ttl", ttl}}}})
        .at("result")
        .at("task");
  }
  Json get(const Json& task) {
    return client_.request("tasks/get", {{"taskId", task["taskId"]}})["result"];
  }
  Json result(const Json& task) {
    return client_.request("tasks/result", {{"taskId", task["taskId"]}});
  }

  TestClient client_;
};

TEST_F(TasksTest, BeginWorkingAndComplete) {
  client_.begin();
  const Json task = create("test_tool_with_task");
  EXPECT_EQ(task["status"], "working");
  EXPECT_EQ(task["ttl"], 60000);
  EXPECT_TRUE(task.contains("createdAt") && task.contains("lastUpdatedAt"));
  const Json answer = result(task);
  EXPECT_EQ(answer["result"]["content"][0]["text"], "The task is done.");
  EXPECT_EQ(answer["result"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"],
            task["taskId"]);
  EXPECT_EQ(get(task)["status"], "completed");
}

TEST_F(TasksTest, NegotiateByTool) {
  client_.begin();
  EXPECT_EQ(error_code(client_.request("tools/call", {{"name", "test_tool_with_task"}})),
            wire::kMethodNotFound);
  EXPECT_EQ(error_code(client_.request("tools/call",
                                       {{"name", "test_simple_text"}, {"task", Json::object()}})),
            wire::kMethodNotFound);
  EXPECT_EQ(client_.call("test_optional_task")["content"][0]["text"], "The task is done.");
}

TEST_F(TasksTest, AreIgnoredBeforeTheRevisionThatBroughtThem) {
  client_.begin("2025-06-18");
  const Json answer =
      client_.request("tools/call", {{"name", "test_simple_text"}, {"task", Json::object()}});
  EXPECT_TRUE(answer["result"].contains("content"));
}

TEST_F(TasksTest, FailWithTheToolsError) {
  client_.begin();
  const Json task = create("test_failing_task");
  EXPECT_EQ(result(task)["result"]["isError"], true);
  EXPECT_EQ(get(task)["status"], "failed");
  EXPECT_TRUE(get(task).contains("statusMessage"));
}

TEST_F(TasksTest, FailWithTheProtocolsError) {
  client_.begin();
  const Json task = create("test_protocol_error");
  EXPECT_EQ(error_code(result(task)), wire::kInternalError);
  EXPECT_EQ(get(task)["status"], "failed");
}

TEST_F(TasksTest, AreCancelledOnce) {
  client_.begin();
  const Json task = create("test_slow", {{"duration_ms", 300'000}});
  const int waiting = client_.start("tasks/result", {{"taskId", task["taskId"]}});
  const Json cancelled = client_.request("tasks/cancel", {{"taskId", task["taskId"]}});
  EXPECT_EQ(cancelled["result"]["status"], "cancelled");
  EXPECT_TRUE(client_.response(waiting).contains("error"));
  EXPECT_EQ(error_code(client_.request("tasks/cancel", {{"taskId", task["taskId"]}})),
            wire::kInvalidParams);
  EXPECT_EQ(get(task)["status"], "cancelled");
}

TEST_F(TasksTest, AskForInput) {
  client_.begin("2025-11-25", {{"elicitation", Json::object()}});
  const Json task = create("test_task_with_elicitation");
  const Json request = client_.wait_for_method("elicitation/create");
  EXPECT_EQ(request["params"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"],
            task["taskId"]);
  EXPECT_EQ(get(task)["status"], "input_required");
  client_.answer(request, {{"action", "accept"}, {"content", {{"confirm", true}}}});
  EXPECT_EQ(result(task)["result"]["content"][0]["text"], "The user's answer: accept");
}

TEST_F(TasksTest, AnnounceTheirStatus) {
  client_.begin();
  const Json task = create("test_tool_with_task");
  const Json notification = client_.wait_for_method("notifications/tasks/status");
  EXPECT_EQ(notification["params"]["taskId"], task["taskId"]);
  EXPECT_EQ(notification["params"]["status"], "completed");
}

TEST_F(TasksTest, AreListed) {
  client_.begin();
  const Json first = create("test_tool_with_task");
  const Json second = create("test_tool_with_task");
  const std::vector<Json> tasks = client_.walk("tasks/list", "tasks");
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0]["taskId"], first["taskId"]);
  EXPECT_EQ(tasks[1]["taskId"], second["taskId"]);
}

TEST_F(TasksTest, ExpireAndAreForgotten) {
  client_.begin();
  const Json task = create("test_slow", {{"duration_ms", 300'000}}, 0);
  EXPECT_EQ(error_code(client_.request("tasks/get", {{"taskId", task["taskId"]}})),
            wire::kInvalidParams);
}

TEST_F(TasksTest, RefuseUnknownIds) {
  client_.begin();
  for (const char* method : {"tasks/get", "tasks/result", "tasks/cancel"}) {
    EXPECT_EQ(error_code(client_.request(method, {{"taskId", "none"}})), wire::kInvalidParams);
    EXPECT_EQ(error_code(client_.request(method)), wire::kInvalidParams);
  }
}

class ClientTasksTest : public testing::Test {
 protected:
  // Initializes with a client that runs sampling as a task, and calls the tool that asks for it.
  Json begin() {
    client_.begin("2025-11-25",
                  {{"sampling", Json::object()},
                   {"tasks", {{"requests", {{"sampling", {{"createMessage", Json::object()}}}}}}}});
    call_ = client_.start("tools/call",
                          {{"name", "test_sampling_task"}, {"arguments", {{"prompt", "?"}}}});
    return client_.wait_for_method("sampling/createMessage");
  }
  static Json task(const char* status) {
    return {{"taskId", "t"},
            {"status", status},
            {"createdAt", "2025-11-25T10:30:00Z"},
            {"lastUpdatedAt", "2025-11-25T10:30:00Z"},
            {"ttl", nullptr},
            {"pollInterval", 1}};
  }

  TestClient client_;
  int call_ = 0;
};

TEST_F(ClientTasksTest, ArePolledAndFetched) {
  const Json request = begin();
  EXPECT_TRUE(request["params"]["task"].is_object());
  client_.answer(request, {{"task", task("working")}});
  const Json look = client_.wait_for_method("tasks/get");
  EXPECT_EQ(look["params"]["taskId"], "t");
  client_.answer(look, task("completed"));
  const Json fetch = client_.wait_for_method("tasks/result");
  EXPECT_EQ(fetch["params"]["taskId"], "t");
  client_.answer(fetch, {{"role", "assistant"}});
  EXPECT_EQ(client_.response(call_)["result"]["content"][0]["text"],
            "The client's task gave its result.");
}

TEST_F(ClientTasksTest, AreFetchedAtOnceWhenTheyNeedInput) {
  const Json request = begin();
  client_.answer(request, {{"task", task("input_required")}});
  client_.answer(client_.wait_for_method("tasks/result"), {{"role", "assistant"}});
  EXPECT_FALSE(client_.response(call_)["result"].value("isError", false));
}

TEST_F(ClientTasksTest, AreNotAskedForWhereTheClientHasNone) {
  client_.begin("2025-11-25", {{"sampling", Json::object()}});
  client_.start("tools/call", {{"name", "test_sampling_task"}, {"arguments", {{"prompt", "?"}}}});
  EXPECT_FALSE(client_.wait_for_method("sampling/createMessage")["params"].contains("task"));
}

TEST(TaskBounds, LimitHowManyAClientMayHold) {
  Options options;
  options.bounds.tasks = 1;
  TestClient client(options);
  client.begin();
  const Json params = {{"name", "test_optional_task"}, {"task", Json::object()}};
  EXPECT_TRUE(client.request("tools/call", params).contains("result"));
  EXPECT_EQ(error_code(client.request("tools/call", params)), wire::kInternalError);
}

}  // namespace
}  // namespace assay::server
