#include "harness/parsers/pipe_parser.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay::harness {
namespace {

using namespace std::chrono_literals;
using End = PipeParser::End;

std::vector<std::string> shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

PipeParser::Round ask(const std::string& script, std::vector<std::string> texts,
                      std::chrono::milliseconds patience = 10s) {
  PipeParser parser(shell(script), patience);
  EXPECT_EQ(parser.start(), std::nullopt);
  return parser.ask(texts);
}

TEST(PipeParser, ReadsAnswers) {
  EXPECT_FALSE(read_answer("refuse")->accepts);
  EXPECT_FALSE(read_answer("refuse because")->accepts);
  EXPECT_TRUE(read_answer("accept")->accepts);
  EXPECT_EQ(read_answer("accept [1]")->canonical, "[1]");
  for (const char* damaged : {"", "accepted", "refused", "ACCEPT", " accept", "yes"}) {
    EXPECT_FALSE(read_answer(damaged)) << damaged;
  }
}

TEST(PipeParser, AsksInBase64AndKeepsTheOrder) {
  const auto round =
      ask(R"(while read -r line; do echo "accept \"$line\""; done)", {"[1]", "", "\xFF"});
  EXPECT_EQ(round.end, End::kAll);
  ASSERT_EQ(round.answers.size(), 3u);
  EXPECT_EQ(round.answers[0].canonical, "\"WzFd\"");
  EXPECT_EQ(round.answers[1].canonical, "\"\"");
  EXPECT_EQ(round.answers[2].canonical, "\"/w==\"");
}

TEST(PipeParser, TellsWhichQuestionEndedTheParser) {
  const auto round = ask("read -r a; echo refuse; read -r b; exit 3", {"1", "2", "3"});
  EXPECT_EQ(round.end, End::kExited);
  EXPECT_EQ(round.answers.size(), 1u);
  EXPECT_EQ(round.detail, "it ended with status 3");
}

TEST(PipeParser, GivesUpOnAParserThatDoesNotAnswer) {
  const auto round = ask("read -r a; echo refuse; read -r b; read -r never", {"1", "2"}, 200ms);
  EXPECT_EQ(round.end, End::kHung);
  EXPECT_EQ(round.answers.size(), 1u);
}

TEST(PipeParser, RefusesADamagedAnswer) {
  const auto round = ask("read -r a; printf 'may\\033be\\n'", {"1"});
  EXPECT_EQ(round.end, End::kDamaged);
  EXPECT_EQ(round.detail, "it answered 'may\\x1Bbe'");
}

TEST(PipeParser, SaysWhyACommandDoesNotStart) {
  PipeParser parser({"/no/such/parser"}, 1s);
  const auto trouble = parser.start();
  ASSERT_TRUE(trouble);
  EXPECT_NE(trouble->find("/no/such/parser"), std::string::npos);
}

}  // namespace
}  // namespace assay::harness
