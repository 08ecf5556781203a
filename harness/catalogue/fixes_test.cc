#include "harness/catalogue/fixes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "harness/catalogue/catalogue.h"

namespace assay::catalogue {
namespace {

TEST(Fixes, AreOneSentenceForEachRuleThatTheyName) {
  std::string_view rest = all_fixes();
  std::string_view previous;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string_view::npos) << line;
    const std::string_view id = line.substr(0, tab);
    const std::string_view sentence = line.substr(tab + 1);
    EXPECT_NE(find(id.substr(0, id.find('@'))), nullptr) << id;
    EXPECT_LT(previous, id) << "sorted, and each once";
    EXPECT_TRUE(sentence.ends_with('.')) << line;
    EXPECT_EQ(sentence.find('\t'), std::string_view::npos) << line;
    EXPECT_EQ(fix_of(id), sentence);
    previous = id;
  }
}

// Where the rule holds in both eras, there may be no `initialize` to put anything into.
TEST(Fixes, FitBothErasWhereTheirRuleHoldsInBoth) {
  for (const Requirement& rule : all()) {
    const auto holds_with = [&](bool has_handshake) {
      return std::any_of(rule.in.begin(), rule.in.end(), [&](const Holding& holding) {
        return holding.revision.has_handshake() == has_handshake;
      });
    };
    if (!holds_with(true) || !holds_with(false)) continue;
    EXPECT_EQ(fix_of(rule.id).find("initialize"), std::string_view::npos) << rule.id;
    EXPECT_EQ(fix_of(rule.id).find("session"), std::string_view::npos) << rule.id;
  }
}

TEST(Fixes, BelongToTheRequestThatShowsTheBreach) {
  const std::string_view rule = "resources.uris-validated";
  EXPECT_NE(fix_of(rule, "resources/read", true).find("uri of resources/read"),
            std::string_view::npos);
  EXPECT_NE(fix_of(rule, "resources/subscribe", true).find("uri of resources/subscribe"),
            std::string_view::npos);
  EXPECT_EQ(fix_of("ping.empty-result", "ping", false), fix_of("ping.empty-result"));
  // The fix for a request that was wrong on purpose says to refuse it.
  for (const char* about : {"lifecycle.initialize-result", "schema.initialize-result"}) {
    EXPECT_TRUE(fix_of(about, "initialize", true).starts_with("Refuse ")) << about;
    EXPECT_FALSE(fix_of(about, "initialize", false).starts_with("Refuse ")) << about;
  }
}

TEST(Fixes, AreEmptyForWhatHasNone) {
  EXPECT_EQ(fix_of("tools.human-in-the-loop"), "");
  EXPECT_EQ(fix_of("no.such-rule"), "");
  EXPECT_EQ(fix_of("tools"), "");
}

}  // namespace
}  // namespace assay::catalogue
