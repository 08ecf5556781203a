#include "harness/cli/transcript_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/frame/command.h"

namespace assay::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TranscriptWriterTest : public ::testing::Test {
 protected:
  ~TranscriptWriterTest() override { std::filesystem::remove(path_); }

  std::string written() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }

  static std::vector<harness::EventPtr> events_of(const std::vector<std::string>& texts,
                                                  harness::KeptObservation::Kind kind) {
    harness::Transcript transcript;
    for (const std::string& text : texts) {
      transport::Observation observation;
      observation.kind = kind;
      observation.bytes = text;
      transcript.observe(observation);
    }
    return transcript.events();
  }

  const std::string path_ = ::testing::TempDir() + "assay_transcript_writer_test_" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const std::shared_ptr<reports::Vault> vault_ = std::make_shared<reports::Vault>();
};

using Kind = harness::KeptObservation::Kind;

TEST_F(TranscriptWriterTest, KeepsWhatPassed) {
  TranscriptWriter writer(path_, vault_);
  writer.write("2025-11-25 stdio", "a_scenario", events_of({"one", "two"}, Kind::kLine));
  EXPECT_EQ(writer.finish(), std::nullopt);
  EXPECT_THAT(written(), HasSubstr(R"("scenario":"a_scenario")"));
  EXPECT_THAT(written(), HasSubstr(R"("bytes":"two")"));
}

TEST_F(TranscriptWriterTest, HidesSecretsInEveryFormOfText) {
  vault_->add("p\"ss-word-4711");
  TranscriptWriter writer(path_, vault_);
  writer.write("r", "s",
               events_of({R"({"a":"p\"ss-word-4711"})", "\xff p\"ss-word-4711"}, Kind::kLine));
  writer.write("r", "s", events_of({"key p\"ss-wo", "rd-4711 is wrong"}, Kind::kStderr));
  EXPECT_EQ(writer.finish(), std::nullopt);
  EXPECT_THAT(written(), Not(HasSubstr("4711")));
  EXPECT_THAT(written(), Not(HasSubstr("ss-wo")));
  // "\xff token#1" in base64.
  EXPECT_THAT(written(), HasSubstr("/yB0b2tlbiMx"));
}

TEST_F(TranscriptWriterTest, SaysWhatItLeavesOut) {
  TranscriptWriter writer(path_, vault_, 400);
  for (int i = 0; i < 3; ++i) writer.write("r", "s", events_of({"one", "two"}, Kind::kLine));
  const auto problem = writer.finish();
  ASSERT_TRUE(problem);
  EXPECT_THAT(*problem, HasSubstr("lacks its last"));
  EXPECT_LE(std::filesystem::file_size(path_), 600u);
  EXPECT_THAT(written(), HasSubstr("left_out"));
}

TEST_F(TranscriptWriterTest, SaysWhenTheDiskIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  TranscriptWriter writer("/dev/full", vault_);
  writer.write("r", "s", events_of({"one"}, Kind::kLine));
  const auto problem = writer.finish();
  ASSERT_TRUE(problem);
  EXPECT_THAT(*problem, HasSubstr("could not be written whole: No space left"));
}

TEST_F(TranscriptWriterTest, RefusesAPathThatCannotBeWritten) {
  EXPECT_THROW(TranscriptWriter("/nowhere/at/all", vault_), UsageError);
}

}  // namespace
}  // namespace assay::cli
