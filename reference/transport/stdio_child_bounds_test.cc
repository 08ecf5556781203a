// What a child may make us hold, and wait for: none of it has no end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>

#include "reference/transport/recorder_testing.h"
#include "reference/transport/stdio_child_testing.h"

namespace assay::transport {
namespace {

using std::chrono::milliseconds;

TEST(StdioChildBounds, NeverBlocksOnAChildThatDoesNotRead) {
  Recorder recorder;
  StdioOptions options = shell("echo $$; exec sleep 60");
  options.limits.max_unsent_bytes = 1 << 20;
  options.exit_grace = options.terminate_grace = milliseconds(20);
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  const std::string message(300000, 'x');
  for (int i = 0; i < 8; ++i) child.send(message);
  const auto cut_off = recorder.wait_for(Observation::Kind::kCutOff);
  ASSERT_TRUE(cut_off);
  EXPECT_THAT(cut_off->bytes, testing::HasSubstr("unread"));
  child.close(test_deadline());
}

// Whoever judges would take it for the child's doing otherwise.
TEST(StdioChildBounds, DoesNotCallItBrokenWhereItHasNoMemoryToSend) {
  Recorder recorder;
  StdioOptions options = shell("cat");
  options.limits.budget = wire::BudgetPtr(new wire::Budget(1000));
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  child.send(std::string(2000, 'x'));
  const auto cut_off = recorder.wait_for(Observation::Kind::kCutOff);
  ASSERT_TRUE(cut_off);
  EXPECT_THAT(cut_off->bytes, testing::HasSubstr("no memory left"));
  EXPECT_EQ(recorder.all().size(), 1u);
  child.close(test_deadline());
}

TEST(StdioChildBounds, TakesAHugeLineWholeAndCutsOneBeyondTheLimit) {
  Recorder recorder;
  StdioOptions options = shell("cat");
  options.limits.max_line_bytes = 4 << 20;
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  const std::string fits(4 << 20, 'a');
  child.send(fits);
  ASSERT_TRUE(recorder.wait_for_line(fits));
  child.send(fits + "b");
  const auto cut = recorder.wait_for(
      [](const Observation& seen) { return seen.speaker == Party::kServer && seen.is_truncated; });
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->bytes.size(), kShownOfTooLarge);
  const auto end = recorder.wait_for(Observation::Kind::kCutOff);
  ASSERT_TRUE(end);
  EXPECT_THAT(end->bytes, testing::HasSubstr("longer than 4194304 bytes"));
}

TEST(StdioChildBounds, CutsAnEndlessLineOff) {
  Recorder recorder;
  StdioOptions options = shell("cat /dev/zero");
  options.limits.max_line_bytes = 1 << 20;
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  ASSERT_TRUE(recorder.wait_for(Observation::Kind::kCutOff));
  ASSERT_TRUE(recorder.wait_for(Observation::Kind::kExit));
}

TEST(StdioChildBounds, HoldsNoMoreOfALineThanTheBudgetHas) {
  Recorder recorder;
  StdioOptions options = shell("cat /dev/zero");
  options.limits.budget = wire::BudgetPtr(new wire::Budget(1 << 20));
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  const auto end = recorder.wait_for(Observation::Kind::kCutOff);
  ASSERT_TRUE(end);
  EXPECT_THAT(end->bytes, testing::HasSubstr("than there is memory left for"));
}

// Takes so many lines, and no more.
class SmallRecorder : public Recorder {
 public:
  void observe(const Observation& observation) override {
    Recorder::observe(observation);
    if (observation.kind == Observation::Kind::kLine) is_full_ = true;
  }
  bool is_full() const override { return is_full_; }

 private:
  std::atomic<bool> is_full_{false};
};

TEST(StdioChildBounds, ReadsNoMoreOnceTheObserverIsFull) {
  SmallRecorder recorder;
  StdioChild child(shell("exec yes"), recorder);
  ASSERT_FALSE(child.open());
  // Who writes to a pipe that nobody reads is ended by the system.
  const auto exit = recorder.wait_for(Observation::Kind::kExit);
  ASSERT_TRUE(exit);
  EXPECT_FALSE(exit->exit->was_killed_by_us);
}

TEST(StdioChildBounds, StopsReadingAnEndlessFlood) {
  Recorder recorder;
  StdioOptions options = shell("yes; exec sleep 60");
  options.limits.max_stdout_bytes = 1 << 16;
  options.exit_grace = milliseconds(20);
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  ASSERT_TRUE(recorder.wait_for(Observation::Kind::kCutOff));
  child.close(test_deadline());
  EXPECT_LT(recorder.all().size(), 200000u);
}

TEST(StdioChildBounds, KeepsOnlyTheTailOfEndlessStderr) {
  Recorder recorder;
  StdioOptions options = shell("yes noise | head -c 3000000 >&2; echo last words >&2; echo done");
  StdioChild child(options, recorder);
  ASSERT_FALSE(child.open());
  ASSERT_TRUE(recorder.wait_for(Observation::Kind::kExit));
  EXPECT_LE(child.stderr_tail().size(), options.limits.max_stderr_tail_bytes);
  EXPECT_THAT(child.stderr_tail(), testing::EndsWith("last words\n"));
  std::size_t observed = 0;
  for (const Observation& seen : recorder.all()) {
    if (seen.kind == Observation::Kind::kStderr) observed += seen.bytes.size();
  }
  EXPECT_EQ(observed, options.limits.max_stderr_observed_bytes);
}

}  // namespace
}  // namespace assay::transport
