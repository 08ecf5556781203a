#include "fuzz/live/proof/minimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace assay::fuzz {
namespace {

Recipe recipe_of(const std::vector<std::string>& lines) {
  Recipe recipe;
  for (const std::string& line : lines) {
    recipe.steps.emplace_back();
    recipe.steps.back().bytes = line + "\n";
  }
  return recipe;
}

std::string text_of(const Recipe& recipe) {
  std::string text;
  for (const Step& step : recipe.steps) text += step.bytes;
  return text;
}

// What is left when only recipes count whose text holds all of `needles`, in order.
Recipe minimized(const Recipe& recipe, const std::vector<std::string>& needles) {
  return minimize(recipe,
                  [&](const Recipe& candidate) {
                    const std::string text = text_of(candidate);
                    std::size_t at = 0;
                    for (const std::string& needle : needles) {
                      at = text.find(needle, at);
                      if (at == std::string::npos) return false;
                      at += needle.size();
                    }
                    return true;
                  },
                  {.trials = 5000, .time = std::chrono::minutes(1)});
}

TEST(Minimizer, DropsWhatIsNotNeeded) {
  std::vector<std::string> lines;
  for (int i = 0; i < 300; ++i) lines.push_back("line " + std::to_string(i) + " end");
  const Recipe small = minimized(recipe_of(lines), {"line 17 ", "line 203 "});
  ASSERT_EQ(small.steps.size(), 2u);
  EXPECT_EQ(small.steps[0].bytes.substr(0, 8), "line 17 ");
}

TEST(Minimizer, DropsMembersOfMessages) {
  const Recipe small = minimized(
      recipe_of({R"({"jsonrpc":"2.0","id":1,"params":{"a":[1,2,{"bad":"x"}],"b":"c"},"z":{}})"}),
      {R"({"bad":)"});
  EXPECT_LE(text_of(small).size(), 10u) << text_of(small);
}

TEST(Minimizer, ShortensLongRunsWithWhatClosesThem) {
  const std::string deep = std::string(4000, '[') + std::string(4000, ']');
  const Recipe small = minimized(recipe_of({"{\"a\":" + deep + "}"}),
                                 {std::string(100, '['), std::string(100, ']')});
  EXPECT_LE(text_of(small).size(), 600u);
}

TEST(Minimizer, GivesBackWhatCannotBeMadeSmaller) {
  const Recipe one = recipe_of({"x"});
  EXPECT_EQ(minimized(one, {"x\n"}), one);
}

TEST(Minimizer, StopsWhenItsTrialsAreUsedUp) {
  std::vector<std::string> lines(1000, "line");
  std::size_t trials = 0;
  minimize(recipe_of(lines), [&](const Recipe&) { return ++trials, false; },
           {.trials = 50, .time = std::chrono::minutes(1)});
  EXPECT_EQ(trials, 50u);
}

// Each way to leave something out would copy all of it: with so many steps for minutes.
TEST(Minimizer, DoesNothingToALargeRecipeOnceItHasNoTrialsOrIsStopped) {
  const Recipe large = recipe_of(std::vector<std::string>(20'000, std::string(100, 'x')));
  const auto never = [](const Recipe&) {
    ADD_FAILURE() << "it was tried";
    return false;
  };
  std::stop_source stopped;
  stopped.request_stop();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(minimize(large, never, {.trials = 0}), large);
  EXPECT_EQ(minimize(large, never, {.stop = stopped.get_token()}), large);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

Case case_of(const std::vector<std::string>& lines) {
  return {false, recipe_of(lines).steps, "", {}};
}

// What is left of the cases when those count that hold all of `needles` together.
std::string narrowed(std::vector<Case> cases, const std::vector<std::string>& needles) {
  const Case left = narrow(std::move(cases), [&](const std::vector<Case>& candidates) {
    std::string text;
    for (const Case& each : candidates) text += text_of({each.steps, false, 0});
    return std::all_of(needles.begin(), needles.end(), [&](const std::string& needle) {
      return text.find(needle) != std::string::npos;
    });
  });
  return text_of({left.steps, false, 0});
}

TEST(Minimizer, NarrowsManyCasesToOneStepOfOne) {
  std::vector<Case> cases;
  for (int i = 0; i < 40; ++i) {
    cases.push_back(case_of({"a " + std::to_string(i), "b " + std::to_string(i) + ";", "c"}));
  }
  EXPECT_EQ(narrowed(cases, {"b 23;"}), "b 23;\n");
}

TEST(Minimizer, LeavesACaseWholeWhereItTakesTwoOfItsSteps) {
  const std::vector<Case> cases = {case_of({"x"}), case_of({"a", "b", "c"}), case_of({"y"})};
  EXPECT_EQ(narrowed(cases, {"a", "c"}), "a\nb\nc\n");
}

}  // namespace
}  // namespace assay::fuzz
