// What a run comes to when it ends in the middle of things, and in which order it proves.
#include "fuzz/live/fuzzer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <variant>

#include "fuzz/live/target/pipe_target_testing.h"
#include "fuzz/live/wire/inbox.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using wire::Message;

bool has_null_params(const Message* message) {
  return message != nullptr && message->has_params() && message->params().is_null();
}

bool die_of_null_params(PipeLife& life, std::string_view, const Message* message) {
  if (has_null_params(message)) life.die();
  return has_null_params(message);
}

// Lists tools in a form that the schema does not have, and dies of the next ping.
bool die_after_listing(PipeLife& life, std::string_view, const Message* message) {
  if (message == nullptr || message->kind() != wire::MessageKind::kRequest) return false;
  if (message->method() == "ping" && life.mood > 0) {
    life.die();
    return true;
  }
  if (message->method() != "tools/list") return false;
  life.mood = 1;
  life.answer(*message, {{"tools", "none"}});
  return true;
}

bool list_no_tools(PipeLife& life, const Message* message) {
  if (message == nullptr || message->method() != "tools/list") return false;
  if (message->kind() == wire::MessageKind::kRequest)
    life.answer(*message, {{"tools", Json::array()}});
  return true;
}

FuzzOptions options_of(std::size_t cases) {
  FuzzOptions options;
  options.cases = cases;
  options.seed = 1;
  options.waits.ping = options.waits.answer = std::chrono::milliseconds(200);
  options.minimize.time = std::chrono::minutes(5);
  return options;
}

FuzzOutcome outcome_of(const harness::TargetAccess& access, FuzzOptions options) {
  auto outcome = Fuzzer(access, std::move(options)).run();
  EXPECT_TRUE(std::holds_alternative<FuzzOutcome>(outcome))
      << std::get<transport::Failure>(outcome).detail;
  return std::get<FuzzOutcome>(std::move(outcome));
}

std::string told(const std::vector<ServerFinding>& findings) {
  std::string text;
  for (const ServerFinding& finding : findings) text += finding.suspicion.signature() + "\n";
  return text;
}

TEST(Fuzzer, ProvesWhatItSawInTheLastBatchAndTheWorstFirst) {
  FuzzOptions options = options_of(64);
  options.checks = {Oracle::kCrash, Oracle::kInvalid};
  const FuzzOutcome done = outcome_of(over_pipe(die_after_listing), std::move(options));
  ASSERT_GE(done.findings.size(), 2u) << told(done.findings);
  EXPECT_EQ(done.findings[0].suspicion.oracle, Oracle::kCrash) << told(done.findings);
  EXPECT_EQ(done.findings[1].suspicion.oracle, Oracle::kInvalid) << told(done.findings);
}

// There is no batch behind it during which its time could pass.
TEST(Fuzzer, MissesWhatTheLastBatchDidNotAnswer) {
  FuzzOptions options = options_of(64);
  options.checks = {Oracle::kMissing};
  // Those that measure and wait have ids that are text.
  const auto access = over_pipe([](PipeLife& life, std::string_view, const Message* message) {
    const bool is_ping = message != nullptr && message->method() == "ping" && message->id();
    const bool is_lost = is_ping && message->id()->kind() == wire::Id::Kind::kInteger;
    return is_lost || list_no_tools(life, message);
  });
  const FuzzOutcome done = outcome_of(access, std::move(options));
  EXPECT_NE(told(done.findings).find("missing-answer"), std::string::npos) << told(done.findings);
}

TEST(Fuzzer, JudgesOnlyWhatItIsToldToCheck) {
  FuzzOptions options = options_of(64);
  options.checks = {Oracle::kInvalid};
  const FuzzOutcome done = outcome_of(over_pipe(die_of_null_params), std::move(options));
  EXPECT_EQ((told(done.findings) + told(done.unproved)).find("crash"), std::string::npos);
}

TEST(Fuzzer, ReportsADeathThatItCouldNotProve) {
  std::stop_source user;
  FuzzOptions options = options_of(1'000'000);
  options.stop = user.get_token();
  const auto access = over_pipe([&](PipeLife& life, std::string_view, const Message* message) {
    if (!has_null_params(message)) return list_no_tools(life, message);
    life.die();
    user.request_stop();
    return true;
  });
  const FuzzOutcome done = outcome_of(access, std::move(options));
  EXPECT_EQ(told(done.findings), "");
  ASSERT_EQ(told(done.unproved), "crash: its output was closed\n");
  EXPECT_EQ(done.unproved[0].proof, Proof::kNotTried);
  EXPECT_TRUE(counts(done.unproved[0]));
  EXPECT_FALSE(done.unproved[0].recipe.steps.empty());
}

TEST(Fuzzer, ReportsADeathThatDoesNotShowAgain) {
  bool has_died = false;
  const auto access = over_pipe([&](PipeLife& life, std::string_view, const Message* message) {
    if (has_died || !has_null_params(message)) return list_no_tools(life, message);
    has_died = true;
    life.die();
    return true;
  });
  const FuzzOutcome done = outcome_of(access, options_of(256));
  EXPECT_EQ(told(done.findings).find("crash"), std::string::npos) << told(done.findings);
  ASSERT_EQ(told(done.unproved), "crash: its output was closed\n");
  EXPECT_EQ(done.unproved[0].proof, Proof::kNotShownAgain);
}

// On a busy machine a death may be seen too late once. What was made small by then is made so
// again; only a death that is missed when it is first tried again, the second of all, is not
// proved.
TEST(Fuzzer, MakesADeathSmallThatIsMissedOnce) {
  int deaths = 0;
  int missed = 0;
  const auto access = over_pipe([&](PipeLife& life, std::string_view, const Message* message) {
    if (!has_null_params(message)) return list_no_tools(life, message);
    if (++deaths == missed) return true;
    life.die();
    return true;
  });
  const auto bytes_of_death = [&] {
    deaths = 0;
    const FuzzOutcome done = outcome_of(access, options_of(64));
    std::size_t bytes = 0;
    for (const ServerFinding& finding : done.findings) {
      if (finding.suspicion.oracle == Oracle::kCrash) bytes = to_jsonl(finding.recipe.steps).size();
    }
    return bytes;
  };
  const std::size_t usual = bytes_of_death();
  const int usual_deaths = deaths;
  ASSERT_GT(usual, 0u);
  ASSERT_GT(usual_deaths, 5);
  for (missed = 3; missed <= usual_deaths; ++missed) {
    const std::size_t bytes = bytes_of_death();
    EXPECT_GT(bytes, 0u) << missed;
    EXPECT_LE(bytes, usual + 20) << missed;
  }
}

// Each line brings a flood: there is always something to hear.
TEST(Fuzzer, EndsInTimeHoweverMuchItIsTold) {
  const std::string flood =
      R"({"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":")" +
      std::string(2000, 'x') + "\"}}";
  bool has_begun = false;
  const auto access = over_pipe([&](PipeLife& life, std::string_view, const Message* message) {
    if (message != nullptr && message->method() == "notifications/initialized") has_begun = true;
    for (int i = 0; has_begun && i < 2000; ++i) life.say(flood);
    return false;
  });
  FuzzOptions options = options_of(1);
  options.cases.reset();
  options.time = std::chrono::milliseconds(300);
  const FuzzOutcome done = outcome_of(access, std::move(options));
  EXPECT_EQ(told(done.findings), "");
}

// More than is ever held, and then an end, as of a process whose output nobody reads.
TEST(Fuzzer, AccusesNobodyOfEndingWhenItIsCutOff) {
  const std::string megabyte = R"({"jsonrpc":"2.0","method":"notifications/x","params":{"x":")" +
                               std::string(1u << 20, 'x') + "\"}}";
  const auto access = over_pipe([&](PipeLife& life, std::string_view, const Message* message) {
    if (!has_null_params(message)) return list_no_tools(life, message);
    for (std::size_t i = 0; i <= Inbox::kMaxBytes / megabyte.size(); ++i) life.say(megabyte);
    life.die();
    return true;
  });
  const FuzzOutcome done = outcome_of(access, options_of(64));
  EXPECT_EQ((told(done.findings) + told(done.unproved)).find("crash"), std::string::npos);
  EXPECT_GT(done.progress.floods, 0u);
}

TEST(Fuzzer, StopsWhileItWaitsForWhatDoesNotCome) {
  std::stop_source user;
  std::size_t lives = 0;
  FuzzOptions options = options_of(64);
  options.waits.ping = options.waits.answer = std::chrono::hours(1);
  options.stop = user.get_token();
  const auto access = over_pipe([&](PipeLife&, std::string_view, const Message* message) {
    if (message == nullptr) return false;
    if (message->method() == "initialize") ++lives;
    if (lives < 2 || message->method() != "ping") return false;
    user.request_stop();
    return true;
  });
  const FuzzOutcome done = outcome_of(access, std::move(options));
  EXPECT_EQ(told(done.findings) + told(done.unproved), "");
}

TEST(Fuzzer, ComesToNothingWhereItIsStoppedBeforeItBegan) {
  std::stop_source user;
  user.request_stop();
  FuzzOptions options = options_of(64);
  options.stop = user.get_token();
  const auto outcome = Fuzzer(over_pipe(nullptr), std::move(options)).run();
  EXPECT_TRUE(std::holds_alternative<transport::Failure>(outcome));
}

}  // namespace
}  // namespace assay::fuzz
