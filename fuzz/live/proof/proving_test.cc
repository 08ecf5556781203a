// What is kept of what was not proved.
#include "fuzz/live/proof/proving.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fuzz/live/target/pipe_target_testing.h"

namespace assay::fuzz {
namespace {

TEST(Unproved, HasRoomForAProcessThatDied) {
  const harness::TargetAccess access = over_pipe(nullptr);
  const Vocabulary words;
  Prober prober(access, words, {}, {});
  Proving proving({prober});
  const auto note = [&](Oracle oracle, std::size_t number) {
    proving.note_unproved({oracle, fmt::format("number {}", number), "It did"}, {}, "", 1, false);
  };
  for (std::size_t i = 0; i < kMostUnproved + 5; ++i) note(Oracle::kMissing, i);
  ASSERT_EQ(proving.unproved().size(), kMostUnproved);
  const auto fails = [&] {
    return std::any_of(proving.unproved().begin(), proving.unproved().end(), counts);
  };
  EXPECT_FALSE(fails());
  note(Oracle::kCrash, 1);
  EXPECT_EQ(proving.unproved().size(), kMostUnproved);
  EXPECT_TRUE(fails());
}

}  // namespace
}  // namespace assay::fuzz
