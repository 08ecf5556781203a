// What a client is asked to do, and what is read of its words.
#include "harness/interop/act_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace assay::harness {
namespace {

using ::testing::ElementsAre;

Offer offer() {
  Offer out;
  out.lists = {"tools/list", "prompts/list"};
  out.call = ToolUse{.name = "echo", .arguments = {{"message", "hello"}}};
  out.prompt = "greet";
  return out;
}

InteropClient client_with(std::vector<ClientWay> ways) {
  InteropClient out;
  out.name = "mine";
  out.over_http = Launch{{"client", "{url}"}, {{"MODE", "test"}}, ""};
  out.ways = std::move(ways);
  return out;
}

std::vector<std::string> acts_in(const Json& plan) {
  std::vector<std::string> out;
  for (const Json& each : plan) out.push_back(each["act"]);
  return out;
}

TEST(ActSheet, PlanHasOnlyWhatTheServerOffers) {
  EXPECT_THAT(acts_in(plan_of(offer(), askable_acts())),
              ElementsAre("connect", "list", "call", "prompt", "expire"));
}

TEST(ActSheet, PlanNamesToolAndArguments) {
  const Json plan = plan_of(offer(), {"call"});
  EXPECT_EQ(plan, Json::parse(R"([{"act":"call","tool":"echo","arguments":{"message":"hello"}}])"));
}

TEST(ActSheet, ClientWithoutWaysIsStartedOnceWithAPlan) {
  const auto starts =
      starts_of(client_with({}), {}, TransportKind::kHttp, offer(), {"connect", "call"});
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_TRUE(starts[0].has_plan);
  EXPECT_EQ(starts[0].launch.environment.back().first, kActsVariable);
}

TEST(ActSheet, ClientWithWaysIsStartedForEachActThatOneLeadsTo) {
  ClientWay calls;
  calls.act = Act::kCallsTool;
  calls.words = {{{"call", "{tool}"}}};
  const auto starts =
      starts_of(client_with({calls}), {}, TransportKind::kHttp, offer(), askable_acts());
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].name, "calls-tool");
  EXPECT_THAT(starts[0].launch.words, ElementsAre("client", "{url}", "call", "echo"));
  EXPECT_FALSE(starts[0].has_plan);
}

TEST(ActSheet, ClientIsNotStartedOverWhatItDoesNotSpeak) {
  EXPECT_TRUE(starts_of(client_with({}), {}, TransportKind::kStdio, offer(), {"call"}).empty());
}

TEST(ActSheet, SessionExpiresInAStartOfItsOwn) {
  const auto starts =
      starts_of(client_with({}), {}, TransportKind::kHttp, offer(), {"connect", "call", "expire"});
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_FALSE(starts[0].ends_session);
  EXPECT_FALSE(starts[0].aims.contains("expire"));
  EXPECT_TRUE(starts[1].ends_session);
  EXPECT_THAT(starts[1].aims, ElementsAre("expire"));
}

TEST(ActSheet, EraAddsItsWordsAndVariables) {
  const InteropEra oldest{"oldest", {"--old"}, {{"MODE", "old"}}};
  const auto starts = starts_of(client_with({}), oldest, TransportKind::kHttp, offer(), {"call"});
  EXPECT_THAT(starts[0].launch.words, ElementsAre("client", "{url}", "--old"));
  EXPECT_EQ(starts[0].launch.environment[1].second, "old");
}

class Words : public ::testing::Test {
 protected:
  Words() {
    std::string name = (std::filesystem::temp_directory_path() / "words-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Words() override { std::filesystem::remove_all(folder_); }
  ClientWords read(const std::string& text) {
    const std::string path = folder_ + "/acts.jsonl";
    std::ofstream(path) << text;
    return read_client_words(path);
  }

 private:
  std::string folder_;
};

TEST_F(Words, AreReadAsTheyAreWritten) {
  const ClientWords words =
      read(client_word("call", false, "refused") + client_word("list", true, "") +
           client_word("sample", std::nullopt, "no model"));
  EXPECT_EQ(words.at("call").kind, ClientWord::Kind::kFailed);
  EXPECT_EQ(words.at("call").why, "refused");
  EXPECT_EQ(words.at("list").kind, ClientWord::Kind::kWorked);
  EXPECT_EQ(words.at("sample").kind, ClientWord::Kind::kCannot);
}

// A client is a stranger's program.
TEST_F(Words, OfAnotherKindArePassedOver) {
  const ClientWords words =
      read("hello\n[]\n{\"act\":\"fly\",\"ok\":true}\n{\"act\":\"call\"}\n" +
           std::string(100'000, 'x') + "\n" + client_word("list", false, "\x1b[31mred"));
  EXPECT_EQ(words.size(), 1u);
  EXPECT_EQ(words.at("list").why.find('\x1b'), std::string::npos);
}

TEST_F(Words, AreNoneWithoutAFile) {
  EXPECT_TRUE(read_client_words("/nowhere/at/all").empty());
}

}  // namespace
}  // namespace assay::harness
