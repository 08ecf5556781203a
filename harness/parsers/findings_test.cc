#include "harness/parsers/findings.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "harness/parsers/case_maker.h"

namespace assay::harness {
namespace {

using Kind = Disagreement::Kind;

TEST(ParserFindings, KeepsTheShortestExample) {
  ParserFindings findings;
  const Disagreement comment{Kind::kAccepts, "a comment"};
  EXPECT_TRUE(findings.add(comment, "[1] // c", ""));
  EXPECT_FALSE(findings.add(comment, "[1] // longer", ""));
  EXPECT_TRUE(findings.add(comment, "[]//", ""));
  EXPECT_EQ(findings.all().at(comment).bytes, "[]//");
  EXPECT_EQ(findings.all().at(comment).seen, 3u);
}

TEST(ParserFindings, MinimizesWhileTheDisagreementHolds) {
  const auto has_comment = [](const std::string& text) {
    return text.find("//") != std::string::npos;
  };
  EXPECT_EQ(minimize(R"({"a":[1,2] // why
 })",
                     1000, has_comment),
            "//");
}

TEST(ParserFindings, AsksNoMoreOftenThanItMay) {
  std::size_t asked = 0;
  minimize(std::string(500, 'x'), 10, [&asked](const std::string&) { return ++asked > 1000; });
  EXPECT_EQ(asked, 10u);
}

TEST(ParserFindings, ShowsAnyBytesAsOneLineOfAscii) {
  EXPECT_EQ(printable_bytes("a\n\xFF\x1B[0m"), "a\\n\\xFF\\x1B[0m");
  EXPECT_EQ(printable_bytes(std::string(100, 'a'), 3), "aaa...");
}

TEST(CaseMaker, GivesTheSameCasesForTheSameSeed) {
  CaseMaker one(7);
  CaseMaker other(7);
  std::set<std::string> cases;
  for (int i = 0; i < 500; ++i) {
    const std::string text = one.next();
    EXPECT_EQ(text, other.next());
    EXPECT_LE(text.size(), 4096u);
    cases.insert(text);
  }
  EXPECT_GT(cases.size(), 450u);
}

// Each question must be able to find something: the answers of a parser that accepts everything,
// and of one that refuses everything, differ from ours in many ways.
TEST(CaseMaker, AsksAboutEveryKindOfDisagreement) {
  CaseMaker cases(1);
  std::set<std::string> accepts;
  std::set<std::string> refuses;
  for (int i = 0; i < 3000; ++i) {
    const std::string text = cases.next();
    if (const auto found = compare(text, {.accepts = true})) accepts.insert(found->what);
    if (const auto found = compare(text, {})) refuses.insert(found->what);
  }
  EXPECT_GE(accepts.size(), 20u);
  EXPECT_GE(refuses.size(), 4u);
}

}  // namespace
}  // namespace assay::harness
