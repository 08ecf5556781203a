// The writers of the search for the highest rate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <string>

#include "reports/load/limit_svg.h"
#include "reports/load/limit_text.h"
#include "reports/load/load_json.h"

namespace assay::reports {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using LimitedBy = LimitStep::LimitedBy;

LimitStep step_at(double rate, double p99, LimitedBy limited_by, const std::string& reason = "") {
  LimitStep step;
  step.rate = rate;
  step.reached = rate;
  step.p50 = p99 / 2;
  step.p99 = p99;
  step.limited_by = limited_by;
  step.reason = reason;
  return step;
}

// Held up to 400/s, and not at 420/s for this reason.
LimitResult search_ended_by(LimitedBy limited_by, const std::string& reason) {
  LimitResult result;
  result.setting.command = {"node", "server.js"};
  result.setting.server_name = "mine";
  result.limit = 10e6;
  result.steps = {step_at(200, 1e6, LimitedBy::kNothing),
                  step_at(400, 9e6, LimitedBy::kServer, "noise"),
                  step_at(400, 2e6, LimitedBy::kNothing), step_at(420, 30e6, limited_by, reason),
                  step_at(420, 31e6, limited_by, reason)};
  result.held = 400;
  result.failed = 420;
  return result;
}

TEST(LimitText, NamesTheKneeInASentence) {
  EXPECT_EQ(knee_text(search_ended_by(LimitedBy::kServer, "p99 was 31.0 ms")),
            "The knee is between 400/s and 420/s: the server held 400/s with a p99 of 2.00 ms, and "
            "at 420/s p99 was 31.0 ms.\n");
}

TEST(LimitText, DoesNotCallOurOwnLimitsAKnee) {
  for (const LimitedBy limited_by : {LimitedBy::kConnections, LimitedBy::kGenerator}) {
    const std::string text = knee_text(search_ended_by(limited_by, "something of ours"));
    EXPECT_THAT(text,
                AllOf(HasSubstr("held 400/s"), HasSubstr("may be higher"), Not(HasSubstr("knee"))));
  }
}

TEST(LimitText, ARateThatFailedOnceByOurDoingIsNoKnee) {
  LimitResult result = search_ended_by(LimitedBy::kGenerator, "we were late");
  result.steps.push_back(step_at(420, 40e6, LimitedBy::kServer, "p99 was 40.0 ms"));
  EXPECT_THAT(knee_text(result), AllOf(HasSubstr("we were late"), Not(HasSubstr("knee"))));
}

TEST(LimitText, TellsOfEveryOtherEnding) {
  LimitResult all = search_ended_by(LimitedBy::kServer, "x");
  all.failed = 0;
  EXPECT_THAT(knee_text(all), HasSubstr("held every rate up to 400/s"));
  all.is_out_of_time = true;
  EXPECT_THAT(knee_text(all), HasSubstr("ran out of time"));
  LimitResult none = search_ended_by(LimitedBy::kServer, "p99 was 31.0 ms");
  none.held = 0;
  EXPECT_THAT(knee_text(none), HasSubstr("did not hold even 420/s: p99 was 31.0 ms"));
  LimitResult unknown = search_ended_by(LimitedBy::kGenerator, "of ours");
  unknown.held = 0;
  EXPECT_THAT(knee_text(unknown), HasSubstr("Nothing is known of the server"));
  LimitResult interrupted;
  interrupted.was_interrupted = true;
  EXPECT_THAT(knee_text(interrupted), HasSubstr("interrupted"));
}

TEST(LimitText, HasALineForEachStep) {
  const LimitResult result = search_ended_by(LimitedBy::kServer, "p99 was 31.0 ms");
  EXPECT_THAT(limit_heading(result), AllOf(HasSubstr("node server.js (mine)"),
                                           HasSubstr("p99 at most 10.0 ms"), HasSubstr("errors")));
  EXPECT_THAT(limit_line(result.steps[0]), AllOf(HasSubstr("200/s"), HasSubstr("held")));
  EXPECT_THAT(limit_line(result.steps[3]), HasSubstr("server: p99 was 31.0 ms"));
}

TEST(LimitJson, HoldsTheStepsAndTheKnee) {
  const std::string text = limit_json(search_ended_by(LimitedBy::kServer, "p99 was 31.0 ms"));
  EXPECT_TRUE(is_limit_json(text));
  EXPECT_FALSE(is_load_json(text));
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["held"], 400);
  EXPECT_EQ(json["not_held"], 420);
  EXPECT_EQ(json["limited_by"], "server");
  EXPECT_EQ(json["limit"]["p99_us"], 10'000);
  ASSERT_EQ(json["steps"].size(), 5u);
  EXPECT_EQ(json["steps"][0]["p99_us"], 1000);
  EXPECT_EQ(json["steps"][0]["reason"], nullptr);
  EXPECT_EQ(json["steps"][0]["held"], true);
  EXPECT_EQ(json["steps"][4]["limited_by"], "server");
}

TEST(LimitSvg, ShowsTheStepsTheLimitAndTheKnee) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(
      limit_svg(search_ended_by(LimitedBy::kServer, "p99 was 31.0 ms")).c_str()));
  const pugi::xml_node svg = document.child("svg");
  EXPECT_EQ(document.select_nodes("//svg/circle").size(), 2u);
  EXPECT_EQ(document.select_nodes("//svg/path[@stroke-width='2']").size(), 3u);
  std::string words;
  for (const pugi::xml_node text : svg.children("text")) words += text.text().get();
  EXPECT_THAT(words, AllOf(HasSubstr("limit 10.0 ms"), HasSubstr("knee 400/s")));
}

TEST(LimitSvg, StandsWithoutAnyFigure) {
  LimitResult result;
  result.limit = 10e6;
  result.steps = {step_at(25, 0, LimitedBy::kServer, "the server answered no request")};
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(limit_svg(result).c_str()));
  EXPECT_THAT(limit_svg(result), AllOf(Not(HasSubstr("nan")), Not(HasSubstr("inf"))));
}

TEST(LimitWriters, MakeWhatTheServerSaysHarmless) {
  LimitResult result = search_ended_by(LimitedBy::kServer, "bad\nline\x1b[31m</svg>");
  result.setting.server_name = "evil\x1b[31m<script>";
  EXPECT_THAT(limit_heading(result), Not(HasSubstr("\x1b")));
  EXPECT_THAT(knee_text(result), AllOf(Not(HasSubstr("\x1b")), HasSubstr("bad")));
  EXPECT_THAT(limit_svg(result), AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("<script>"))));
}

}  // namespace
}  // namespace assay::reports
