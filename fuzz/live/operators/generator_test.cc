#include "fuzz/live/operators/generator.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "fuzz/live/target/deck.h"
#include "fuzz/live/target/text.h"
namespace assay::fuzz {
namespace {

Vocabulary some_words() {
  Vocabulary words;
  words.initialize_params = {{"protocolVersion", "2025-11-25"},
                             {"capabilities", Json::object()},
                             {"clientInfo", {{"name", "x"}, {"version", "1"}}}};
  words.capabilities = {{"tools", Json::object()},
                        {"resources", {{"subscribe", true}}},
                        {"prompts", Json::object()},
                        {"logging", Json::object()}};
  words.tools.push_back({{"name", "read"},
                         {"inputSchema",
                          {{"type", "object"},
                           {"properties", {{"n", {{"type", "integer"}, {"minimum", 3}}}}},
                           {"required", {"n"}}}}});
  words.forbidden_tools = {"write"};
  words.resources = {"test://a"};
  words.templates = {"test://{x}/y"};
  words.prompts.push_back({{"name", "p"}});
  return words;
}

std::string many_cases(const Vocabulary& words, std::uint64_t seed, bool is_http) {
  Generator generator(words, seed, is_http);
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    const Case made = i % 50 == 0 ? generator.next_fresh() : generator.next();
    if (i % 7 == 0) generator.keep(made);
    text += made.origin + "\n" + to_jsonl(made.steps);
  }
  return text;
}

TEST(Generator, MakesTheSameCasesFromTheSameSeed) {
  const Vocabulary words = some_words();
  EXPECT_EQ(many_cases(words, 5, false), many_cases(words, 5, false));
  EXPECT_EQ(many_cases(words, 5, true), many_cases(words, 5, true));
  EXPECT_NE(many_cases(words, 5, false), many_cases(words, 6, false));
}

TEST(Generator, PutsWordsOfTheServerInPlaceOfArguments) {
  Vocabulary words = some_words();
  words.tools.push_back({{"name", "say"},
                         {"description", "The usual tone is 'half-open'"},
                         {"inputSchema",
                          {{"type", "object"},
                           {"properties", {{"tone", {{"type", "string"}}}}},
                           {"required", {"tone"}}}}});
  Generator generator(words, 1, false);
  generator.learn_words({{"say", "hushed-2", true}, {"", "of-the-user", true}});
  std::string all;
  for (int i = 0; i < 4000; ++i) all += to_jsonl(generator.next().steps);
  for (const char* word : {"half-open", "hushed-2", "of-the-user"}) {
    EXPECT_NE(all.find(R"(\"tone\":\")" + std::string(word) + R"(\")"), std::string::npos) << word;
  }
}

TEST(Generator, AsksForWhatExtensionsHave) {
  Vocabulary words = some_words();
  words.revision = model::Revision::v2026_07_28;
  words.request_meta = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}};
  const std::string before = many_cases(words, 5, false);
  words.capabilities["extensions"] = {{"io.modelcontextprotocol/tasks", Json::object()},
                                      {"io.modelcontextprotocol/skills", Json::object()}};
  const std::string after = many_cases(words, 5, false);
  for (const char* method : {"tasks/update", "skills/get", "resources/directory/read"}) {
    EXPECT_EQ(before.find(method), std::string::npos) << method;
    EXPECT_NE(after.find(method), std::string::npos) << method;
  }
}

TEST(Generator, LetsCallsMeetEachOtherAndACancellation) {
  const Vocabulary words = some_words();
  Generator generator(words, 1, true);
  std::set<std::string> kinds;
  bool is_cancelled_first = false;
  for (int i = 0; i < 8000; ++i) {
    const Case made = generator.next();
    if (!made.origin.starts_with("overlap: ")) continue;
    kinds.insert(made.origin);
    ASSERT_GE(made.steps.size(), 2u);
    EXPECT_TRUE(made.steps[0].overlaps);
    EXPECT_FALSE(made.steps.back().overlaps);
    if (made.origin == "overlap: call-and-cancel" &&
        made.steps[0].bytes.find("notifications/cancelled") != std::string::npos) {
      is_cancelled_first = true;
    }
  }
  EXPECT_EQ(kinds.size(), 7u);
  EXPECT_TRUE(is_cancelled_first);
}

// A value goes from one case into another, and mostly where one of its name was.
TEST(Generator, MixesValuesOfCasesThatWereAnsweredInANewWay) {
  const Vocabulary words = some_words();
  Generator generator(words, 1, false);
  for (const char* name : {"first-kept", "second-kept"}) {
    Case kept;
    kept.origin = "kept";
    kept.steps.push_back(line_step(fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"method":"{0}","params":{{"name":"{0}"}}}})", name)));
    generator.keep(kept);
  }
  bool is_mixed = false;
  for (int i = 0; i < 8000 && !is_mixed; ++i) {
    const Case made = generator.next();
    if (!made.origin.starts_with("splice: ")) continue;
    for (const Step& step : made.steps) {
      is_mixed = is_mixed || (step.bytes.find("\"first-kept\"") != std::string::npos &&
                              step.bytes.find("\"second-kept\"") != std::string::npos);
    }
  }
  EXPECT_TRUE(is_mixed);
}

// Two hundred places make thousands of them, and a slow server would be sent nothing else.
TEST(Generator, MixesInEveryOtherCase) {
  const Vocabulary words = some_words();
  Generator generator(words, 1, false);
  std::vector<Case> mixed(100);
  for (Case& each : mixed) each.origin = "mixed in";
  mixed[0].origin = "first";
  generator.mix_in(mixed);
  std::vector<std::string> origins;
  for (int i = 0; i < 300; ++i) origins.push_back(generator.next().origin);
  EXPECT_EQ(origins[0], "first");
  EXPECT_EQ(std::count(origins.begin(), origins.begin() + 100, "mixed in"), 49);
  EXPECT_EQ(std::count(origins.begin(), origins.end(), "mixed in"), 99);
}

TEST(Generator, GoesWrongInManyWays) {
  const Vocabulary words = some_words();
  Generator generator(words, 1, true);
  std::set<std::string> origins;
  for (int i = 0; i < 5000; ++i) origins.insert(generator.next().origin);
  for (const char* wanted :
       {"valid", "value: lone-surrogate", "id: 2^63", "frame: split", "frame: bad-utf-8",
        "cancel: finished", "batch: empty", "answer: result", "arguments: drop", "name: cursor",
        "envelope: params-null", "order: same-id", "http: header Origin", "raw: short-length",
        "sessions: two"}) {
    EXPECT_TRUE(origins.contains(wanted)) << wanted;
  }
}

TEST(Deck, DrawsEachCardBeforeAnyComesAgain) {
  model::Random random(1);
  Deck deck;
  std::vector<std::vector<std::size_t>> rounds;
  for (int round = 0; round < 3; ++round) {
    auto& drawn = rounds.emplace_back();
    for (int i = 0; i < 10; ++i) drawn.push_back(deck.draw(random, 10));
    EXPECT_EQ(std::set<std::size_t>(drawn.begin(), drawn.end()).size(), 10u);
    EXPECT_EQ(*std::max_element(drawn.begin(), drawn.end()), 9u);
  }
  EXPECT_NE(rounds[0], rounds[1]);
}

TEST(Generator, NeverNamesAToolThatMustNotBeCalled) {
  Vocabulary words = some_words();
  words.prompts.push_back({{"name", "write"}});  // a prompt may be called what it likes
  Generator generator(words, 9, false);
  for (int i = 0; i < 5000; ++i) {
    const Case made = generator.next();
    for (const Step& step : made.steps) {
      for_each_line(step.bytes, [](std::string_view line) {
        if (line.find("tools/call") != std::string::npos) {
          EXPECT_EQ(line.find("\"write\""), std::string::npos) << line;
        }
      });
    }
    generator.keep(made);
  }
}

TEST(Generator, HardlyEverMakesWhatIsAvoided) {
  const Vocabulary words = some_words();
  Generator generator(words, 1, false);
  generator.avoid("valid");
  int count = 0;
  for (int i = 0; i < 5000; ++i) count += generator.next().origin == "valid" ? 1 : 0;
  EXPECT_LT(count, 50);
}

}  // namespace
}  // namespace assay::fuzz
