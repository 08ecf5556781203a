// Clients whose messages cross, as over HTTP: a play asks again until they come in an order that
// tells something.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "harness/host/play.h"
#include "harness/host/stage.h"
#include "harness/runner/client_scenario.h"
#include "reference/server/session_testing.h"
#include "reference/wire/message.h"

namespace assay::scenarios {
namespace {

std::unique_ptr<harness::Play> play_of(std::string_view scenario) {
  const auto all = harness::client_scenarios();
  return std::find_if(all.begin(), all.end(),
                      [&](const harness::ClientScenario& each) { return each.name == scenario; })
      ->make();
}

// A client by hand, which has just asked for the tools.
class Asked {
 public:
  Asked(std::string_view scenario, Json capabilities) : play_(play_of(scenario)) {
    send({{"jsonrpc", "2.0"},
          {"id", 1},
          {"method", "initialize"},
          {"params",
           {{"protocolVersion", "2025-11-25"},
            {"capabilities", std::move(capabilities)},
            {"clientInfo", {{"name", "test"}, {"version", "1"}}}}}});
    send({{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
    send({{"jsonrpc", "2.0"}, {"id", kTools}, {"method", "tools/list"}});
  }

  bool is_asked(const std::string& id) const { return has(id, true); }
  // Nothing more is asked.
  bool is_answered() const { return has(kTools, false); }
  void answer(const std::string& id, const Json& result) {
    EXPECT_TRUE(is_asked(id)) << id;
    send({{"jsonrpc", "2.0"}, {"id", id}, {"result", result}});
  }
  // Its own requests may have the ids of the server's.
  void ask_as(const std::string& id) { send({{"jsonrpc", "2.0"}, {"id", id}, {"method", "ping"}}); }
  void report(const std::string& token) {
    send({{"jsonrpc", "2.0"},
          {"method", "notifications/progress"},
          {"params", {{"progressToken", token}, {"progress", 1}}}});
  }

 private:
  static constexpr int kTools = 2;

  void send(const Json& message) { session_->receive(wire::decode(message.dump()), sink_); }
  bool has(const Json& id, bool is_request) const {
    const auto messages = sink_->messages();
    return std::any_of(messages.begin(), messages.end(), [&](const Json& message) {
      return message.value("id", Json()) == id && message.contains("method") == is_request;
    });
  }

  const std::unique_ptr<harness::Play> play_;
  harness::Stage stage_{*play_, model::Revision::v2025_11_25, std::chrono::seconds(60)};
  const std::shared_ptr<server::RecordingSink> sink_ = std::make_shared<server::RecordingSink>();
  const std::shared_ptr<transport::ServerSession> session_ =
      stage_.open(transport::WireKind::kStreamableHttp, sink_);
};

const Json& sampled() {
  static const Json kSampled = {
      {"role", "assistant"}, {"model", "m"}, {"content", {{"type", "text"}, {"text", "w"}}}};
  return kSampled;
}

void answer_pings(Asked& client, int first) {
  for (int i = first; i < first + 3; ++i) {
    client.answer("assay-behind-cancellation-" + std::to_string(i), Json::object());
  }
}

TEST(RacingClients, AreCancelledAgainWhereTheyHadAnswered) {
  Asked client("server-cancels", {{"sampling", Json::object()}});
  client.answer("assay-cancelled-question", sampled());
  answer_pings(client, 1);
  client.answer("assay-companion-question", sampled());
  EXPECT_TRUE(client.is_asked("assay-cancelled-question-2"));
  answer_pings(client, 4);
  EXPECT_FALSE(client.is_asked("assay-cancelled-question-3"));
  EXPECT_TRUE(client.is_answered());
}

TEST(RacingClients, MayUseTheIdOfAQuestionThemselves) {
  Asked client("server-cancels", {{"sampling", Json::object()}});
  client.ask_as("assay-cancelled-question");
  answer_pings(client, 1);
  client.answer("assay-companion-question", sampled());
  EXPECT_FALSE(client.is_asked("assay-cancelled-question-2"));
}

TEST(RacingClients, AreNotCancelledForEver) {
  Asked client("server-cancels", {{"sampling", Json::object()}});
  for (int i = 1; i <= 5; ++i) {
    EXPECT_FALSE(client.is_answered());
    client.answer(
        i == 1 ? "assay-cancelled-question" : "assay-cancelled-question-" + std::to_string(i),
        sampled());
    answer_pings(client, 3 * i - 2);
    if (i == 1) client.answer("assay-companion-question", sampled());
  }
  EXPECT_TRUE(client.is_answered());
}

constexpr const char* kRunsSamples =
    R"({"sampling":{},"tasks":{"requests":{"sampling":{"createMessage":{}}}}})";

Json created_as(const char* id) {
  return {{"task", {{"taskId", id}, {"status", "working"}}}};
}

TEST(RacingClients, RunAnotherTaskWhereTheReportCameBehindTheEnd) {
  Asked client("server-watches-tasks", Json::parse(kRunsSamples));
  const Json ended = {{"status", "completed"}};
  client.answer("assay-watched-task", created_as("one"));
  client.answer("assay-stopped-task", created_as("other"));
  client.answer("assay-watched-first", ended);
  client.report("assay-watched-task");
  client.answer("assay-watched-result", sampled());
  for (int i = 1; i <= 3; ++i) client.answer("assay-watched-again-" + std::to_string(i), ended);
  client.answer("assay-watched-task-2", created_as("two"));
  client.report("assay-watched-task-2");
  client.answer("assay-watched-first-2", ended);
  client.answer("assay-watched-result-2", sampled());
  EXPECT_FALSE(client.is_asked("assay-watched-task-3"));
  EXPECT_TRUE(client.is_answered());
}

}  // namespace
}  // namespace assay::scenarios
