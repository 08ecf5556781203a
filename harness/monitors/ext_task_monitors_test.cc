// The monitors of the extension io.modelcontextprotocol/tasks on hand-made transcripts: each with
// what it lets pass, and what it does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/monitors/durable_tasks.h"
#include "harness/monitors/http_traffic_testing.h"

namespace assay::harness {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

constexpr std::string_view kResults = "ext_task_result_monitor";
constexpr std::string_view kLife = "ext_task_life_monitor";
constexpr std::string_view kListens = "ext_task_listen_monitor";
constexpr std::string_view kClients = "client_ext_task_monitor";

const Json kCall = {{"name", "a"}, {"arguments", Json::object()}};
const Json kAsk = {{"taskId", "t"}};

Json task_as(const char* status, Json more = Json::object()) {
  more["taskId"] = "t";
  more["status"] = status;
  more["createdAt"] = "2026-07-28T10:00:00Z";
  more["lastUpdatedAt"] = "2026-07-28T10:00:00Z";
  more["ttlMs"] = 60'000;
  return more;
}
Json created() {
  return task_as("working", {{"resultType", "task"}});
}
Json got(const char* status, Json more = Json::object()) {
  return complete(task_as(status, std::move(more)));
}
Json form(const char* message) {
  return {{"method", "elicitation/create"},
          {"params",
           {{"mode", "form"},
            {"message", message},
            {"requestedSchema", {{"type", "object"}, {"properties", Json::object()}}}}}};
}
Json asking(Json requests) {
  return got("input_required", {{"inputRequests", std::move(requests)}});
}

// Of a client that declares the extension.
struct Declaring : Traffic {
  Declaring() : Traffic(Revision::v2026_07_28) {
    declares(model::find_extension("tasks")->capability());
  }
};

Rules broken_by_result(std::string_view method, const Json& params, const Json& result) {
  Declaring traffic;
  return traffic.exchange(method, params, result).broken(kResults);
}

TEST(ExtTaskResults, LetTasksPass) {
  Declaring traffic;
  traffic.exchange("tools/call", kCall, created())
      .exchange("tasks/get", kAsk, got("working"))
      .exchange("tasks/get", kAsk, got("completed", {{"result", {{"content", Json::array()}}}}))
      .exchange("tasks/get", kAsk,
                got("failed", {{"error", {{"code", -32603}, {"message", "m"}}},
                               {"statusMessage", "It failed"}}))
      .exchange("tasks/get", kAsk, got("cancelled"))
      .exchange("tasks/get", kAsk, asking({{"k", form("?")}}))
      .exchange("tasks/update", {{"taskId", "t"}, {"inputResponses", Json::object()}}, complete())
      .exchange("tasks/cancel", kAsk, complete());
  EXPECT_THAT(traffic.broken(kResults), IsEmpty());
  EXPECT_THAT(
      traffic.held(kResults),
      IsSupersetOf(Rules{"ext-tasks.may-create", "ext-tasks.create-result-type",
                         "ext-tasks.get-working", "ext-tasks.get-completed", "ext-tasks.get-failed",
                         "ext-tasks.get-cancelled", "ext-tasks.get-input-required",
                         "ext-tasks.update-acknowledged", "ext-tasks.cancel-acknowledged"}));
}

TEST(ExtTaskResults, HoldCreationToItsTypeAndForm) {
  EXPECT_EQ(broken_by_result("tools/call", kCall, complete(task_as("working"))),
            Rules{"ext-tasks.create-result-type"});
  EXPECT_EQ(broken_by_result("tools/call", kCall, complete({{"task", task_as("working")}})),
            (Rules{"ext-tasks.create-result-type", "ext-tasks.schema"}));
  Json timeless = created();
  timeless.erase("createdAt");
  EXPECT_EQ(broken_by_result("tools/call", kCall, timeless), Rules{"ext-tasks.schema"});
  Json stateful = created();
  stateful["requestState"] = "s";
  EXPECT_EQ(broken_by_result("tools/call", kCall, stateful), Rules{"ext-tasks.inputs-before-task"});
  EXPECT_EQ(
      broken_by_result("tools/call", kCall, {{"resultType", "task"}, {"content", Json::array()}}),
      Rules{"ext-tasks.result-type-reserved"});
  // A server may write what results of tools have beside a task.
  Json with_content = created();
  with_content["content"] = Json::array();
  EXPECT_EQ(broken_by_result("tools/call", kCall, with_content), Rules{});
}

TEST(ExtTaskResults, KeepTasksToCalls) {
  EXPECT_EQ(broken_by_result("prompts/get", {{"name", "p"}}, created()),
            Rules{"ext-tasks.supported-methods-only"});
  EXPECT_EQ(
      broken_by_result("tools/list", nullptr, {{"resultType", "task"}, {"tools", Json::array()}}),
      Rules{"ext-tasks.result-type-reserved"});
}

TEST(ExtTaskResults, KeepTasksToClientsThatDeclareThem) {
  Traffic undeclared(Revision::v2026_07_28);
  undeclared.exchange("tools/call", kCall, created());
  EXPECT_EQ(undeclared.broken(kResults), Rules{"ext-tasks.undeclared-no-task"});
  Traffic asks(Revision::v2026_07_28);
  asks.exchange("tasks/get", kAsk, got("working"));
  EXPECT_EQ(asks.broken(kResults), Rules{"ext-tasks.methods-undeclared-error"});
  Traffic refused(Revision::v2026_07_28);
  refused.refused("tasks/get", kAsk, -32021, {{"requiredCapabilities", {{"a", Json::object()}}}});
  EXPECT_THAT(refused.held(kResults), Contains("ext-tasks.methods-undeclared-error"));
}

TEST(ExtTaskResults, HoldEachStatusToItsPayload) {
  const auto broken = [](const Json& result) {
    return broken_by_result("tasks/get", kAsk, result);
  };
  EXPECT_EQ(broken(got("completed")), Rules{"ext-tasks.get-completed"});
  EXPECT_EQ(broken(got("input_required")), Rules{"ext-tasks.get-input-required"});
  EXPECT_EQ(broken(got("failed", {{"statusMessage", "m"}})), Rules{"ext-tasks.get-failed"});
  EXPECT_EQ(broken(got("failed", {{"error", {{"code", 1}, {"message", "m"}}}})),
            Rules{"ext-tasks.failure-explained"});
  EXPECT_EQ(broken(got("paused")), Rules{"ext-tasks.get-answers-status"});
  EXPECT_EQ(broken(complete({{"content", Json::array()}})), Rules{"ext-tasks.get-answers-status"});
  Json other = got("working");
  other["taskId"] = "u";
  EXPECT_EQ(broken(other), Rules{"ext-tasks.get-working"});
  Json typed = got("working");
  typed["resultType"] = "task";
  EXPECT_EQ(broken(typed), Rules{"ext-tasks.get-result-type"});
}

TEST(ExtTaskResults, HoldAcknowledgementsToNothing) {
  const Json update = {{"taskId", "t"}, {"inputResponses", Json::object()}};
  EXPECT_EQ(broken_by_result("tasks/update", update, got("working")),
            Rules{"ext-tasks.update-acknowledged"});
  EXPECT_EQ(broken_by_result("tasks/cancel", kAsk, {{"resultType", "task"}}),
            Rules{"ext-tasks.cancel-result-type"});
  EXPECT_THAT(broken_by_result("tasks/cancel", kAsk, complete({{"_meta", Json::object()}})),
              IsEmpty());
}

TEST(ExtTaskResults, HoldNotificationsToWholeTasks) {
  Declaring traffic;
  traffic.notified("notifications/tasks", task_as("working"));
  EXPECT_THAT(traffic.broken(kResults), IsEmpty());
  traffic.notified("notifications/tasks", {{"taskId", "t"}, {"status", "working"}});
  EXPECT_EQ(traffic.broken(kResults), Rules{"ext-tasks.schema"});
}

TEST(ExtTaskLife, EndsOnce) {
  const Json done = got("completed", {{"result", Json::object()}});
  Declaring traffic;
  traffic.exchange("tasks/get", kAsk, got("working")).exchange("tasks/get", kAsk, done);
  EXPECT_THAT(traffic.exchange("tasks/get", kAsk, done).broken(kLife), IsEmpty());
  EXPECT_EQ(traffic.exchange("tasks/get", kAsk, got("working")).broken(kLife),
            Rules{"ext-tasks.status-transitions"});
}

// Two requests that were under way together may be answered in any order.
TEST(ExtTaskLife, IsNotToldFromAnswersThatOvertakeEachOther) {
  Declaring traffic;
  const auto first = traffic.asks("tasks/get", kAsk);
  const auto second = traffic.asks("tasks/get", kAsk);
  const auto answer = [&](std::int64_t id, const Json& result) {
    traffic.came(wire::encode(wire::make_result(wire::Id::of(id), result)));
  };
  answer(second, got("completed", {{"result", Json::object()}}));
  answer(first, got("working"));
  EXPECT_THAT(traffic.broken(kLife), IsEmpty());
}

TEST(ExtTaskLife, EndsOnceAlsoWhereANotificationTellsIt) {
  Declaring traffic;
  traffic.exchange("tasks/get", kAsk, got("working"));
  const auto crossing = traffic.asks("tasks/get", kAsk);
  traffic.notified("notifications/tasks", task_as("completed", {{"result", Json::object()}}));
  traffic.came(wire::encode(wire::make_result(wire::Id::of(crossing), got("working"))));
  EXPECT_THAT(traffic.broken(kLife), IsEmpty());
  EXPECT_EQ(traffic.exchange("tasks/get", kAsk, got("working")).broken(kLife),
            Rules{"ext-tasks.status-transitions"});
}

TEST(ExtTaskLife, IsToldInOrderOnOneStream) {
  Declaring late;
  late.exchange("tasks/get", kAsk, got("completed", {{"result", Json::object()}}))
      .notified("notifications/tasks", task_as("working"));
  // It may have left before the task ended.
  EXPECT_THAT(late.broken(kLife), IsEmpty());
  Declaring again;
  again.notified("notifications/tasks", task_as("failed"))
      .notified("notifications/tasks", task_as("working"));
  EXPECT_EQ(again.broken(kLife), Rules{"ext-tasks.status-transitions"});
}

TEST(ExtTaskLife, AsksTheSameUnderAKeyWhereANotificationTellsIt) {
  Declaring traffic;
  traffic
      .notified("notifications/tasks",
                task_as("input_required", {{"inputRequests", {{"k", form("Who?")}}}}))
      .exchange("tasks/get", kAsk, asking({{"k", form("Who?")}}));
  EXPECT_THAT(traffic.broken(kLife), IsEmpty());
  EXPECT_EQ(traffic.exchange("tasks/get", kAsk, asking({{"k", form("Why?")}})).broken(kLife),
            (Rules{"ext-tasks.key-one-request", "ext-tasks.key-unique"}));
}

TEST(ExtTaskLife, GivesEachQuestionAKeyOfItsOwn) {
  Declaring changed;
  changed.exchange("tasks/get", kAsk, asking({{"k", form("Who?")}}))
      .exchange("tasks/get", kAsk, asking({{"k", form("Why?")}}));
  EXPECT_EQ(changed.broken(kLife), (Rules{"ext-tasks.key-one-request", "ext-tasks.key-unique"}));
  Declaring reused;
  reused.exchange("tasks/get", kAsk, asking({{"k", form("Who?")}}))
      .exchange("tasks/update", {{"taskId", "t"}, {"inputResponses", {{"k", Json::object()}}}},
                complete())
      .exchange("tasks/get", kAsk, asking({{"k", form("Who?")}}));
  // It may not reflect the answer yet.
  EXPECT_THAT(reused.broken(kLife), IsEmpty());
  EXPECT_THAT(reused.held(kLife), Contains("ext-tasks.update-may-lag"));
  reused.exchange("tasks/get", kAsk, got("working"))
      .exchange("tasks/get", kAsk, asking({{"k", form("Who?")}}));
  EXPECT_EQ(reused.broken(kLife), (Rules{"ext-tasks.key-not-reused", "ext-tasks.key-unique"}));
}

TEST(ExtTaskLife, ShowsAllThatIsOpen) {
  const Json both = asking({{"a", form("A?")}, {"b", form("B?")}});
  const Json one = asking({{"b", form("B?")}});
  Declaring traffic;
  traffic.exchange("tasks/get", kAsk, both).exchange("tasks/get", kAsk, one);
  // A question may be withdrawn.
  EXPECT_THAT(traffic.broken(kLife), IsEmpty());
  EXPECT_EQ(traffic.exchange("tasks/get", kAsk, both).broken(kLife),
            Rules{"ext-tasks.input-requests-complete"});
  Declaring answered;
  answered.exchange("tasks/get", kAsk, both)
      .exchange("tasks/update", {{"taskId", "t"}, {"inputResponses", {{"a", Json::object()}}}},
                complete())
      .exchange("tasks/get", kAsk, one);
  EXPECT_THAT(answered.broken(kLife), IsEmpty());
  EXPECT_THAT(answered.held(kLife), IsSupersetOf(Rules{"ext-tasks.input-requests-complete",
                                                       "ext-tasks.update-may-be-partial"}));
}

TEST(ExtTaskListens, BringWhatWasAgreed) {
  const Json filter = {{"taskIds", Json::array({"t"})}};
  const auto tagged = [](Json params) {
    params["_meta"]["io.modelcontextprotocol/subscriptionId"] = 1;
    return params;
  };
  Declaring traffic;
  traffic.asks("subscriptions/listen", {{"notifications", filter}});
  traffic.notified("notifications/subscriptions/acknowledged", tagged({{"notifications", filter}}))
      .notified("notifications/tasks", tagged(task_as("working")));
  EXPECT_THAT(traffic.broken(kListens), IsEmpty());
  EXPECT_EQ(traffic.held(kListens), Rules{"ext-tasks.notified-as-agreed"});
  Json other = tagged(task_as("working"));
  other["taskId"] = "u";
  traffic.notified("notifications/tasks", other)
      .notified("notifications/progress", tagged({{"progressToken", "p"}, {"progress", 1}}));
  EXPECT_EQ(traffic.broken(kListens),
            (Rules{"ext-tasks.notified-as-agreed", "ext-tasks.no-progress-when-listening"}));
  Traffic undeclared(Revision::v2026_07_28);
  undeclared.asks("subscriptions/listen", {{"notifications", filter}});
  undeclared.notified("notifications/subscriptions/acknowledged",
                      tagged({{"notifications", filter}}));
  EXPECT_EQ(undeclared.broken(kListens), Rules{"ext-tasks.listen-undeclared-error"});
}

TEST(ExtTaskListens, BringNoProgressThatTheCallAsksFor) {
  const Json filter = {{"taskIds", Json::array({"t"})}};
  Json call = kCall;
  call["_meta"] = {{"progressToken", "p"}, {"io.modelcontextprotocol/logLevel", "debug"}};
  Declaring traffic;
  traffic.exchange("tools/call", call, created());
  const Json tag = {{"io.modelcontextprotocol/subscriptionId",
                     traffic.asks("subscriptions/listen", {{"notifications", filter}})}};
  traffic
      .notified("notifications/subscriptions/acknowledged",
                {{"notifications", filter}, {"_meta", tag}})
      .notified("notifications/tasks", task_as("working", {{"_meta", tag}}));
  EXPECT_THAT(traffic.held(kListens), Contains("ext-tasks.no-progress-when-listening"));
}

Json update(const char* key) {
  return {{"taskId", "t"}, {"inputResponses", {{key, {{"action", "decline"}}}}}};
}

// The server may refuse a response that it could not store, or that did not fit.
TEST(ClientExtTasks, MayAnswerAgainWhatWasRefused) {
  Declaring traffic;
  traffic.of_client()
      .exchange("tools/call", kCall, created())
      .exchange("tasks/get", kAsk, asking({{"k", form("Who?")}}))
      .refused("tasks/update", update("k"), wire::kInternalError)
      .exchange("tasks/update", update("k"), complete());
  EXPECT_THAT(traffic.broken(kClients), IsEmpty());
  traffic.exchange("tasks/update", update("k"), complete());
  EXPECT_EQ(traffic.broken(kClients), Rules{"ext-tasks.answered-once"});
}

// The connection of a request may break before its answer.
TEST(ClientExtTasks, MayAnswerAgainWhatWasLost) {
  Traffic traffic(Revision::v2026_07_28, TransportKind::kHttp);
  traffic.of_client();
  const auto post = [&](std::uint64_t number) {
    const auto request = wire::make_request(wire::Id::of(static_cast<std::int64_t>(number)),
                                            "tasks/update", Traffic::stateless(update("k")));
    return HttpExchange(traffic, number)
        .request("POST", wire::encode(request), {{"Mcp-Name", "t"}});
  };
  post(1).broken();
  post(2).head(200, HttpExchange::kJson).body(R"({"jsonrpc":"2.0","id":2,"result":{}})");
  EXPECT_THAT(traffic.broken(kClients), IsEmpty());
  post(3);
  EXPECT_EQ(traffic.broken(kClients), Rules{"ext-tasks.answered-once"});
}

TEST(ClientExtTasks, AnswerWhatIsAskedOnce) {
  Declaring traffic;
  traffic.of_client()
      .exchange("tools/call", kCall, created())
      .exchange("tasks/get", kAsk, asking({{"k", form("Who?")}}))
      .exchange("tasks/update", update("k"), complete());
  EXPECT_THAT(traffic.broken(kClients), IsEmpty());
  EXPECT_THAT(traffic.held(kClients),
              IsSupersetOf(Rules{"ext-tasks.answered-once", "ext-tasks.update-keys-outstanding",
                                 "ext-tasks.schema"}));
  traffic.exchange("tasks/update", update("k"), complete());
  EXPECT_EQ(traffic.broken(kClients), Rules{"ext-tasks.answered-once"});
  traffic.exchange("tasks/update", update("other"), complete());
  EXPECT_THAT(traffic.broken(kClients), Contains("ext-tasks.update-keys-outstanding"));
}

TEST(ClientExtTasks, AreCancelledByTheirMethod) {
  Declaring traffic;
  traffic.of_client().exchange("tools/call", kCall, created());
  const auto cancel = [&](const Json& id) {
    traffic.sent(
        wire::encode(wire::make_notification("notifications/cancelled", {{"requestId", id}})));
  };
  // It may have been sent before the answer was read.
  cancel(1);
  EXPECT_THAT(traffic.broken(kClients), IsEmpty());
  traffic.exchange("tasks/get", kAsk, got("working"));
  cancel(1);
  EXPECT_EQ(traffic.broken(kClients), Rules{"ext-tasks.no-cancelled-notification"});
}

TEST(ClientExtTasks, HaveTheFormOfTheSchema) {
  Declaring traffic;
  traffic.of_client().asks("tasks/update", kAsk);
  EXPECT_EQ(traffic.broken(kClients), Rules{"ext-tasks.schema"});
}

}  // namespace
}  // namespace assay::harness
