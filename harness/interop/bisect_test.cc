// Finding the first version that fails.
#include "harness/interop/bisect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace assay::harness {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> kVersions = {"1.0.0", "1.1.0", "1.2.0", "1.3.0",
                                            "1.4.0", "1.5.0", "1.6.0"};

bool goes_on() {
  return false;
}

Bisection first_bad_is(const std::string& bad, const std::vector<std::string>& untold = {}) {
  return bisect(
      kVersions,
      [&](const std::string& version) -> std::optional<bool> {
        if (std::find(untold.begin(), untold.end(), version) != untold.end()) return std::nullopt;
        return version < bad;
      },
      goes_on);
}

TEST(Bisect, FindsTheFirstVersionThatFails) {
  for (std::size_t i = 1; i < kVersions.size(); ++i) {
    const Bisection found = first_bad_is(kVersions[i]);
    EXPECT_EQ(found.first_bad, kVersions[i]);
    EXPECT_EQ(found.last_good, kVersions[i - 1]);
    EXPECT_LE(found.tried.size(), 5u);
  }
}

TEST(Bisect, SaysWhereAllFail) {
  const Bisection found = first_bad_is("0.9.0");
  EXPECT_EQ(found.last_good, "");
  EXPECT_EQ(found.first_bad, "1.0.0");
}

TEST(Bisect, PassesOverWhatCannotBeTold) {
  const Bisection found = first_bad_is("1.4.0", {"1.0.0", "1.3.0"});
  EXPECT_EQ(found.last_good, "1.2.0");
  EXPECT_EQ(found.first_bad, "1.4.0");
}

TEST(Bisect, EndsWhereNothingCanBeTold) {
  const Bisection found = first_bad_is("1.4.0", kVersions);
  EXPECT_EQ(found.last_good, "");
  EXPECT_EQ(found.first_bad, "");
}

// Otherwise the last version would be blamed for what it does not do.
TEST(Bisect, FindsNothingWhereTheLastVersionWorks) {
  const Bisection found = first_bad_is("9.0.0");
  EXPECT_EQ(found.first_bad, "");
  ASSERT_EQ(found.tried.size(), 1u);
  EXPECT_EQ(found.tried.front().version, "1.6.0");
  EXPECT_EQ(found.tried.front().works, true);
}

TEST(Bisect, EndsWhenItIsStopped) {
  int tries = 0;
  const Bisection found = bisect(
      kVersions,
      [&](const std::string&) -> std::optional<bool> {
        ++tries;
        return false;
      },
      [&] { return tries > 0; });
  EXPECT_EQ(tries, 1);
  EXPECT_EQ(found.first_bad, "1.6.0");
}

TEST(Releases, AreThoseUpToTheOneThatFails) {
  const std::vector<std::string> published = {"1.0.0", "1.1.0-beta.1", "1.1.0", "1.2.0", "2.0.0"};
  EXPECT_THAT(releases_between(published, "", "1.2.0"), ElementsAre("1.0.0", "1.1.0", "1.2.0"));
  EXPECT_THAT(releases_between(published, "1.1.0", "2.0.0"),
              ElementsAre("1.1.0", "1.2.0", "2.0.0"));
  EXPECT_THAT(releases_between(published, "", "9.9.9"), IsEmpty());
  EXPECT_THAT(releases_between(published, "1.2.0", "1.1.0"), IsEmpty());
}

}  // namespace
}  // namespace assay::harness
