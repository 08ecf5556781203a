#include "harness/script/connection.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "harness/script/abandoned.h"
#include "harness/script/pace.h"
#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

constexpr Patience kShort{std::chrono::milliseconds(2000), std::chrono::milliseconds(30),
                          std::chrono::milliseconds(100)};

TEST(Connection, ShakesHands) {
  const auto access = scripted_target([](const auto&, const auto&) {}, {{"tools", Json::object()}});
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  EXPECT_TRUE(connection.begin().is_result());
  EXPECT_TRUE(connection.has_begun());
  EXPECT_TRUE(connection.has_capability("tools"));
  EXPECT_FALSE(connection.has_capability("tools.listChanged"));
  EXPECT_FALSE(connection.has_capability("resources"));
}

// A server that asks while it is sent a line in pieces: the answer is no part of that line.
TEST(Connection, DoesNotAnswerWithinALineOfItsOwn) {
  std::vector<std::string> heard;
  const auto access = piped_target([&](std::string_view bytes, transport::Pipe& pipe) {
    heard.emplace_back(bytes);
    if (heard.size() == 1) pipe.deliver(R"({"jsonrpc":"2.0","id":7,"method":"ping"})");
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  connection.send_raw(R"({"jsonrpc":"2.0",)");
  connection.wait_for(
      connection.mark(), [](const Event&) { return false; }, std::chrono::milliseconds(30));
  EXPECT_EQ(heard.size(), 1u);
  connection.send_raw("\"id\":1,\"method\":\"ping\"}\n");
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[2], R"({"jsonrpc":"2.0","id":7,"result":{}})");
}

// Its first request need not be initialize, and a process takes its time until it reads anything.
TEST(Connection, WaitsForTheFirstWordOfAProcessAsLongAsForItsStart) {
  const auto access = piped_target([](std::string_view, transport::Pipe&) {});
  constexpr std::chrono::milliseconds kStart{90};
  HandshakeConnection connection(access, model::Revision::v2025_11_25,
                                 {kStart, std::chrono::milliseconds(1), kStart});
  ASSERT_FALSE(connection.open());
  EXPECT_TRUE(connection.request("ping").is_absent());
  EXPECT_GE(connection.waited_in_vain(), kStart);
}

// Answers the first two calls with an error about a limit.
TargetAccess limiting_target(int& asked) {
  TargetAccess access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (!message.id()) return;
    say(++asked <= 2 ? wire::encode(wire::make_error(*message.id(), -32000, "Rate limit exceeded"))
                     : wire::encode(wire::make_result(*message.id(), Json::object())));
  });
  access.pace = std::make_shared<Pace>();
  return access;
}

TEST(Connection, AsksAgainLaterWhatALimitKeptFromIt) {
  int asked = 0;
  const auto access = limiting_target(asked);
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  EXPECT_TRUE(connection.request("a").is_result());
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(connection.limit_since(0));
  EXPECT_TRUE(access.pace->is_limited());
}

TEST(Connection, TellsOfALimitThatItDidNotGetPast) {
  int asked = 0;
  const auto access = limiting_target(asked);
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  EXPECT_TRUE(connection.await(connection.start("a")).is_error());
  ASSERT_TRUE(connection.limit_since(0));
  EXPECT_EQ(connection.limit_since(0)->said, "error -32000");
}

TEST(Connection, MatchesAnswersByIdAndNotByOrder) {
  std::vector<wire::Id> waiting;
  const auto access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (!message.id()) return;
    waiting.push_back(*message.id());
    if (waiting.size() < 2) return;
    say(wire::encode(wire::make_result(waiting[1], {{"which", "second"}})));
    say(wire::encode(wire::make_error(waiting[0], -32000, "first")));
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  const Pending first = connection.start("a");
  const Pending second = connection.start("b");
  EXPECT_TRUE(connection.await(first).is_error(-32000));
  EXPECT_EQ(connection.await(second).result(), (Json{{"which", "second"}}));
}

TEST(Connection, TakesItForSilenceWhenALaterPingIsAnsweredAndNothingFollows) {
  const auto access = scripted_target([](const auto&, const auto&) {});
  Patience patient{std::chrono::minutes(10), std::chrono::minutes(10), std::chrono::seconds(1)};
  patient.grace = std::chrono::milliseconds(20);
  HandshakeConnection connection(access, model::Revision::v2025_11_25, patient);
  ASSERT_FALSE(connection.open());
  EXPECT_EQ(connection.await_before_fence(connection.start("a")).kind(), Reply::Kind::kSilence);
}

TEST(Connection, AnAnswerBehindTheAnswerToALaterPingIsStillTaken) {
  std::optional<wire::Id> waiting;
  const auto access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (message.method() == "a") waiting = *message.id();
    if (message.method() == "b") say(wire::encode(wire::make_result(*waiting, Json::object())));
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  const Pending asked = connection.start("a");
  connection.request("ping");
  connection.start("b");
  EXPECT_TRUE(connection.await_before_fence(asked).is_result());
}

TEST(Connection, AStringIdIsNoAnswerToANumber) {
  const auto access = scripted_target([](const wire::Message& message, const auto& say) {
    if (message.id()) say(R"({"jsonrpc":"2.0","id":"1","result":{}})");
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  EXPECT_EQ(connection.request("a").kind(), Reply::Kind::kSilence);
}

TEST(Connection, FindsAnAnswerInABatch) {
  const auto access = scripted_target([](const wire::Message& message, const auto& say) {
    if (message.id()) say(R"([{"jsonrpc":"2.0","id":1,"result":{"in":"batch"}}])");
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  EXPECT_EQ(connection.request("a").result(), (Json{{"in", "batch"}}));
}

TEST(Connection, AnswersTheTargetsOwnRequestsWhileItWaits) {
  std::string answered;
  const auto access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (message.method() == "go") {
      say(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})");
      say(R"({"jsonrpc":"2.0","id":"u","method":"no/such"})");
      say(wire::encode(wire::make_result(*message.id(), Json::object())));
    } else {
      answered += std::string(message.bytes());
    }
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  EXPECT_TRUE(connection.request("go").is_result());
  EXPECT_NE(answered.find(R"("id":"r")"), std::string::npos);
  EXPECT_NE(answered.find("file:///tmp"), std::string::npos);
  EXPECT_NE(answered.find("-32601"), std::string::npos);
}

TEST(Connection, AnswersWithTheIdAsItCame) {
  std::string answered;
  const auto access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (message.method() == "go") {
      say(R"({"jsonrpc":"2.0","id":90071992547409931234,"method":"roots/list"})");
      say(R"({"jsonrpc":"2.0","id":-0,"method":"no/such"})");
      say(R"({"jsonrpc":"2.0","id":"\ud800","method":"late"})");
      say(wire::encode(wire::make_result(*message.id(), Json::object())));
    } else {
      answered += std::string(message.bytes());
    }
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  connection.on_request("late", [](const Json&) -> Answer { return WithheldAnswer{}; });
  EXPECT_TRUE(connection.request("go").is_result());
  const EventPtr question = connection.wait_for_request(0, "late", kShort.request);
  ASSERT_NE(question, nullptr);
  connection.respond(*question->message()->id(), Json::object());
  EXPECT_NE(answered.find(R"("id":90071992547409931234,"result")"), std::string::npos) << answered;
  EXPECT_NE(answered.find(R"("id":-0,"error")"), std::string::npos) << answered;
  EXPECT_NE(answered.find(R"("id":"\ud800","result")"), std::string::npos) << answered;
}

TEST(Connection, AHandlerMayAskBeforeItAnswers) {
  std::vector<std::string> answered;
  const auto access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (message.method() == "go") {
      say(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})");
      say(R"({"jsonrpc":"2.0","id":"s","method":"roots/list"})");
      say(wire::encode(wire::make_result(*message.id(), Json::object())));
    } else if (message.id() && message.method().empty()) {
      answered.push_back(message.id()->json_text());
    }
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  int asked = 0;
  connection.on_request("roots/list", [&](const Json&) -> Answer {
    if (connection.request("ping").is_result()) ++asked;
    return Json{{"roots", Json::array()}};
  });
  EXPECT_TRUE(connection.request("go").is_result());
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(answered, (std::vector<std::string>{"\"s\"", "\"r\""}));
}

TEST(Connection, AnAnswerMayBeWithheldAndGivenLater) {
  std::string answered;
  const auto access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (message.method() == "go") {
      say(R"({"jsonrpc":"2.0","id":"r","method":"roots/list"})");
      say(wire::encode(wire::make_result(*message.id(), Json::object())));
    } else {
      answered += std::string(message.bytes());
    }
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  connection.on_request("roots/list", [](const Json&) -> Answer { return WithheldAnswer{}; });
  EXPECT_TRUE(connection.request("go").is_result());
  const EventPtr question = connection.wait_for_request(0, "roots/list", kShort.request);
  ASSERT_NE(question, nullptr);
  EXPECT_EQ(answered, "");
  connection.respond(*question->message()->id(), {{"roots", "late"}});
  EXPECT_EQ(Json::parse(answered),
            (Json{{"jsonrpc", "2.0"}, {"id", "r"}, {"result", {{"roots", "late"}}}}));
}

TEST(Connection, TheEndOfTheWireEndsTheWait) {
  const TargetAccess access =
      piped_target([](std::string_view, transport::Pipe& pipe) { pipe.close_from_peer(); });
  HandshakeConnection connection(access, model::Revision::v2025_11_25,
                                 {std::chrono::hours(1), std::chrono::hours(1), kShort.close});
  ASSERT_FALSE(connection.open());
  EXPECT_EQ(connection.request("a").kind(), Reply::Kind::kGone);
}

// A peer that says so much, again and again, for as long as the wire takes it.
TargetAccess flooding_target(std::string line, wire::BudgetPtr budget = nullptr) {
  TargetAccess access = scripted_target([line](const auto&, const auto& say) {
    for (int i = 0; i < 300'000; ++i) say(line);
  });
  access.budget = std::move(budget);
  return access;
}

TEST(Connection, AFloodIsCutOffAndIsNoEndOfTheTarget) {
  const auto access = flooding_target(R"({"jsonrpc":"2.0","method":"notifications/message"})");
  HandshakeConnection connection(access, model::Revision::v2025_11_25,
                                 {std::chrono::hours(1), std::chrono::hours(1), kShort.close});
  ASSERT_FALSE(connection.open());
  EXPECT_EQ(connection.request("go").kind(), Reply::Kind::kCutOff);
  EXPECT_EQ(connection.request("ping").kind(), Reply::Kind::kCutOff);
  ASSERT_TRUE(connection.cut_off());
  EXPECT_NE(connection.cut_off()->find("was not read"), std::string::npos);
}

TEST(Connection, ADeadlineHoldsWhileMessagesCome) {
  std::atomic<bool> is_over{false};
  std::thread flood;
  const auto access = scripted_target([&](const wire::Message& message, const auto& say) {
    if (message.method() != "go") return;
    flood = std::thread([say, &is_over] {
      while (!is_over) say("x");
    });
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25, kShort);
  ASSERT_FALSE(connection.open());
  const Reply reply = connection.request("go");
  is_over = true;
  flood.join();
  EXPECT_FALSE(reply.is_answered());
}

TEST(Connection, AStopHoldsWhileMessagesCome) {
  std::stop_source stop;
  const auto access = scripted_target([&](const wire::Message&, const auto& say) {
    for (int i = 0; i < 1000; ++i) say("x");
    stop.request_stop();
  });
  HandshakeConnection connection(access, model::Revision::v2025_11_25,
                                 {std::chrono::hours(1), std::chrono::hours(1), kShort.close},
                                 stop.get_token());
  ASSERT_FALSE(connection.open());
  int looked_at = 0;
  connection.start("go");
  const auto look = [&](const Event&) {
    ++looked_at;
    return false;
  };
  EXPECT_THROW(connection.wait_for(0, look, std::chrono::hours(1)), Abandoned);
  EXPECT_EQ(looked_at, 0);
}

TEST(Connection, AStopEndsTheWaitAndIsNoSilence) {
  std::stop_source stop;
  const auto access = scripted_target([&](const auto&, const auto&) { stop.request_stop(); });
  HandshakeConnection connection(access, model::Revision::v2025_11_25,
                                 {std::chrono::hours(1), std::chrono::hours(1), kShort.close},
                                 stop.get_token());
  ASSERT_FALSE(connection.open());
  EXPECT_THROW(connection.request("a"), Abandoned);
}

}  // namespace
}  // namespace assay::harness
