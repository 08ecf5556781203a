#include "harness/catalogue/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/catalogue/requirement_id.h"

namespace assay::catalogue {
namespace {

using model::Revision;

template <std::size_t N>
struct Literal {
  char text[N];
  consteval Literal(const char (&literal)[N]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(literal, N, text);
  }
};

// True when RequirementId can be made from the literal, so that tests can ask what would not
// compile.
template <Literal literal>
concept Compiles = requires {
  typename std::bool_constant<(RequirementId(literal.text), true)>;
};

static_assert(Compiles<"lifecycle.version-supported-echo">);
static_assert(!Compiles<"lifecycle.no-such-requirement">);
static_assert(!Compiles<"">);

TEST(Catalogue, IsSortedById) {
  EXPECT_FALSE(all().empty());
  EXPECT_TRUE(std::is_sorted(all().begin(), all().end(),
                             [](const auto& a, const auto& b) { return a.id < b.id; }));
}

TEST(Catalogue, FindsEveryRequirementByItsId) {
  for (const Requirement& requirement : all()) EXPECT_EQ(find(requirement.id), &requirement);
  EXPECT_EQ(find("lifecycle.no-such-requirement"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(Catalogue, KnowsTheLevelOfEachRevision) {
  const Requirement* const requirement = find("lifecycle.respects-negotiated-version");
  ASSERT_NE(requirement, nullptr);
  EXPECT_EQ(requirement->level_in(Revision::v2025_03_26), Level::kShould);
  EXPECT_EQ(requirement->level_in(Revision::v2025_06_18), Level::kMust);
  EXPECT_TRUE(requirement->holds_in(Revision::v2025_11_25));
  EXPECT_FALSE(requirement->holds_in(Revision::v2026_07_28));
  EXPECT_EQ(requirement->level_in(Revision::v2026_07_28), std::nullopt);
}

TEST(Catalogue, KnowsWhomEachRevisionObliges) {
  const Requirement* const requirement = find("progress.token-unique");
  ASSERT_NE(requirement, nullptr);
  EXPECT_EQ(requirement->subject_in(Revision::v2025_11_25), Subject::kBoth);
  EXPECT_TRUE(requirement->binds_server_in(Revision::v2025_11_25));
  EXPECT_TRUE(requirement->binds_client_in(Revision::v2026_07_28));
  EXPECT_FALSE(requirement->binds_server_in(Revision::v2026_07_28));

  const Requirement* const dated = find("ping.answered");
  ASSERT_NE(dated, nullptr);
  EXPECT_FALSE(dated->binds_server_in(Revision::v2026_07_28));
}

TEST(Catalogue, LinksToTheHeadingOfEachRevision) {
  const Requirement* const requirement = find("lifecycle.version-supported-echo");
  ASSERT_NE(requirement, nullptr);
  EXPECT_EQ(requirement->link(Revision::v2025_11_25),
            "https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle"
            "#version-negotiation");
  EXPECT_EQ(requirement->link(Revision::v2026_07_28), "");
}

TEST(Catalogue, LinksToIndexPagesAsTheSiteServesThem) {
  const Holding holding{Revision::v2025_11_25, Level::kMust, "basic/index", "requests", ""};
  const Holding top{Revision::v2025_06_18, Level::kMust, "index", "", ""};
  const Holding both[] = {top, holding};
  Requirement requirement = all().front();
  requirement.in = both;
  EXPECT_EQ(requirement.link(Revision::v2025_11_25),
            "https://modelcontextprotocol.io/specification/2025-11-25/basic#requests");
  EXPECT_EQ(requirement.link(Revision::v2025_06_18),
            "https://modelcontextprotocol.io/specification/2025-06-18");
}

TEST(Catalogue, LinksToThePageOfAnExtension) {
  const Requirement* const requirement = find("ext-tasks.create-result-type");
  ASSERT_NE(requirement, nullptr);
  EXPECT_EQ(requirement->extension, "tasks");
  EXPECT_EQ(requirement->link(Revision::v2026_07_28),
            "https://modelcontextprotocol.github.io/ext-tasks/specification/2026-07-28/tasks.html"
            "#polymorphic-results");
  EXPECT_EQ(requirement->link(Revision::v2025_11_25), "");
}

TEST(Catalogue, NamesItsContent) {
  EXPECT_FALSE(version().empty());
  EXPECT_TRUE(digest().starts_with("sha256:"));
  EXPECT_EQ(digest().size(), std::string_view("sha256:").size() + 64);
}

TEST(Catalogue, SubjectsReadBackAsTheyAreWritten) {
  for (const Subject subject : all_subjects()) EXPECT_EQ(parse_subject(name(subject)), subject);
  EXPECT_EQ(parse_subject("nobody"), std::nullopt);
}

TEST(RequirementId, IsFoundByTextKnownOnlyAtRunTime) {
  const auto id = RequirementId::find("lifecycle.version-supported-echo");
  ASSERT_TRUE(id.has_value());
  EXPECT_EQ(*id, RequirementId("lifecycle.version-supported-echo"));
  EXPECT_EQ(id->text(), "lifecycle.version-supported-echo");
  EXPECT_FALSE(RequirementId::find("zzz.zzz").has_value());
}

TEST(RequirementId, ListsTheSameIdsAsTheCatalogue) {
  ASSERT_EQ(kRequirementIds.size(), all().size());
  for (std::size_t i = 0; i < all().size(); ++i) EXPECT_EQ(kRequirementIds[i], all()[i].id);
}

TEST(Catalogue, KnowsInWhichRevisionsARuleHolds) {
  EXPECT_FALSE(holds("authorization.own-tokens-only", model::Revision::v2025_06_18));
  EXPECT_TRUE(holds("authorization.own-tokens-only", model::Revision::v2025_11_25));
}

}  // namespace
}  // namespace assay::catalogue
