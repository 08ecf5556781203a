#include "harness/catalogue/accounting.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "reference/model/extension.h"

namespace assay::catalogue {
namespace {

using model::Revision;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::filesystem::path kRoom = ASSAY_SOURCE_DIR "/harness/catalogue";
const std::filesystem::path kExtensions = ASSAY_SOURCE_DIR "/reference/model/extensions";
const std::filesystem::path kSpecification = ASSAY_SOURCE_DIR "/../shared/spec";

// A small revision of one page, and what accounts for it.
class AuditOfOnePage : public ::testing::Test {
 protected:
  AuditOfOnePage() {
    pages_["page"] = extract_page("## Rules\n\nIt **MUST** hold. It MAY rest.\n");
    first_ = pages_["page"].sentences.at(0).fingerprint;
    second_ = pages_["page"].sentences.at(1).fingerprint;
    accounts_[{"page", first_}] = {"demo.holds"};
    accounts_[{"page", second_}] = {"demo.rests"};
    add("demo.holds", reports::Level::kMust);
    add("demo.rests", reports::Level::kMay);
  }

  void add(const std::string& id, reports::Level level) {
    RequirementData entry;
    entry.id = id;
    entry.in[Revision::v2025_11_25] = {{"page", "rules"}, {}, level, "server", ""};
    requirements_.push_back(entry);
  }
  HoldingData& holding(std::size_t i) { return requirements_[i].in[Revision::v2025_11_25]; }
  std::vector<std::string> problems() {
    return audit(Revision::v2025_11_25, pages_, accounts_, requirements_).problems;
  }

  Pages pages_;
  Accounts accounts_;
  std::vector<RequirementData> requirements_;
  std::string first_;
  std::string second_;
};

TEST_F(AuditOfOnePage, FindsNothingWhenAllIsAccountedFor) {
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(AuditOfOnePage, CountsSentencesAndEntries) {
  accounts_.erase({"page", second_});
  const Audit found = audit(Revision::v2025_11_25, pages_, accounts_, requirements_);
  ASSERT_EQ(found.pages.size(), 1u);
  EXPECT_EQ(found.pages[0].sentences, 2);
  EXPECT_EQ(found.pages[0].accounted, 1);
  EXPECT_EQ(found.pages[0].entries, 1);
}

TEST_F(AuditOfOnePage, FindsASentenceWithoutARequirement) {
  accounts_.erase({"page", second_});
  EXPECT_THAT(problems(), Contains(HasSubstr(second_ + " under 'rules' has no requirement")));
}

TEST_F(AuditOfOnePage, FindsAnEntryThatNoSentenceSupports) {
  add("demo.invented", reports::Level::kMust);
  EXPECT_THAT(problems(), ElementsAre("2025-11-25 page: demo.invented stands for no sentence"));
  requirements_.back().is_implied = true;
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(AuditOfOnePage, FindsALevelThatNoSentenceHas) {
  holding(0).level = reports::Level::kShould;
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("demo.holds is a SHOULD")));
}

TEST_F(AuditOfOnePage, FindsAnAnchorThatIsNoHeading) {
  holding(0).at.anchor = "laws";
  EXPECT_THAT(problems(), Contains(HasSubstr("demo.holds names #laws, which is not a heading")));
}

TEST_F(AuditOfOnePage, FindsAHeadingWhereTheSentenceDoesNotStand) {
  pages_["page"].anchors.push_back("elsewhere");
  holding(0).at.anchor = "elsewhere";
  EXPECT_THAT(problems(), ElementsAre(HasSubstr("none of its sentences is there")));
}

TEST_F(AuditOfOnePage, FindsAPageThatDoesNotExist) {
  holding(0).at.page = "lost";
  EXPECT_THAT(problems(), Contains(HasSubstr("names this page, which does not exist")));
  EXPECT_THAT(problems(), Contains(HasSubstr("demo.holds, which does not name this page")));
}

TEST_F(AuditOfOnePage, FindsStaleFingerprintsAndUnknownIds) {
  accounts_[{"page", "0123456789"}] = {"demo.holds"};
  accounts_[{"page", first_}].push_back("demo.unknown");
  EXPECT_THAT(problems(), Contains(HasSubstr("0123456789 is no sentence of this page any more")));
  EXPECT_THAT(problems(), Contains(HasSubstr("names demo.unknown, which does not exist")));
}

TEST_F(AuditOfOnePage, FindsAnIdThatDoesNotHoldInTheRevision) {
  requirements_[0].in.clear();
  EXPECT_THAT(problems(), Contains(HasSubstr("demo.holds, which does not hold in this revision")));
}

// Two pages of a revision and of the one after it, which lost a sentence and has another.
class AccountsOfASuccessor : public ::testing::Test {
 protected:
  AccountsOfASuccessor() {
    before_["page"] = extract_page("It MUST hold. It MAY rest.");
    after_["page"] = extract_page("It MUST hold. It SHOULD sing.");
    holds_ = key(before_, 0);
    rests_ = key(before_, 1);
    sings_ = key(after_, 1);
    accounts_[holds_] = {"demo.holds"};
    accounts_[rests_] = {"demo.rests"};
  }
  static Accounts::key_type key(const Pages& pages, std::size_t i) {
    return {"page", pages.at("page").sentences.at(i).fingerprint};
  }

  Pages before_;
  Pages after_;
  Accounts accounts_;
  Accounts::key_type holds_;
  Accounts::key_type rests_;
  Accounts::key_type sings_;
};

TEST_F(AccountsOfASuccessor, AreInheritedWhileTheSentenceStands) {
  EXPECT_EQ(inherited(accounts_, before_), accounts_);
  EXPECT_EQ(inherited(accounts_, after_), (Accounts{{holds_, {"demo.holds"}}}));
  EXPECT_THAT(inherited(accounts_, {{"other", after_.at("page")}}), IsEmpty());
}

TEST_F(AccountsOfASuccessor, AreWrittenDownAsChanges) {
  const Accounts before = inherited(accounts_, after_);
  EXPECT_THAT(changes_between(before, before), IsEmpty());
  const Accounts after = {{holds_, {"demo.holds", "demo.stands"}}, {sings_, {"demo.sings"}}};
  EXPECT_EQ(changes_between(before, after), after);
  EXPECT_EQ(changed(before, after), after);
  const Accounts without = {{holds_, {}}};
  EXPECT_EQ(changes_between(before, {}), without);
  EXPECT_THAT(changed(before, without), IsEmpty());
}

// The whole specification, where it is at hand.
TEST(Accounting, EverySentenceOfEveryRevisionIsAccountedFor) {
  if (!std::filesystem::exists(kSpecification)) {
    GTEST_SKIP() << "the specification is not at hand in " << kSpecification;
  }
  const CatalogueData data = read_data(kRoom / "data", kExtensions);
  EXPECT_THAT(data.problems, IsEmpty());
  std::vector<std::string> problems;
  const std::vector<Book> books =
      read_books({kRoom / "accounting", kExtensions}, kSpecification, problems);
  EXPECT_THAT(problems, IsEmpty());
  const auto all = model::extensions();
  const auto at_hand = std::count_if(all.begin(), all.end(), [](const model::Extension& extension) {
    return is_at_hand(extension, kSpecification);
  });
  EXPECT_EQ(books.size(), Revision::all().size() + static_cast<std::size_t>(at_hand));
  for (const Book& book : books) {
    const Audit found =
        audit(book.revision, book.pages, book.accounts, requirements_of(book, data.requirements));
    EXPECT_THAT(found.problems, IsEmpty());
    EXPECT_FALSE(found.pages.empty());
    fmt::print("{:<60} {:>9} {:>9} {:>7}\n", book.label(), "sentences", "accounted", "entries");
    for (const PageCount& page : found.pages) {
      fmt::print("  {:<58} {:>9} {:>9} {:>7}\n", page.page, page.sentences, page.accounted,
                 page.entries);
    }
  }
}

}  // namespace
}  // namespace assay::catalogue
