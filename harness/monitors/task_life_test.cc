// What monitors make of how long tasks live, of the times that are given of them, and of the
// progress tokens of tasks that the client runs.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "harness/monitors/http_traffic_testing.h"
#include "harness/monitors/traffic_testing.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

Json task(const char* status, const Json& more = Json::object()) {
  Json task = {{"taskId", "t"},
               {"status", status},
               {"createdAt", "2025-11-25T10:30:00.000Z"},
               {"lastUpdatedAt", "2025-11-25T10:30:00.000Z"},
               {"ttl", 600'000}};
  task.update(more);
  return task;
}

struct WithTask : Traffic {
  WithTask() {
    handshake({{"tasks", {{"requests", {{"tools", {{"call", Json::object()}}}}}}}});
    exchange("tools/call", {{"name", "slow"}, {"task", Json::object()}},
             {{"task", task("working")}});
  }
};

Traffic& get(Traffic& traffic, const Json& task) {
  return traffic.exchange("tasks/get", {{"taskId", "t"}}, task);
}

void refuse(Traffic& traffic) {
  traffic.sent(R"({"jsonrpc":"2.0","id":90,"method":"tasks/get","params":{"taskId":"t"}})");
  traffic.came(R"({"jsonrpc":"2.0","id":90,"error":{"code":-32602,"message":"unknown"}})");
}

TEST(TaskLifetimeMonitor, SeesATaskThatIsGoneBeforeItsTtl) {
  WithTask traffic;
  get(traffic, task("completed"));
  refuse(traffic);
  EXPECT_EQ(traffic.broken("task_lifetime_monitor"), Rules{"tasks.ttl-reported"});
}

TEST(TaskLifetimeMonitor, LetsGoWhatHasNoTimeLeftOrWasCancelled) {
  WithTask expired;
  get(expired, task("completed", {{"ttl", 0}}));
  refuse(expired);
  EXPECT_EQ(expired.broken("task_lifetime_monitor"), Rules{});

  WithTask cancelled;
  get(cancelled, task("working"));
  cancelled.exchange("tasks/cancel", {{"taskId", "t"}}, task("cancelled"));
  refuse(cancelled);
  EXPECT_EQ(cancelled.broken("task_lifetime_monitor"), Rules{});
}

TEST(TaskLifetimeMonitor, SaysNothingOfATtlThatTasksGetNeverGave) {
  WithTask traffic;
  refuse(traffic);
  EXPECT_EQ(traffic.broken("task_lifetime_monitor"), Rules{});
}

TEST(TaskTimesMonitor, SeesACreationThatMoves) {
  WithTask traffic;
  get(traffic, task("working", {{"createdAt", "2025-11-25T10:30:00.100Z"},
                                {"lastUpdatedAt", "2025-11-25T10:30:00.100Z"}}));
  EXPECT_EQ(traffic.broken("task_times_monitor"), Rules{"tasks.created-at-given"});
}

TEST(TaskTimesMonitor, SeesAnUpdateBeforeTheCreationOrBeforeTheLastOne) {
  WithTask before;
  get(before, task("working", {{"lastUpdatedAt", "2025-11-25T10:29:59.000Z"}}));
  EXPECT_EQ(before.broken("task_times_monitor"), Rules{"tasks.last-updated-given"});

  WithTask backwards;
  get(backwards, task("working", {{"lastUpdatedAt", "2025-11-25T10:31:00.000Z"}}));
  get(backwards, task("completed", {{"lastUpdatedAt", "2025-11-25T10:30:30.000Z"}}));
  EXPECT_EQ(backwards.broken("task_times_monitor"), Rules{"tasks.last-updated-given"});
}

TEST(TaskTimesMonitor, DoesNotCompareWhatIsRoundedOrOfAnotherForm) {
  WithTask traffic;
  get(traffic, task("working", {{"createdAt", "2025-11-25T10:30:00Z"},
                                {"lastUpdatedAt", "2025-11-25T11:30:00.000+01:00"}}));
  get(traffic, task("completed", {{"createdAt", "2025-11-25T10:30:00.001Z"},
                                  {"lastUpdatedAt", "2025-11-25T10:30:00.001Z"}}));
  EXPECT_EQ(traffic.broken("task_times_monitor"), Rules{});
}

// The target asks for sampling as a task, and the client creates one.
struct WithClientTask : Traffic {
  WithClientTask() {
    handshake(Json::object(), {{"sampling", Json::object()}});
    came(R"({"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":)"
         R"({"messages":[],"maxTokens":1,"task":{},"_meta":{"progressToken":"p"}}})");
    sent(wire::encode(wire::make_result(wire::Id::of_string("s"), {{"task", task("working")}})));
  }
};

TEST(ProgressMonitor, HoldsATokenForTakenWhileItsTaskRuns) {
  WithClientTask traffic;
  traffic.asked("tasks/get", {{"taskId", "t"}, {"_meta", {{"progressToken", "p"}}}});
  EXPECT_EQ(traffic.broken("progress_monitor"), Rules{"progress.token-unique"});
}

TEST(ProgressMonitor, FreesATokenWhenItsTaskHasEnded) {
  WithClientTask traffic;
  traffic.sent(
      wire::encode(wire::make_notification("notifications/tasks/status", task("completed"))));
  traffic.asked("sampling/createMessage",
                {{"messages", Json::array()}, {"_meta", {{"progressToken", "p"}}}});
  EXPECT_EQ(traffic.broken("progress_monitor"), Rules{});
}

std::string report(int progress) {
  return wire::encode(wire::make_notification(
      "notifications/progress",
      {{"progressToken", "p"},
       {"progress", progress},
       {"_meta", {{"io.modelcontextprotocol/related-task", {{"taskId", "t"}}}}}}));
}

// The target looks at the client's task, which is at its end.
std::string look() {
  return wire::encode(wire::make_request(wire::Id::of_string("l"), "tasks/get", {{"taskId", "t"}}));
}
std::string seen_end() {
  return wire::encode(wire::make_result(wire::Id::of_string("l"), task("completed")));
}

TEST(ProgressMonitor, FollowsTheTasksOfClients) {
  const Rules rules = {"progress.task-token-kept", "progress.task-stops-at-terminal",
                       "tasks.related-task-given", "progress.token-of-active-request"};
  WithClientTask traffic;
  traffic.of_client().sent(report(1)).came(look()).sent(seen_end());
  EXPECT_EQ(traffic.held("progress_monitor"), rules);
  // One may have been on its way.
  traffic.sent(report(2));
  EXPECT_EQ(traffic.broken("progress_monitor"), Rules{});
  EXPECT_FALSE(traffic.held("progress_monitor").contains("progress.task-stops-at-terminal"));
  traffic.sent(report(3));
  EXPECT_EQ(traffic.broken("progress_monitor"), Rules{"progress.task-stops-at-terminal"});
}

// Of what comes by two ways nobody knows which was said first.
TEST(ProgressMonitor, MakesNothingOfReportsThatCameByAnotherWay) {
  WithClientTask traffic;
  traffic.of_client().sent(report(1));
  traffic.came(look()).sent(seen_end());
  for (const std::uint64_t lane : {2u, 3u}) {
    HttpExchange(traffic, lane).request("POST", report(static_cast<int>(lane)));
  }
  EXPECT_EQ(traffic.broken("progress_monitor"), Rules{});
  EXPECT_FALSE(traffic.held("progress_monitor").contains("progress.task-stops-at-terminal"));
}

}  // namespace
}  // namespace assay::harness
