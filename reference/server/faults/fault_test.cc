#include "reference/server/faults/fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reference/server/faults/faulty_server.h"
#include "reference/server/session_testing.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

TEST(Faults, HaveUniqueIdsAndSayWhatTheyAreAndDo) {
  std::set<std::string_view> ids;
  for (const Fault& fault : all_faults()) {
    EXPECT_TRUE(ids.insert(fault.id).second) << fault.id;
    EXPECT_TRUE(std::all_of(fault.id.begin(), fault.id.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    })) << fault.id;
    EXPECT_FALSE(fault.description.empty()) << fault.id;
    EXPECT_FALSE(fault.breaks.empty()) << fault.id;
    EXPECT_TRUE(fault.departure || fault.arrival || fault.opening || fault.inside ||
                fault.neglects || fault.reply || fault.event || fault.session_id ||
                fault.leaves_streams_open || fault.batch || fault.tells_everybody ||
                fault.heard_by_everybody || fault.splits_batches || fault.unwraps_batches_of_one ||
                fault.ends_at || fault.intake || fault.recollection || fault.mishears ||
                fault.overlooks || fault.afterthought)
        << fault.id;
  }
}

TEST(Faults, NamesTheFirstUnknownId) {
  const auto selected = select_faults({"ping-unanswered", "no-such-fault"});
  ASSERT_TRUE(std::holds_alternative<std::string>(selected));
  EXPECT_EQ(std::get<std::string>(selected), "no-such-fault");
}

// A session of the faulty server, and what it sends.
class FaultySessionTest : public testing::Test {
 protected:
  void begin(const std::string& fault) {
    const Faults faults = std::get<Faults>(select_faults({fault}));
    Options options;
    turn_switches(faults, options);
    good_ = std::make_unique<Server>(options);
    faulty_ = std::make_unique<FaultyServer>(*good_, faults);
    session_ = faulty_->open(transport::WireKind::kStdio, sink_);
    send(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":)"
         R"("2025-03-26","capabilities":{},"clientInfo":{"name":"a","version":"1"}}})");
  }
  void send(const std::string& text) { session_->receive(wire::decode(text), sink_); }
  Json last() const { return sink_->messages().back(); }

  std::shared_ptr<RecordingSink> sink_ = std::make_shared<RecordingSink>();
  std::unique_ptr<Server> good_;
  std::unique_ptr<FaultyServer> faulty_;
  std::shared_ptr<transport::ServerSession> session_;
};

TEST_F(FaultySessionTest, SpoilsTheAnswerItIsMeantTo) {
  begin("ping-with-content");
  send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(last()["result"], (Json{{"pong", true}}));
  send(R"({"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"info"}})");
  EXPECT_EQ(last()["result"], Json::object());
}

TEST_F(FaultySessionTest, SpoilsTheMembersOfABatch) {
  begin("id-of-other-type");
  send(R"([{"jsonrpc":"2.0","id":2,"method":"ping"}])");
  ASSERT_TRUE(last().is_array());
  EXPECT_EQ(last()[0]["id"], "2");
}

TEST_F(FaultySessionTest, DropsWhatItDoesNotAnswer) {
  begin("ping-unanswered");
  const std::size_t before = sink_->messages().size();
  send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(sink_->messages().size(), before);
}

TEST_F(FaultySessionTest, AnswersNotifications) {
  begin("answers-notifications");
  send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_EQ(last()["id"], nullptr);
  EXPECT_TRUE(last().contains("error"));
}

TEST_F(FaultySessionTest, AnswersTwice) {
  begin("answers-twice");
  const std::size_t before = sink_->messages().size();
  send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_EQ(sink_->messages().size(), before + 2);
}

TEST_F(FaultySessionTest, TurnsSwitchesInside) {
  begin("cursor-never-ends");
  send(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})");
  EXPECT_TRUE(last()["result"].contains("nextCursor"));
}

TEST_F(FaultySessionTest, WritesBytesThatAreNoUtf8) {
  begin("invalid-utf8");
  send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})");
  EXPECT_TRUE(last().is_discarded());
}

}  // namespace
}  // namespace assay::server
