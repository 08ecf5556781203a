// Tasks of the extension io.modelcontextprotocol/tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reference/server/durable_task.h"
#include "reference/server/stateless_testing.h"
#include "reference/server/subscriptions.h"

namespace assay::server {
namespace {

Json declared() {
  Json capabilities = tasks_extension().capability();
  capabilities["elicitation"] = {{"form", Json::object()}};
  return capabilities;
}

// No tool takes time of its own.
Options quick() {
  Options options = stateless_only();
  options.longest_wait = std::chrono::milliseconds(0);
  return options;
}

class DurableTasksOfServer : public ::testing::Test {
 protected:
  Json call(const std::string& tool, Json arguments = Json::object()) {
    return client_.request("tools/call",
                           calling(tool, declared(), {{"arguments", std::move(arguments)}}));
  }
  // The id of the task that the call comes to.
  std::string begin(const std::string& tool, Json arguments = Json::object()) {
    const Json result = call(tool, std::move(arguments)).value("result", Json());
    EXPECT_EQ(result.value("resultType", ""), "task") << result.dump();
    return result.value("taskId", "");
  }
  Json about(const std::string& method, const std::string& id, Json more = Json::object()) {
    more["taskId"] = id;
    return client_.request(method, with_meta(std::move(more), declared()));
  }
  Json get(const std::string& id) { return about("tasks/get", id).value("result", Json()); }
  // Polls until it has that status.
  Json await(const std::string& id, const std::string& status) {
    Json task;
    do {
      task = get(id);
    } while (task.value("status", "") == "working" && status != "working");
    EXPECT_EQ(task.value("status", ""), status) << task.dump();
    return task;
  }
  Json update(const std::string& id, Json responses) {
    return about("tasks/update", id, {{"inputResponses", std::move(responses)}});
  }

  TestClient client_{quick()};
};

Json accepting(Json content) {
  return {{"action", "accept"}, {"content", std::move(content)}};
}

TEST_F(DurableTasksOfServer, AreOfferedToThoseWhoDiscoverThem) {
  const Json found = client_.request("server/discover", with_meta());
  EXPECT_TRUE(found["result"]["capabilities"]["extensions"].contains(tasks_extension().identifier));
  Options without = quick();
  without.has_tasks_extension = false;
  TestClient plain(without);
  EXPECT_FALSE(plain.request("server/discover", with_meta())["result"]["capabilities"]["extensions"]
                   .contains(tasks_extension().identifier));
  EXPECT_EQ(plain.request("tasks/get", with_meta({{"taskId", "t"}}, declared()))["error"]["code"],
            wire::kMethodNotFound);
}

TEST_F(DurableTasksOfServer, EndWithTheResultOfTheTool) {
  const std::string id = begin("slow_compute", {{"label", "x"}});
  const Json task = await(id, "completed");
  EXPECT_EQ(task["resultType"], "complete");
  EXPECT_EQ(task["result"]["content"][0]["text"], "Computed x in 1 s.");
  EXPECT_EQ(task["result"]["resultType"], "complete");
  EXPECT_TRUE(task.contains("ttlMs"));
}

TEST_F(DurableTasksOfServer, EndWithTheErrorOfTheTool) {
  EXPECT_EQ(await(begin("failing_job"), "completed")["result"]["isError"], true);
  const Json failed = await(begin("protocol_error_job"), "failed");
  EXPECT_EQ(failed["error"]["code"], wire::kInternalError);
  EXPECT_FALSE(failed.contains("result"));
}

TEST_F(DurableTasksOfServer, AreForClientsThatDeclareTheExtension) {
  const Json plain = client_.request("tools/call", calling("slow_compute"));
  EXPECT_EQ(plain["result"]["resultType"], "complete");
  const Json refused = client_.request("tools/call", calling("failing_job"));
  EXPECT_EQ(refused["error"]["code"], kMissingClientCapability);
  EXPECT_EQ(refused["error"]["data"]["requiredCapabilities"], tasks_extension().capability());
  const std::string id = begin("slow_compute");
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    const Json reply = client_.request(method, with_meta({{"taskId", id}}));
    EXPECT_EQ(reply["error"]["code"], kMissingClientCapability) << method;
  }
  EXPECT_EQ(call("greet", {{"name", "x"}})["result"]["content"][0]["text"], "Hello, x!");
}

TEST_F(DurableTasksOfServer, AskOneThingUnderOneKey) {
  const std::string id = begin("test_task_two_questions");
  const Json first = await(id, "input_required")["inputRequests"];
  ASSERT_EQ(first.size(), 1u);
  update(id, {{first.begin().key(), accepting({{"name", "x"}})}});
  Json second;
  do {
    second = get(id);
  } while (second["status"] == "working" || second.value("inputRequests", Json()) == first);
  ASSERT_EQ(second["inputRequests"].size(), 1u);
  EXPECT_NE(second["inputRequests"].begin().key(), first.begin().key());
  update(id, {{second["inputRequests"].begin().key(), accepting({{"confirm", true}})}});
  EXPECT_EQ(await(id, "completed")["result"]["content"][0]["text"], "x goes");
}

TEST_F(DurableTasksOfServer, TakePartOfTheirInput) {
  const std::string id = begin("multi_input");
  const Json requests = await(id, "input_required")["inputRequests"];
  ASSERT_EQ(requests.size(), 2u);
  const std::string first = requests.begin().key();
  const std::string second = std::next(requests.begin()).key();
  EXPECT_EQ(update(id, {{"other", accepting({})}})["result"]["resultType"], "complete");
  EXPECT_EQ(get(id)["inputRequests"].size(), 2u);
  EXPECT_EQ(update(id, {{first, {{"action", "none"}}}})["error"]["code"], wire::kInvalidParams);
  update(id, {{first, accepting({{"name", "x"}})}});
  EXPECT_FALSE(get(id)["inputRequests"].contains(first));
  update(id, {{second, accepting({{"confirm", false}})}});
  EXPECT_EQ(await(id, "completed")["result"]["content"][0]["text"], "x stops");
}

TEST_F(DurableTasksOfServer, AskBeforeThereIsATask) {
  const Json asks = call("test_tool_with_task")["result"];
  EXPECT_EQ(asks["resultType"], "input_required");
  Json retry = {{"inputResponses", {{"user_name", accepting({{"name", "x"}})}}}};
  const Json created = client_.request(
      "tools/call", calling("test_tool_with_task", declared(), std::move(retry)))["result"];
  EXPECT_EQ(created["resultType"], "task");
  EXPECT_FALSE(created.contains("requestState"));
  EXPECT_EQ(await(created["taskId"], "completed")["result"]["content"][0]["text"],
            "Hello, x! The task is done.");
}

TEST_F(DurableTasksOfServer, AreCancelled) {
  const std::string id = begin("confirm_delete");
  await(id, "input_required");
  for (int i = 0; i < 2; ++i) {
    const Json reply = about("tasks/cancel", id)["result"];
    EXPECT_EQ(reply["resultType"], "complete");
    EXPECT_FALSE(reply.contains("status"));
  }
  EXPECT_EQ(get(id)["status"], "cancelled");
}

TEST_F(DurableTasksOfServer, AreUnknownUnderAnyOtherId) {
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    EXPECT_EQ(about(method, "none", {{"inputResponses", Json::object()}})["error"]["code"],
              wire::kInvalidParams)
        << method;
  }
}

TEST_F(DurableTasksOfServer, TellWhoListens) {
  const std::string id = begin("confirm_delete");
  await(id, "input_required");
  const Json filter = {{"taskIds", Json::array({id, "none"})}};
  client_.start("subscriptions/listen", with_meta({{"notifications", filter}}, declared()));
  const Json ack = client_.wait_for_method("notifications/subscriptions/acknowledged");
  EXPECT_EQ(ack["params"]["notifications"], Json({{"taskIds", Json::array({id})}}));
  about("tasks/cancel", id);
  const Json told = client_.wait_for_method("notifications/tasks");
  EXPECT_EQ(told["params"]["taskId"], id);
  EXPECT_EQ(told["params"]["status"], "cancelled");
  const Json refused =
      client_.request("subscriptions/listen", with_meta({{"notifications", filter}}));
  EXPECT_EQ(refused["error"]["code"], kMissingClientCapability);
}

TEST(DurableTasks, AreTheirUsersAlone) {
  const Options options;
  Subscriptions subscriptions(1);
  DurableTasks tasks(options, subscriptions);
  const auto task = tasks.create("alice");
  EXPECT_EQ(tasks.find(task->id(), "alice"), task);
  EXPECT_EQ(tasks.find(task->id(), "bob"), nullptr);
}

TEST(DurableTasks, AreSweptWhenTheyHaveExpired) {
  Options options;
  options.default_ttl = std::chrono::milliseconds(-1);
  Subscriptions subscriptions(1);
  DurableTasks tasks(options, subscriptions);
  const auto task = tasks.create("");
  EXPECT_EQ(tasks.find(task->id(), ""), nullptr);
  EXPECT_TRUE(task->stop_token().stop_requested());
}

TEST(DurableTasks, AreBoundedForEachUser) {
  Options options;
  options.bounds.durable_tasks = 1;
  Subscriptions subscriptions(1);
  DurableTasks tasks(options, subscriptions);
  EXPECT_NE(tasks.create("alice"), nullptr);
  EXPECT_EQ(tasks.create("alice"), nullptr);
  EXPECT_NE(tasks.create("bob"), nullptr);
}

}  // namespace
}  // namespace assay::server
