// What is kept of what was not proved.
#include "fuzz/live/proof/proving.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "fuzz/live/target/pipe_target_testing.h"

namespace assay::fuzz {
namespace {

TEST(Unproved, HasRoomForAProcessThatDied) {
  const harness::TargetAccess access = over_pipe(nullptr);
  const Vocabulary words;
  Prober prober(access, words, {}, {});
  Proving proving({prober});
  const auto note = [&](Oracle oracle, std::size_t number) {
    proving.note_unproved({oracle, fmt::format("number {}", number), "It did"}, {}, "", 1, false);
  };
  for (std::size_t i = 0; i < kMostUnproved + 5; ++i) note(Oracle::kMissing, i);
  ASSERT_EQ(proving.unproved().size(), kMostUnproved);
  const auto fails = [&] {
    return std::any_of(proving.unproved().begin(), proving.unproved().end(), counts);
  };
  EXPECT_FALSE(fails());
  note(Oracle::kCrash, 1);
  EXPECT_EQ(proving.unproved().size(), kMostUnproved);
  EXPECT_TRUE(fails());
}

// Answers no ping any more once it was asked for prompts, and never answers a list of resources.
bool fall_silent_or_lose(PipeLife& life, std::string_view, const wire::Message* message) {
  if (message == nullptr) return false;
  if (message->method() == "prompts/list") life.mood = 1;
  return life.mood == 1 || message->method() == "resources/list";
}

Suspect suspect_of(Oracle oracle, const char* about, const char* method, std::size_t number) {
  Step step;
  step.bytes =
      fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":"{}"}})", 1'000'000 + number, method) +
      "\n";
  Suspect suspect{{oracle, about, "It did"}};
  const Case made{false, {step}, method, {1'000'000 + number}};
  suspect.culprit = std::make_shared<const Sent>(Sent{made, number, 0});
  suspect.before = {suspect.culprit};
  suspect.first_of_batch = suspect.last_of_batch = number;
  return suspect;
}

// One wait, and not three for each of them.
TEST(ProvingAtOnce, ProvesWhatIsSeenByWaitingInTheTimeOfOne) {
  const harness::TargetAccess access = over_pipe(fall_silent_or_lose);
  Vocabulary words;
  words.initialize_params = Json::object();
  Waits waits;
  waits.ping = waits.answer = std::chrono::milliseconds(400);
  Prober prober(access, words, waits, {});
  const auto another = [&] {
    return std::make_unique<Prober>(access, words, waits, std::stop_token());
  };
  const auto time = 3 * waits.answer - std::chrono::milliseconds(1);
  for (const bool at_once : {false, true}) {
    Proving::Setting setting{prober};
    if (at_once) setting.another = another;
    Proving proving(std::move(setting));
    proving.add(suspect_of(Oracle::kMissing, "resources/list", "resources/list", 1));
    proving.add(suspect_of(Oracle::kHang, "no answer to a ping", "prompts/list", 2));
    EXPECT_EQ(proving.prove_next(time), at_once);
    EXPECT_EQ(proving.findings().size(), at_once ? 2u : 0u);
    if (!at_once) continue;
    for (const ServerFinding& finding : proving.findings()) {
      EXPECT_EQ(finding.messages, 1u) << finding.suspicion.signature();
      EXPECT_EQ(finding.proof, Proof::kShown);
    }
    EXPECT_EQ(proving.findings()[0].suspicion.oracle, Oracle::kHang);
    EXPECT_GT(proving.more_trials(), 0u);
  }
}

// It ends with its 40th request, whatever that is.
TEST(Shrinking, SaysThatOnlyTheNumberOfRequestsCounts) {
  const harness::TargetAccess access =
      over_pipe([](PipeLife& life, std::string_view, const wire::Message* message) {
        const bool is_request =
            message != nullptr && message->kind() == wire::MessageKind::kRequest;
        if (is_request && ++life.mood == 40) life.die();
        return is_request && life.mood >= 40;
      });
  Vocabulary words;
  words.initialize_params = Json::object();
  Prober prober(access, words, {}, {});
  std::size_t told = 0;
  Proving::Setting setting{prober};
  setting.on_smaller = [&](const ServerFinding&) { ++told; };
  Proving proving(std::move(setting));
  ServerFinding finding;
  finding.suspicion = {Oracle::kCrash, "its output was closed", "It crashed"};
  for (std::size_t i = 0; i < 60; ++i) {
    finding.recipe.steps.push_back(
        suspect_of(Oracle::kCrash, "", i % 2 == 0 ? "tools/list" : "prompts/list", i)
            .culprit->made.steps[0]);
  }
  finding.messages = 60;
  proving.add_finding(finding);
  EXPECT_TRUE(proving.has_large());
  EXPECT_TRUE(proving.make_smaller(std::chrono::minutes(5)));
  EXPECT_FALSE(proving.has_large());
  EXPECT_FALSE(proving.make_smaller(std::chrono::minutes(5)));
  EXPECT_EQ(told, 1u);
  const ServerFinding& smaller = proving.findings()[0];
  EXPECT_EQ(smaller.repeats, Repeats::kOfAnyKind);
  EXPECT_GE(smaller.messages, 36u);
  EXPECT_LE(smaller.messages, 40u);
  EXPECT_EQ(proof_text(smaller),
            fmt::format("reproduced after {} requests of any kind", smaller.messages));
}

TEST(Shrinking, LeavesWhatCounts) {
  const harness::TargetAccess access =
      over_pipe([](PipeLife& life, std::string_view, const wire::Message* message) {
        if (message == nullptr) return false;
        if (message->method() == "prompts/list") life.mood = 1;
        const bool is_end = life.mood == 1 && message->method() == "tools/list";
        if (is_end) life.die();
        return is_end;
      });
  Vocabulary words;
  words.initialize_params = Json::object();
  Prober prober(access, words, {}, {});
  Proving proving({prober});
  ServerFinding finding;
  finding.suspicion = {Oracle::kCrash, "its output was closed", "It crashed"};
  for (std::size_t i = 0; i < 60; ++i) {
    const char* method = i == 20 ? "prompts/list" : i == 59 ? "tools/list" : "resources/list";
    finding.recipe.steps.push_back(
        suspect_of(Oracle::kCrash, "", method, i).culprit->made.steps[0]);
  }
  finding.messages = 60;
  proving.add_finding(finding);
  EXPECT_TRUE(proving.make_smaller(std::chrono::minutes(5)));
  EXPECT_EQ(proving.findings()[0].messages, 2u);
  EXPECT_EQ(proving.findings()[0].repeats, Repeats::kNotKnown);
}

TEST(Unproved, AreOpenQuestionsWhereTheyWereSeenTwice) {
  const harness::TargetAccess access = over_pipe(nullptr);
  const Vocabulary words;
  Prober prober(access, words, {}, {});
  Proving proving({prober});
  const auto see = [&](Oracle oracle, const char* about, std::size_t number, bool is_guess) {
    Suspect suspect = suspect_of(oracle, about, "ping", number);
    suspect.suspicion.is_guess = is_guess;
    if (proving.wants(suspect)) proving.add(std::move(suspect));
  };
  see(Oracle::kMissing, "tools/list", 1, false);
  see(Oracle::kMissing, "tools/call a", 2, true);
  see(Oracle::kMissing, "tools/call b", 3, true);
  see(Oracle::kMissing, "tools/call b", 4, true);
  see(Oracle::kInvalid, "tools/list", 5, false);
  see(Oracle::kInvalid, "tools/list", 6, false);
  proving.give_up();
  std::string open;
  for (const ServerFinding& each : proving.unproved()) {
    if (is_open_question(each)) open += each.suspicion.about;
  }
  EXPECT_EQ(open, "tools/call b");
  EXPECT_EQ(proving.unproved().size(), 3u);
}

}  // namespace
}  // namespace assay::fuzz
