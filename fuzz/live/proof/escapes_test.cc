#include "fuzz/live/operators/escapes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "fuzz/live/judge/judge.h"
#include "fuzz/live/operators/generator.h"
#include "fuzz/live/proof/prober.h"
#include "fuzz/live/proof/proving.h"
#include "fuzz/live/target/courtesy.h"
#include "fuzz/live/target/pipe_target_testing.h"
#include "fuzz/live/target/sandbox_testing.h"
#include "reference/wire/base64.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using Canary = Sandbox::Canary;

Json string_tool(const char* argument) {
  return {
      {"name", "read"},
      {"inputSchema", {{"type", "object"}, {"properties", {{argument, {{"type", "string"}}}}}}}};
}

bool says(const std::vector<Case>& cases, std::string_view text) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case& each) {
    return each.steps[0].bytes.find(text) != std::string::npos;
  });
}

TEST(EscapeCases, PutEveryPathIntoWhatLooksLikeOne) {
  Vocabulary words;
  words.tools = {string_tool("filePath")};
  const auto cases = escape_cases(words);
  EXPECT_TRUE(says(cases, R"("arguments":{"filePath":"../assay-outside.txt"})"));
  EXPECT_TRUE(says(cases, R"("filePath":"@SANDBOX@/served-beside/assay-outside.txt")"));
  EXPECT_TRUE(says(cases, R"("filePath":"%2e%2e%2fassay-outside.txt")"));
  EXPECT_TRUE(says(cases, R"("filePath":"assay-link.txt")"));
  EXPECT_TRUE(says(cases, R"("filePath":"file://@SANDBOX-URI@/assay-outside.txt")"));
  words.tools = {string_tool("greeting")};
  EXPECT_TRUE(escape_cases(words).empty());
}

TEST(EscapeCases, LeaveTheUrisThatAreListed) {
  Vocabulary words;
  words.resources = {"docs://a/b.txt"};
  words.templates = {"docs://all/{name}.txt"};
  EXPECT_TRUE(escape_cases(words).empty());
  words.capabilities = {{"resources", Json::object()}};
  const auto cases = escape_cases(words);
  EXPECT_TRUE(says(cases, R"({"uri":"docs://a/../assay-outside.txt"})"));
  EXPECT_TRUE(says(cases, R"({"uri":"docs://all/../assay-outside.txt"})"));
  EXPECT_TRUE(says(cases, R"({"uri":"docs://a/@SANDBOX-URI@/assay-outside.txt"})"));
}

TEST(EscapeCases, KnowAPathByItsSchemaToo) {
  EXPECT_TRUE(looks_like_path("x", {{"format", "uri-reference"}}));
  EXPECT_TRUE(looks_like_path("x", {{"description", "A file in the project"}}));
  EXPECT_TRUE(looks_like_path("x", {{"examples", {"a/b"}}}));
  EXPECT_FALSE(looks_like_path("x", {{"type", "string"}}));
  EXPECT_FALSE(looks_like_path("file", {{"enum", {"a", "b"}}}));
}

class EscapeJudgeTest : public testing::Test {
 protected:
  EscapeJudgeTest() { words_.sandbox = sandbox_.get(); }
  std::string word(Canary canary) const {
    std::string text = text_of_file(sandbox_->path_of(canary));
    text.pop_back();
    return text;
  }
  void ask(const std::string& path) {
    judge_.sent(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read",)"
                R"("arguments":{"path":")" +
                    path + R"("}}})",
                7);
  }
  void answer(const std::string& text) {
    judge_.heard(R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")" + text +
                 R"("}]}})");
  }

  const ScratchFolder scratch_;
  const std::unique_ptr<Sandbox> sandbox_ = sandbox_in(scratch_.path());
  Vocabulary words_;
  LiveJudge judge_{words_, true};
};

TEST_F(EscapeJudgeTest, AccusesWhoTellsWhatIsInACanary) {
  ask("../assay-outside.txt");
  answer("It says: " + word(Canary::kOutside));
  const auto said = judge_.take_suspicions();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].signature(), "path-traversal: tools/call read");
  EXPECT_EQ(said[0].case_number, 7u);
  EXPECT_FALSE(said[0].is_should);
  EXPECT_NE(said[0].rule.find("MUST validate all tool inputs"), std::string::npos);
}

TEST_F(EscapeJudgeTest, ReadsCharactersThatAreWrittenByTheirNumber) {
  std::string numbers;
  for (const char c : word(Canary::kOutside)) {
    numbers += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
  ask("../assay-outside.txt");
  answer(numbers);
  EXPECT_EQ(judge_.take_suspicions().size(), 1u);
}

TEST_F(EscapeJudgeTest, AccusesNobodyForNamesAndPathsThatComeBack) {
  ask("../assay-outside.txt");
  answer("no such file: " + sandbox_->path_of(Canary::kOutside));
  EXPECT_TRUE(judge_.take_suspicions().empty());
}

TEST_F(EscapeJudgeTest, AccusesNobodyForAWordThatWeSent) {
  ask(word(Canary::kOutside));
  answer(word(Canary::kOutside));
  EXPECT_TRUE(judge_.take_suspicions().empty());
}

// The client's own roots may be among them.
TEST_F(EscapeJudgeTest, AccusesNobodyWhereTheRequestCarriesOurAnswers) {
  judge_.sent(
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{},"inputResponses":{}}})",
      7);
  answer(word(Canary::kOutside));
  EXPECT_TRUE(judge_.take_suspicions().empty());
}

TEST_F(EscapeJudgeTest, TellsALinkFromAPath) {
  ask("assay-link.txt");
  answer(word(Canary::kLinked));
  const auto said = judge_.take_suspicions();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].signature(), "path-traversal: tools/call read by a link");
  EXPECT_TRUE(said[0].is_should);
}

TEST_F(EscapeJudgeTest, HasWhatIsServedForItsOnlyRoot) {
  const auto handlers = our_handlers(words_);
  const auto answer = handlers.find(kRootsMethod)->second(Json::object());
  const Json roots = std::get<Json>(answer)["roots"];
  ASSERT_EQ(roots.size(), 1u);
  EXPECT_EQ(roots[0]["uri"], sandbox_->served_uri());
}

// Whoever is told none may serve another folder by right.
TEST_F(EscapeJudgeTest, TellsItsRootRightlyWhateverItsManners) {
  const wire::Decoded asked = wire::decode(R"({"jsonrpc":"2.0","id":1,"method":"roots/list"})");
  for (int manners = 0; manners <= kWorstManners; ++manners) {
    const std::string answer = Courtesy(words_).answer(std::get<wire::Message>(asked), manners);
    EXPECT_NE(answer.find(sandbox_->served_uri()), std::string::npos) << answer;
  }
}

TEST_F(EscapeJudgeTest, AccusesNobodyBeforeTheHandshake) {
  LiveJudge fresh(words_, false);
  fresh.heard(R"({"jsonrpc":"2.0","method":"notifications/message","params":{"data":")" +
              word(Canary::kOutside) + "\"}}");
  EXPECT_TRUE(fresh.take_suspicions().empty());
}

class EscapeProofTest : public EscapeJudgeTest {
 protected:
  // Whether a server of this conduct is found to lead out when its tool is called.
  bool leads_out(PipeLife::Conduct conduct) {
    words_.initialize_params = Json::object();
    const harness::TargetAccess access = over_pipe(std::move(conduct));
    Prober prober(access, words_, {}, {});
    const Recipe recipe{{line_step(kCall)}, false, 0};
    return prober.find(recipe, "path-traversal: tools/call read", {}).has_value();
  }
  std::string leak() const {
    return R"({"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":")" +
           word(Canary::kOutside) + R"("}]}})";
  }
  static bool is_call(const wire::Message* message) {
    return message != nullptr && message->method() == "tools/call";
  }

  static constexpr const char* kCall =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{}}})";
};

TEST_F(EscapeProofTest, FindsWhoLeadsOut) {
  EXPECT_TRUE(leads_out([&](PipeLife& life, std::string_view, const wire::Message* message) {
    if (is_call(message)) life.say(leak());
    return is_call(message);
  }));
}

// It asks once it may, and what it is told counts a ping later: it looks the root up first.
TEST_F(EscapeProofTest, AsksNothingOfAServerThatDoesNotKnowOurRootsYet) {
  EXPECT_FALSE(leads_out([&](PipeLife& life, std::string_view, const wire::Message* message) {
    if (message == nullptr) return false;
    if (message->method() == "notifications/initialized") {
      life.say(R"({"jsonrpc":"2.0","id":"roots","method":"roots/list"})");
    }
    const bool is_told = message->kind() == wire::MessageKind::kResult;
    if (is_told || (life.mood > 0 && message->method() == "ping")) ++life.mood;
    if (!is_call(message) || life.mood > 1) return false;
    life.say(leak());
    return true;
  }));
}

// Whether it was told them, or would still ask, nobody knows.
TEST_F(EscapeProofTest, AccusesNobodyWhoseRootsAreUnknownAsAPingCameLate) {
  words_.initialize_params = Json::object();
  words_.asks_for_roots = true;
  const harness::TargetAccess access =
      over_pipe([&](PipeLife& life, std::string_view, const wire::Message* message) {
        if (is_call(message)) life.say(leak());
        const bool is_first_ping =
            message != nullptr && message->method() == "ping" && life.mood++ == 0;
        return is_call(message) || is_first_ping;
      });
  const Waits waits{.ping = std::chrono::milliseconds(50),
                    .answer = std::chrono::milliseconds(100)};
  Prober prober(access, words_, waits, {});
  const Recipe recipe{{line_step(kCall)}, false, 0};
  EXPECT_FALSE(prober.find(recipe, "path-traversal: tools/call read", waits).has_value());
}

// What it makes of them may still be under way.
TEST_F(EscapeProofTest, AccusesNobodyWhoWasToldOurRootsBeforeAPingCameLate) {
  words_.initialize_params = Json::object();
  const harness::TargetAccess access =
      over_pipe([&](PipeLife& life, std::string_view, const wire::Message* message) {
        if (message == nullptr) return false;
        if (message->method() == "notifications/initialized") {
          life.say(R"({"jsonrpc":"2.0","id":"roots","method":"roots/list"})");
        }
        if (is_call(message)) life.say(leak());
        const bool is_first_ping = message->method() == "ping" && life.mood++ == 0;
        return is_call(message) || is_first_ping;
      });
  const Waits waits{.ping = std::chrono::milliseconds(50),
                    .answer = std::chrono::milliseconds(100)};
  Prober prober(access, words_, waits, {});
  const Recipe recipe{{line_step(kCall)}, false, 0};
  EXPECT_FALSE(prober.find(recipe, "path-traversal: tools/call read", waits).has_value());
}

// Sent as fast as they are answered they would push out everything else.
TEST_F(EscapeProofTest, PingsAServerThatLooksUpItsRootsNowAndThenOnly) {
  std::atomic<int> pings = 0;
  const auto ask_for_roots = [&](PipeLife& life, std::string_view, const wire::Message* message) {
    if (message == nullptr) return false;
    if (message->method() == "notifications/initialized") {
      life.say(R"({"jsonrpc":"2.0","id":"roots","method":"roots/list"})");
    }
    if (message->method() == "ping") ++pings;
    return false;
  };
  EXPECT_FALSE(leads_out(ask_for_roots));
  EXPECT_GE(pings, 2);
  const auto most = kRootsTime / kRootsPingEvery + 6;  // and those before and behind
  EXPECT_LE(pings, most);
}

// What is read is in the folder by then: it was another case that led out.
TEST_F(EscapeProofTest, AccusesNobodyOfReadingWhatAnEarlierCaseCopied) {
  const std::string copy = leak();
  EXPECT_FALSE(leads_out([&](PipeLife& life, std::string_view, const wire::Message* message) {
    if (is_call(message)) life.say(copy);
    return is_call(message);
  }));
}

// One message moved what the other reads: nobody knows which of them led out.
TEST_F(EscapeProofTest, AccusesNobodyWhereItTakesTwoMessages) {
  words_.initialize_params = Json::object();
  const harness::TargetAccess access =
      over_pipe([&](PipeLife& life, std::string_view, const wire::Message* message) {
        if (is_call(message) && ++life.mood > 1) life.say(leak());
        return is_call(message);
      });
  Prober prober(access, words_, {}, {});
  Proving proving({prober});
  Suspect suspect{{Oracle::kTraversal, "tools/call read", ""}};
  constexpr const char* kOther =
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"move"}})";
  const Case made{false, {line_step(kOther), line_step(kCall)}, "", {}};
  suspect.culprit = std::make_shared<const Sent>(Sent{made, 1, 0});
  proving.add(suspect);
  EXPECT_TRUE(proving.prove_next(std::chrono::minutes(1)));
  EXPECT_TRUE(proving.findings().empty());
  EXPECT_EQ(proving.not_reproduced(), 0u);
  ASSERT_EQ(proving.unproved().size(), 1u);
  const ServerFinding& told = proving.unproved()[0];
  EXPECT_FALSE(counts(told));
  EXPECT_NE(proof_text(told).find("reproduced, but only with 2 messages"), std::string::npos);
  EXPECT_EQ(told.recipe.steps.size(), 2u);
  EXPECT_FALSE(told.transcript.empty());
}

// A person may allow what the folder does not.
TEST_F(EscapeProofTest, AccusesNobodyWhoAskedAPersonFirst) {
  EXPECT_FALSE(leads_out([&](PipeLife& life, std::string_view, const wire::Message* message) {
    if (message == nullptr) return false;
    if (is_call(message)) {
      life.say(R"({"jsonrpc":"2.0","id":"may-i","method":"elicitation/create","params":)"
               R"({"message":"Read it?","requestedSchema":{"type":"object","properties":{}}}})");
      return true;
    }
    const bool is_answer = message->kind() == wire::MessageKind::kResult;
    if (is_answer) life.say(leak());
    return is_answer;
  }));
}

}  // namespace
}  // namespace assay::fuzz
