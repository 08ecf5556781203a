#include "harness/catalogue/data_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace assay::catalogue {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kGood = R"(- id: demo.first
  summary: A demonstration holds.
  level: SHOULD
  subject: server
  transport: any
  observe: active
  unexercised: nothing of the kind came
  in:
    2024-11-05: server/tools#error-handling
    2025-11-25: {at: "server/tools#errors", also: ["schema#tool"], level: MUST, note: "stronger"}
)";

class DataReader : public ::testing::Test {
 protected:
  DataReader()
      : folder_(std::filesystem::path(::testing::TempDir()) /
                ("catalogue-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~DataReader() override { std::filesystem::remove_all(folder_); }

  CatalogueData read(const std::string& text) {
    std::ofstream(folder_ / "demo.yaml") << text;
    return read_data(folder_);
  }
  // kGood with one passage replaced.
  CatalogueData read_with(const std::string& old_text, const std::string& new_text) {
    std::string text = kGood;
    const std::size_t at = text.find(old_text);
    EXPECT_NE(at, std::string::npos);
    return read(text.replace(at, old_text.size(), new_text));
  }

  std::filesystem::path folder_;
};

TEST_F(DataReader, ReadsWhatIsAboutTheStatusAlone) {
  EXPECT_FALSE(read(kGood).requirements.at(0).is_about_status);
  const CatalogueData marked = read_with("  in:\n", "  about: status\n  in:\n");
  EXPECT_THAT(marked.problems, IsEmpty());
  EXPECT_TRUE(marked.requirements.at(0).is_about_status);
  EXPECT_THAT(read_with("  in:\n", "  about: body\n  in:\n").problems,
              ElementsAre("demo.yaml: demo.first: 'about' is status or left out"));
}

TEST_F(DataReader, ReadsLevelsPlacesAndNotesOfEachRevision) {
  const CatalogueData data = read(kGood);
  EXPECT_THAT(data.problems, IsEmpty());
  ASSERT_EQ(data.requirements.size(), 1u);
  const RequirementData& entry = data.requirements.front();
  EXPECT_EQ(entry.id, "demo.first");
  const HoldingData& old = entry.in.at(model::Revision::v2024_11_05);
  EXPECT_EQ(old.level, reports::Level::kShould);
  EXPECT_EQ(old.at.page, "server/tools");
  EXPECT_EQ(old.at.anchor, "error-handling");
  const HoldingData& recent = entry.in.at(model::Revision::v2025_11_25);
  EXPECT_EQ(recent.level, reports::Level::kMust);
  EXPECT_EQ(recent.note, "stronger");
  ASSERT_EQ(recent.also.size(), 1u);
  EXPECT_EQ(recent.also.front().page, "schema");
}

// Each extension is a folder with statements of its own, in an area of its own.
TEST_F(DataReader, ReadsTheStatementsOfExtensions) {
  const std::filesystem::path folder = folder_ / "extensions" / "tasks";
  std::filesystem::create_directories(folder);
  std::string text = kGood;
  const auto replace = [&text](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("demo.first", "ext-tasks.first");
  const auto write = [&] { std::ofstream(folder / "statements.yaml") << text; };
  write();
  const CatalogueData early = read_data(folder_, folder_ / "extensions");
  EXPECT_THAT(early.problems, Contains("ext-tasks.yaml: ext-tasks.first: the extension does not "
                                       "extend 2024-11-05"));
  text = text.substr(0, text.find("  in:")) + "  in:\n    2026-07-28: tasks#polling\n";
  write();
  const CatalogueData data = read_data(folder_, folder_ / "extensions");
  EXPECT_THAT(data.problems, IsEmpty());
  ASSERT_EQ(data.requirements.size(), 1u);
  EXPECT_EQ(data.requirements.front().extension, "tasks");
  std::filesystem::rename(folder, folder_ / "extensions" / "unknown");
  EXPECT_THAT(read_data(folder_, folder_ / "extensions").problems,
              ElementsAre("extensions/unknown: no tables.cc names it"));
}

TEST_F(DataReader, ARevisionIsAsTheOneThatItIsBasedOn) {
  const CatalogueData data = read(kGood);
  const auto& in = data.requirements.at(0).in;
  EXPECT_EQ(in.size(), model::Revision::all().size());
  EXPECT_EQ(in.at(model::Revision::v2025_06_18), in.at(model::Revision::v2024_11_05));
  EXPECT_EQ(in.at(model::Revision::newest()), in.at(model::Revision::v2025_11_25));
  EXPECT_THAT(read_with("  in:\n", "  in:\n    2024-11-05: server/tools#error-handling\n").problems,
              ElementsAre("demo.yaml: demo.first: names 2024-11-05 twice"));
}

TEST_F(DataReader, PlacesInTheListOfChangesAreOfOneRevision) {
  const auto also = read_with("schema#tool", "changelog#major-changes").requirements.at(0).in;
  EXPECT_EQ(also.at(model::Revision::v2025_11_25).also.size(), 1u);
  EXPECT_THAT(also.at(model::Revision::v2026_07_28).also, IsEmpty());
  const auto alone =
      read_with("server/tools#errors", "changelog#major-changes").requirements.at(0).in;
  EXPECT_TRUE(alone.contains(model::Revision::v2025_11_25));
  EXPECT_FALSE(alone.contains(model::Revision::v2026_07_28));
}

TEST_F(DataReader, AStatementMayBeginLateEndAndComeBack) {
  const CatalogueData data =
      read_with("2024-11-05: server/tools#error-handling",
                "2025-03-26: server/tools#error-handling\n    2025-06-18: gone");
  EXPECT_THAT(data.problems, IsEmpty());
  const auto& in = data.requirements.at(0).in;
  EXPECT_FALSE(in.contains(model::Revision::v2024_11_05));
  EXPECT_TRUE(in.contains(model::Revision::v2025_03_26));
  EXPECT_FALSE(in.contains(model::Revision::v2025_06_18));
  EXPECT_EQ(in.at(model::Revision::v2025_11_25).level, reports::Level::kMust);
  EXPECT_TRUE(in.contains(model::Revision::newest()));
}

TEST_F(DataReader, RefusesLinesThatChangeNothing) {
  EXPECT_THAT(read_with("05: server/tools#error-handling", "05: gone").problems,
              ElementsAre("demo.yaml: demo.first: is gone in 2024-11-05, but did not hold before"));
  const std::string repeated = "server/tools#error-handling\n    2025-03-26: ";
  EXPECT_THAT(
      read_with("server/tools#error-handling", repeated + "server/tools#error-handling").problems,
      ElementsAre("demo.yaml: demo.first: says of 2025-03-26 what holds there anyway: leave "
                  "the line out"));
  EXPECT_THAT(read_with("  in:\n", "  in:\n    2025-06-18: server/tools#\n").problems,
              ElementsAre("demo.yaml: demo.first: names 2024-11-05 after a later revision"));
}

TEST_F(DataReader, ARevisionMayNameItsOwnSubject) {
  const CatalogueData data = read_with("level: MUST,", "level: MUST, subject: client,");
  EXPECT_THAT(data.problems, IsEmpty());
  ASSERT_EQ(data.requirements.size(), 1u);
  const auto& in = data.requirements.front().in;
  EXPECT_EQ(in.at(model::Revision::v2024_11_05).subject, "server");
  EXPECT_EQ(in.at(model::Revision::v2025_11_25).subject, "client");
  EXPECT_NE(digest(data.requirements), digest(read(kGood).requirements));
  EXPECT_THAT(read_with("level: MUST,", "level: MUST, subject: nobody,").problems, SizeIs(1));
}

TEST_F(DataReader, NamesFileAndIdOfEachMistake) {
  EXPECT_THAT(read_with("level: SHOULD", "level: SHUOLD").problems,
              Contains("demo.yaml: demo.first: unknown level 'SHUOLD'"));
  EXPECT_THAT(read_with("2024-11-05", "2024-11-06").problems,
              ElementsAre("demo.yaml: demo.first: unknown revision '2024-11-06'"));
  EXPECT_THAT(read_with("#error-handling", "").problems,
              ElementsAre("demo.yaml: demo.first: 'server/tools' is not page#anchor "
                          "('page#' is the page's top)"));
  EXPECT_THAT(read_with("observe: active", "observe: no").problems,
              ElementsAre("demo.yaml: demo.first: observe: no needs a reason"));
  EXPECT_THAT(read_with("demo.first", "other.first").problems,
              ElementsAre("demo.yaml: other.first: the id must begin with 'demo.'"));
  EXPECT_THAT(read_with("  level:", "  levle:").problems,
              Contains("demo.yaml: demo.first: unknown key 'levle'"));
  EXPECT_THAT(read_with("transport: any", "transport: any\n  capability: teleport").problems,
              ElementsAre("demo.yaml: demo.first: unknown capability 'teleport'"));
}

TEST_F(DataReader, KnowsWhatFollowsFromAWholeSection) {
  EXPECT_FALSE(read(kGood).requirements.front().is_implied);
  EXPECT_TRUE(read_with("  in:", "  implied: true\n  in:").requirements.front().is_implied);
  EXPECT_THAT(read_with("  in:", "  implied: no\n  in:").problems,
              ElementsAre("demo.yaml: demo.first: 'implied' is true or left out"));
}

TEST_F(DataReader, KnowsTheSideThatCannotBeWatched) {
  const CatalogueData data =
      read_with("subject: server", "subject: both\n  unseen: {server: why not}");
  EXPECT_THAT(data.problems, IsEmpty());
  EXPECT_EQ(data.requirements.front().unseen_of_server, "why not");
  EXPECT_EQ(data.requirements.front().unseen_of_client, "");
  EXPECT_NE(digest(data.requirements),
            digest(read_with("subject: server", "subject: both").requirements));
  EXPECT_THAT(read_with("subject: server", "subject: server\n  unseen: {server: why}").problems,
              ElementsAre("demo.yaml: demo.first: 'unseen' is for one side of what binds both and "
                          "can be observed"));
}

TEST_F(DataReader, KnowsWhichPartOfARuleIsJudged) {
  const CatalogueData data =
      read_with("  in:", "  judged: part\n  part: the first half only\n  in:");
  EXPECT_THAT(data.problems, IsEmpty());
  EXPECT_EQ(data.requirements.front().part_judged, "the first half only");
  EXPECT_NE(digest(data.requirements), digest(read(kGood).requirements));
}

TEST_F(DataReader, RefusesAPartWithoutWords) {
  const auto go_together = ElementsAre(
      "demo.yaml: demo.first: 'judged: part' and 'part', which says what is judged, go together");
  EXPECT_THAT(read_with("  in:", "  judged: part\n  in:").problems, go_together);
  EXPECT_THAT(read_with("  in:", "  part: the first half only\n  in:").problems, go_together);
  EXPECT_THAT(read_with("  in:", "  judged: whole\n  in:").problems,
              ElementsAre("demo.yaml: demo.first: 'judged' is part or left out"));
  EXPECT_THAT(
      read_with("observe: active", "observe: no\n  reason: hidden\n  judged: part\n  part: half")
          .problems,
      ElementsAre(
          "demo.yaml: demo.first: a statement that cannot be observed is not judged in part"));
}

TEST_F(DataReader, KnowsWhyARuleMayNotHaveBeenExercised) {
  constexpr const char* kWhy = "  unexercised: nothing of the kind came\n";
  constexpr const char* kDefaults =
      "- defaults:\n    unexercised: no list came\n    hint: a longer list\n";
  const RequirementData own = read(std::string(kDefaults) + kGood).requirements.front();
  EXPECT_EQ(own.unexercised, "nothing of the kind came");
  EXPECT_EQ(own.hint, "");
  std::string silent = kGood;
  silent.erase(silent.find(kWhy), std::string_view(kWhy).size());
  const CatalogueData data = read(kDefaults + silent);
  EXPECT_THAT(data.problems, IsEmpty());
  EXPECT_EQ(data.requirements.front().unexercised, "no list came");
  EXPECT_EQ(data.requirements.front().hint, "a longer list");
  EXPECT_THAT(read(silent).problems,
              ElementsAre("demo.yaml: demo.first: lacks 'unexercised': why it may not have been "
                          "exercised"));
  EXPECT_THAT(read(std::string(kGood) + kDefaults).problems,
              ElementsAre("demo.yaml: 'defaults' stands alone, and before every entry"));
  EXPECT_THAT(
      read_with("nothing of the kind came", "Nothing came.").problems,
      ElementsAre("demo.yaml: demo.first: 'unexercised' and 'hint' are parts of sentences"));
}

TEST_F(DataReader, RefusesAnIdThatStandsTwice) {
  EXPECT_THAT(read(std::string(kGood) + kGood).problems, ElementsAre("demo.first: stands twice"));
}

TEST_F(DataReader, ReportsTextThatIsNoYaml) {
  EXPECT_EQ(read("- id: [").problems.size(), 1u);
  EXPECT_EQ(read("id: demo.first").problems.size(), 1u);
}

TEST_F(DataReader, DigestFollowsWhatIsSaidAndNotHowItIsWritten) {
  const std::string digest_of_good = digest(read(kGood).requirements);
  EXPECT_EQ(digest(read(std::string("# a comment\n") + kGood).requirements), digest_of_good);
  EXPECT_NE(digest(read_with("holds.", "must hold.").requirements), digest_of_good);
  EXPECT_NE(digest(read_with("SHOULD", "MAY").requirements), digest_of_good);
}

}  // namespace
}  // namespace assay::catalogue
