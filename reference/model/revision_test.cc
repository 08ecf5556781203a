#include "reference/model/revision.h"

#include <gtest/gtest.h>

namespace assay::model {
namespace {

TEST(Revision, StandsInTheOrderOfItsEnumerators) {
  int place = 0;
  for (const Revision revision : Revision::all()) {
    EXPECT_EQ(static_cast<int>(revision.value()), place++) << revision.text();
  }
}

TEST(Revision, IsBasedOnTheOneBeforeIt) {
  EXPECT_EQ(Revision::v2024_11_05.based_on(), std::nullopt);
  EXPECT_EQ(Revision::v2025_03_26.based_on(), Revision::v2024_11_05);
  EXPECT_EQ(Revision::v2026_07_28.based_on(), Revision::v2025_11_25);
  for (const Revision revision : Revision::all()) {
    const auto base = revision.based_on();
    EXPECT_TRUE(!base || *base < revision) << revision.text();
  }
}

TEST(Revision, IsOfOneEra) {
  EXPECT_EQ(Revision::handshake().size() + Revision::stateless().size(), Revision::all().size());
  for (const Revision revision : Revision::handshake()) EXPECT_TRUE(revision.has_handshake());
  for (const Revision revision : Revision::stateless()) EXPECT_FALSE(revision.has_handshake());
}

TEST(Revision, KnowsTheNewestOfEachEra) {
  EXPECT_TRUE(Revision::newest_handshake().has_handshake());
  EXPECT_FALSE(Revision::newest_stateless().has_handshake());
  EXPECT_EQ(Revision::newest(), Revision::newest_stateless());
  for (const Revision revision : Revision::all()) EXPECT_LE(revision, Revision::newest());
}

TEST(Revision, AnswersOneOfTwoOppositeQuestions) {
  for (const Revision revision : Revision::all()) {
    EXPECT_NE(revision.has_sessions(), revision.is_stateless()) << revision.text();
    EXPECT_NE(revision.has_server_requests(), revision.asks_in_results()) << revision.text();
    EXPECT_NE(revision.has_http_sse(), revision.has_streamable_http()) << revision.text();
    const int places =
        revision.has_own_authorization_server() + revision.has_separate_authorization_servers();
    EXPECT_EQ(places, revision.has_authorization() ? 1 : 0) << revision.text();
  }
}

TEST(Revision, SatisfiesTheQuestionOfATable) {
  EXPECT_TRUE(Revision::v2025_11_25.satisfies(&Revision::has_icons));
  EXPECT_FALSE(Revision::v2025_06_18.satisfies(&Revision::has_icons));
  EXPECT_TRUE(Revision::v2025_06_18.satisfies(nullptr));
}

TEST(Revision, ReadsBackAsItIsWritten) {
  for (const Revision revision : Revision::all()) {
    EXPECT_EQ(Revision::parse(revision.text()), revision);
  }
  EXPECT_EQ(Revision::parse("2024-11-06"), std::nullopt);
  EXPECT_EQ(Revision::parse(""), std::nullopt);
}

}  // namespace
}  // namespace assay::model
