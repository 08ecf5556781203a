#include "fuzz/answer_check.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using transport::Outgoing;

constexpr std::string_view kPing = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
constexpr std::string_view kTwins =
    R"([{"jsonrpc":"2.0","id":1,"method":{}},{"jsonrpc":"2.0","id":1,"method":"ping"}])";
constexpr std::string_view kDone = R"({"jsonrpc":"2.0","id":1,"result":{}})";
constexpr std::string_view kRefused =
    R"({"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}})";

// Ends the program if those are no answers to that.
void check(std::string_view received, std::initializer_list<std::string_view> answers) {
  AnswerCheck check(received, wire::decode(received));
  for (const std::string_view answer : answers) {
    check.send({Outgoing::Kind::kResponse, std::string(answer)});
  }
  check.finish();
  check.check(model::Revision::v2025_03_26, true);
}

TEST(AnswerCheck, TakesOneAnswerToEachRequest) {
  check(kPing, {kDone});
  check(R"({"jsonrpc":"2.0","method":"ping"})", {});
}

TEST(AnswerCheckDeathTest, MissesAnAnswer) {
  EXPECT_DEATH(check(kPing, {}), "every request is answered");
  EXPECT_DEATH(check(kTwins, {kRefused}), "every request is answered");
}

TEST(AnswerCheckDeathTest, TakesNoSecondAnswer) {
  EXPECT_DEATH(check(kPing, {kDone, kDone}), "and once");
  EXPECT_DEATH(check(kPing, {kDone, kRefused}), "and once");
  EXPECT_DEATH(check(kTwins, {kRefused, kDone, kDone}), "and once");
  EXPECT_DEATH(check(R"({"jsonrpc":"2.0","id":1,"method":{}})", {kDone}), "and once");
}

TEST(AnswerCheck, TellsARequestFromTheMalformedWithItsId) {
  check(kTwins, {kRefused, kDone});
  check(kTwins, {kDone, kRefused});
  check(kTwins, {kRefused, kRefused});
}

TEST(AnswerCheck, TakesAnUnusualIdBackAsItCame) {
  check(R"({"jsonrpc":"2.0","id":"\ud800","method":"ping"})",
        {R"({"jsonrpc":"2.0","id":"\ud800","result":{}})"});
}

TEST(AnswerCheckDeathTest, TakesNothingElseThatIsUnusual) {
  EXPECT_DEATH(check(kPing, {R"({"jsonrpc":"2.0","id":1,"result":{"a":"\ud800"}})"}), "unusual");
  EXPECT_DEATH(check(kPing, {R"({"jsonrpc":"2.0","id":1,"id":1,"result":{}})"}), "unusual");
}

}  // namespace
}  // namespace assay::fuzz
