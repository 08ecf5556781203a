// When a client counts as hanging that is there still, once everything is closed.
#include "fuzz/live/client/launch.h"

#include <gtest/gtest.h>

#include "fuzz/live/client/client_fuzzer.h"

namespace assay::fuzz {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kGrace{2000};
constexpr milliseconds kNeeded{500};

TEST(Lateness, IsNoneWithinItsGrace) {
  EXPECT_EQ(lateness({milliseconds(1999), milliseconds(1999), 100, 100}, kGrace, kNeeded),
            Lateness::kNotYet);
  EXPECT_EQ(lateness({milliseconds(9000), milliseconds(9000), 2, 2}, kGrace, kNeeded),
            Lateness::kNotYet);
}

TEST(Lateness, TellsWhoWaitsFromWhoRuns) {
  EXPECT_EQ(lateness({milliseconds(2000), milliseconds(20), 100, 2}, kGrace, kNeeded),
            Lateness::kIdle);
  EXPECT_EQ(lateness({milliseconds(2000), milliseconds(250), 100, 15}, kGrace, kNeeded),
            Lateness::kIdle);
  EXPECT_EQ(lateness({milliseconds(2000), milliseconds(1900), 100, 99}, kGrace, kNeeded),
            Lateness::kBusy);
}

// It is in the queue of a processor that others have.
TEST(Lateness, BlamesNobodyWhoHadNoProcessor) {
  EXPECT_EQ(lateness({milliseconds(2500), milliseconds(200), 100, 100}, kGrace, kNeeded),
            Lateness::kNotYet);
  EXPECT_EQ(lateness({milliseconds(16'000), milliseconds(400), 100, 100}, kGrace, kNeeded),
            Lateness::kStarved);
  EXPECT_EQ(lateness({milliseconds(12'000), milliseconds(600), 100, 100}, kGrace, kNeeded),
            Lateness::kBusy);
}

// They are quoted in sentences that cut them.
TEST(Launch, TellsLastWordsWithoutTheVariablesOfTheClient) {
  ClientTarget target;
  target.words = {"/bin/sh", "-c", "echo \"no entry with $KEY\" >&2; exit 1"};
  target.environment = {{"KEY", "correct-horse-battery-staple"}};
  const auto launched = launch(target, {}, {}, {});
  ASSERT_TRUE(std::holds_alternative<LaunchReport>(launched)) << std::get<std::string>(launched);
  EXPECT_EQ(std::get<LaunchReport>(launched).end.errors, "no entry with ${KEY}\n");
}

// Its work over what it was sent is seen to its end, though nobody says a word meanwhile.
TEST(Launch, IsNotCutShortWhileItTakesMemory) {
  ClientTarget target;
  target.words = {"/bin/sh", "-c",
                  R"(echo '{"jsonrpc": "2.0", "id": 1, "method": "ping"}' | {server} >/dev/null
                     exec awk 'BEGIN { text = "x"
                                       while (length(text) < 65536) text = text text
                                       for (;;) { for (i = 0; i < 10000; ++i) sum += i
                                                  kept[++count] = text sum } }')"};
  target.is_stdio = true;
  target.program = ASSAY_PROGRAM;
  LaunchLimits limits;
  limits.quiet = milliseconds(500);
  limits.grace = limits.waiting_grace = milliseconds(1);
  limits.memory = std::size_t{192} << 20U;
  const auto launched = launch(target, plan_of({}), limits, {});
  ASSERT_TRUE(std::holds_alternative<LaunchReport>(launched)) << std::get<std::string>(launched);
  EXPECT_GT(std::get<LaunchReport>(launched).peak_memory, limits.memory);
}

}  // namespace
}  // namespace assay::fuzz
