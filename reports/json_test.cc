#include "reports/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "reports/escape.h"
#include "reports/result_testing.h"
#include "reports/writer.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;

std::string parse_error_of(const std::string& text) {
  const std::variant<Result, std::string> parsed = parse_json(text);
  return std::holds_alternative<std::string>(parsed) ? std::get<std::string>(parsed) : "";
}

std::string with(const std::string& pointer, const nlohmann::json& value) {
  nlohmann::json report = nlohmann::json::parse(render_json(testing::sample()));
  report[nlohmann::json::json_pointer(pointer)] = value;
  return report.dump();
}

TEST(Json, RoundTripsEverything) {
  Result result = testing::sample();
  result.is_strict = true;
  result.runs[0].cost = {3, 40, 5000, 60'000, {{"shared session", 1200}}};
  result.rules_url = "https://example.com/rules";
  result.was_interrupted = true;
  result.stale_expectations = {{"tools.*", "2025-11-25", "http", "gone"}, {"ping.x", "", "", ""}};
  result.runs[0].verdicts[0].detail = testing::hostile_utf8();
  result.runs[0].verdicts[0].fix = "Say it once.";
  result.runs[0].verdicts[1].evidence = {
      {std::uint64_t{1} << 63U, 0.125, "client", "http/3", "x", "/a", true, true}};
  EXPECT_EQ(std::get<Result>(parse_json(render_json(result))), result);
}

TEST(Json, KeepsWhichExtensionsWereJudged) {
  Result result = testing::sample();
  result.runs.front().extensions = {{"io.modelcontextprotocol/tasks", "2026-07-28", true},
                                    {"com.example/other", "1", false}};
  EXPECT_EQ(std::get<Result>(parse_json(render_json(result))), result);
}

TEST(Json, RoundTripsAUrl) {
  Result result;
  result.target.url = "http://127.0.0.1:1/mcp";
  EXPECT_EQ(std::get<Result>(parse_json(render_json(result))), result);
}

TEST(Json, HasTheMembersOfTheContractInOrder) {
  const auto report = nlohmann::ordered_json::parse(render_json(testing::sample()));
  std::vector<std::string> members;
  for (const auto& [key, value] : report.items()) members.push_back(key);
  EXPECT_THAT(members, ::testing::ElementsAre("schema", "tool", "catalogue", "started",
                                              "duration_ms", "target", "runs"));
  EXPECT_EQ(report["schema"], "mcp-assay-report/2");
  EXPECT_TRUE(report["target"]["url"].is_null());
  EXPECT_EQ(report["runs"][0]["counts"]["must"]["violated"], 2);
  EXPECT_EQ(report["runs"][0]["counts"]["may"]["not_applicable"], 1);
  EXPECT_EQ(report["runs"][0]["verdicts"][1]["evidence"][1]["pointer"], "/result/protocolVersion");
}

TEST(Json, ReadsTheOlderSchema) {
  nlohmann::json report = nlohmann::json::parse(render_json(testing::sample()));
  report["schema"] = "mcp-assay-report/1";
  for (nlohmann::json& event : report["runs"][0]["verdicts"][1]["evidence"]) {
    event["direction"] = event["party"] == "client" ? "to_target" : "from_target";
    event.erase("party");
  }
  EXPECT_EQ(std::get<Result>(parse_json(report.dump())), testing::sample());
}

TEST(Json, ReplacesBytesThatAreNotUtf8) {
  const std::string text = render_json(testing::hostile());
  EXPECT_EQ(valid_utf8(text), text);
  const Result parsed = std::get<Result>(parse_json(text));
  EXPECT_THAT(parsed.target.name, HasSubstr("\xEF\xBF\xBD"));
}

TEST(Json, RefusesAnUnknownSchema) {
  EXPECT_THAT(parse_error_of(with("/schema", "mcp-assay-report/3")),
              HasSubstr("its schema is 'mcp-assay-report/3'"));
  EXPECT_THAT(parse_error_of("{\"a\":1}"), HasSubstr("not a report"));
  EXPECT_THAT(parse_error_of("[]"), HasSubstr("not a report"));
  EXPECT_THAT(parse_error_of("{\"schema\""), ::testing::StartsWith("not JSON: line 1, column 10"));
  EXPECT_THAT(parse_error_of(""), ::testing::StartsWith("not JSON: line 1, column 1"));
}

TEST(Json, NamesThePlaceOfAWrongMember) {
  EXPECT_EQ(parse_error_of(with("/runs/1/verdicts/0/level", "PERHAPS")),
            "/runs/1/verdicts/0: unknown level 'PERHAPS'");
  EXPECT_EQ(parse_error_of(with("/runs/0/status", 1)), "/runs/0: 'status' is not a string");
  EXPECT_EQ(parse_error_of(with("/duration_ms", "x")), "/: 'duration_ms' is not a whole number");
  EXPECT_EQ(parse_error_of(with("/runs", 1)), "/: 'runs' is not an array");
  EXPECT_EQ(parse_error_of(with("/target/command", {1})),
            "/target/command/0: a string is expected");
  EXPECT_EQ(parse_error_of(with("/target", nullptr)), "/: 'target' is missing");
}

TEST(Json, ErrorsSpellOutHostileText) {
  EXPECT_THAT(parse_error_of(with("/schema", "\x1b[2J")), HasSubstr("<U+001B>[2J"));
}

TEST(Formats, AreFoundByName) {
  ASSERT_NE(find_format("junit"), nullptr);
  EXPECT_EQ(find_format("nothing"), nullptr);
  for (const Format& format : formats()) {
    EXPECT_EQ(find_format(format.name), &format);
    EXPECT_FALSE(format.render(testing::sample()).empty()) << format.name;
  }
}

// Hostile text must not survive as bytes in any format.
TEST(Formats, AreValidUtf8WithoutControls) {
  const Result result = testing::hostile();
  for (const Format& format : formats()) {
    const std::string text = format.render(result);
    EXPECT_EQ(valid_utf8(text), text) << format.name;
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << format.name;
    EXPECT_EQ(text.find('\0'), std::string::npos) << format.name;
  }
}

}  // namespace
}  // namespace assay::reports
