// What a part of a conversation leaves open.
#include "harness/runner/left_open.h"

#include <gtest/gtest.h>

#include <string>

namespace assay::harness {
namespace {

class LeftOpenTest : public testing::Test {
 protected:
  void ours(const std::string& rest) { line(Party::kClient, rest); }
  void theirs(const std::string& rest) { line(Party::kServer, rest); }
  bool is_empty() const {
    LeftOpen open;
    for (const EventPtr& event : transcript_.events()) open.see(*event);
    return open.is_empty();
  }
  void call(int id, const std::string& tool) {
    ours(R"("id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" + tool +
         R"("})");
  }
  void cancel(int id) {
    ours(R"("method":"notifications/cancelled","params":{"requestId":)" + std::to_string(id) + "}");
  }
  void answer(int id) { theirs(R"("id":)" + std::to_string(id) + R"(,"result":{"content":[]})"); }

 private:
  void line(Party speaker, const std::string& rest) {
    transport::Observation observation;
    observation.kind = transport::Observation::Kind::kLine;
    observation.speaker = speaker;
    observation.bytes = R"({"jsonrpc":"2.0",)" + rest + "}";
    transcript_.observe(observation);
  }
  Transcript transcript_;
};

TEST_F(LeftOpenTest, NothingIsOnceEveryRequestHasItsAnswer) {
  call(1, "a");
  theirs(R"("id":1,"method":"roots/list")");
  EXPECT_FALSE(is_empty());
  ours(R"("id":1,"result":{"roots":[]})");
  EXPECT_FALSE(is_empty());
  answer(1);
  EXPECT_TRUE(is_empty());
}

TEST_F(LeftOpenTest, ACancelledCallMayStillBeAtWork) {
  call(1, "a");
  cancel(1);
  EXPECT_FALSE(is_empty());
}

TEST_F(LeftOpenTest, ACancelledCallIsOverOnceALaterOneOfItsToolIs) {
  call(1, "a");
  cancel(1);
  call(2, "b");
  answer(2);
  EXPECT_FALSE(is_empty());
  call(3, "a");
  answer(3);
  EXPECT_TRUE(is_empty());
}

TEST_F(LeftOpenTest, ACancelledCallIsNotOverWhereALaterOneFails) {
  call(1, "a");
  cancel(1);
  call(2, "a");
  theirs(R"("id":2,"error":{"code":-32603,"message":"busy"})");
  EXPECT_FALSE(is_empty());
  call(3, "a");
  theirs(R"("id":3,"result":{"content":[],"isError":true})");
  EXPECT_FALSE(is_empty());
}

TEST_F(LeftOpenTest, ACancelledCallIsNotOverWhenAnEarlierOneIs) {
  call(1, "a");
  call(2, "a");
  cancel(2);
  answer(1);
  EXPECT_FALSE(is_empty());
}

TEST_F(LeftOpenTest, ASubscriptionEndsWithItsCancellation) {
  ours(R"("id":"s","method":"subscriptions/listen","params":{})");
  EXPECT_FALSE(is_empty());
  ours(R"("method":"notifications/cancelled","params":{"requestId":"s"})");
  EXPECT_TRUE(is_empty());
}

TEST_F(LeftOpenTest, ATaskIsUntilItIsSeenAtItsEnd) {
  call(1, "a");
  theirs(R"("id":1,"result":{"task":{"taskId":"t","status":"working"}})");
  EXPECT_FALSE(is_empty());
  theirs(R"("method":"notifications/tasks/status","params":{"taskId":"t","status":"completed"})");
  EXPECT_TRUE(is_empty());
}

TEST_F(LeftOpenTest, ATaskIsOverOnceItsResultIsThere) {
  call(1, "a");
  theirs(R"("id":1,"result":{"task":{"taskId":"t","status":"input_required"}})");
  ours(R"("id":2,"method":"tasks/result","params":{"taskId":"t"})");
  answer(2);
  EXPECT_TRUE(is_empty());
}

TEST_F(LeftOpenTest, ATaskOfOursIsOneToo) {
  theirs(R"("id":7,"method":"sampling/createMessage","params":{"task":{}})");
  ours(R"("id":7,"result":{"task":{"taskId":"ours","status":"working"}})");
  EXPECT_FALSE(is_empty());
  theirs(R"("id":8,"method":"tasks/cancel","params":{"taskId":"ours"})");
  ours(R"("id":8,"result":{"taskId":"ours","status":"cancelled"})");
  EXPECT_TRUE(is_empty());
}

}  // namespace
}  // namespace assay::harness
