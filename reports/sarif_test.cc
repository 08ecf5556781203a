// SARIF 2.1.0 as the standard (OASIS, section 3) and GitHub's upload want it.
#include "reports/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using nlohmann::json;

// The shape of an object: its members and what each holds. A member that is not named here does not
// stand in the schema, which allows no others.
struct Shape {
  const char* name;
  std::vector<const char*> required;
  std::map<std::string, const char*> members;  // to a type, "[]" behind it for an array of it
};

const std::map<std::string, Shape>& shapes() {
  static const std::map<std::string, Shape> kShapes = {
      {"log",
       {"sarifLog",
        {"version", "runs"},
        {{"$schema", "uri"}, {"version", "text"}, {"runs", "run[]"}}}},
      {"run",
       {"run",
        {"tool"},
        {{"tool", "tool"},
         {"automationDetails", "automation"},
         {"invocations", "invocation[]"},
         {"results", "result[]"},
         {"columnKind", "columnKind"}}}},
      {"tool", {"tool", {"driver"}, {{"driver", "driver"}}}},
      {"driver",
       {"toolComponent",
        {"name"},
        {{"name", "text"}, {"version", "text"}, {"informationUri", "uri"}, {"rules", "rule[]"}}}},
      {"rule",
       {"reportingDescriptor",
        {"id"},
        {{"id", "text"},
         {"shortDescription", "message"},
         {"helpUri", "uri"},
         {"defaultConfiguration", "configuration"},
         {"properties", "bag"}}}},
      {"configuration", {"reportingConfiguration", {}, {{"level", "level"}}}},
      {"automation", {"runAutomationDetails", {}, {{"id", "text"}}}},
      {"invocation",
       {"invocation",
        {"executionSuccessful"},
        {{"executionSuccessful", "flag"}, {"toolExecutionNotifications", "notification[]"}}}},
      {"notification", {"notification", {"message"}, {{"level", "level"}, {"message", "message"}}}},
      {"result",
       {"result",
        {"message"},
        {{"ruleId", "text"},
         {"ruleIndex", "index"},
         {"level", "level"},
         {"message", "message"},
         {"locations", "location[]"},
         {"partialFingerprints", "strings"},
         {"properties", "bag"},
         {"suppressions", "suppression[]"}}}},
      {"message", {"message", {"text"}, {{"text", "text"}}}},
      {"location",
       {"location", {}, {{"physicalLocation", "physical"}, {"logicalLocations", "logical[]"}}}},
      {"physical",
       {"physicalLocation",
        {"artifactLocation"},
        {{"artifactLocation", "artifact"}, {"region", "region"}}}},
      {"artifact", {"artifactLocation", {}, {{"uri", "path"}}}},
      {"region", {"region", {}, {{"startLine", "line"}}}},
      {"logical", {"logicalLocation", {}, {{"fullyQualifiedName", "text"}, {"kind", "text"}}}},
      {"suppression",
       {"suppression", {"kind"}, {{"kind", "suppressionKind"}, {"justification", "text"}}}}};
  return kShapes;
}

bool is_of_simple_type(const json& value, const std::string& type) {
  const auto is_one_of = [&value](const std::set<std::string>& words) {
    return value.is_string() && words.contains(value.get<std::string>());
  };
  if (type == "text") return value.is_string() && !value.get<std::string>().empty();
  if (type == "uri") {
    return value.is_string() &&
           std::regex_match(value.get<std::string>(), std::regex(R"([a-z]+://[^\s<>"{}|\\^`]+)"));
  }
  if (type == "path") {
    return value.is_string() &&
           std::regex_match(value.get<std::string>(), std::regex(R"([\w./-]+)"));
  }
  if (type == "flag") return value.is_boolean();
  if (type == "index") return value.is_number_integer() && value >= 0;
  if (type == "line") return value.is_number_integer() && value >= 1;
  if (type == "level") return is_one_of({"none", "note", "warning", "error"});
  if (type == "columnKind") return is_one_of({"utf16CodeUnits", "unicodeCodePoints"});
  if (type == "suppressionKind") return is_one_of({"inSource", "external"});
  if (type == "bag") return value.is_object();
  if (type == "strings") {
    return value.is_object() && std::all_of(value.begin(), value.end(),
                                            [](const json& each) { return each.is_string(); });
  }
  return false;
}

void check(const json& value, std::string type, const std::string& where) {
  if (type.ends_with("[]")) {
    type.resize(type.size() - 2);
    ASSERT_TRUE(value.is_array()) << where;
    for (std::size_t i = 0; i < value.size(); ++i) {
      check(value[i], type, where + "/" + std::to_string(i));
    }
    return;
  }
  const auto shape = shapes().find(type);
  if (shape == shapes().end()) {
    EXPECT_TRUE(is_of_simple_type(value, type)) << where << " is no " << type << ": " << value;
    return;
  }
  ASSERT_TRUE(value.is_object()) << where;
  for (const char* required : shape->second.required) {
    EXPECT_TRUE(value.contains(required)) << where << " lacks " << required;
  }
  for (const auto& [key, member] : value.items()) {
    const auto known = shape->second.members.find(key);
    ASSERT_NE(known, shape->second.members.end())
        << where << ": a " << shape->second.name << " has no member " << key;
    check(member, known->second, where + "/" + key);
  }
}

TEST(SarifShape, IsThatOfTheStandard) {
  for (const Result& result : {testing::sample(), testing::hostile(), testing::full(60)}) {
    const json sarif = json::parse(render_sarif(result));
    check(sarif, "log", "");
    EXPECT_EQ(sarif["version"], "2.1.0");
  }
}

TEST(SarifShape, RulesAreUniqueAndResultsPointToThem) {
  const json run = json::parse(render_sarif(testing::full(60)))["runs"][0];
  std::set<std::string> ids;
  const json& rules = run["tool"]["driver"]["rules"];
  for (const json& rule : rules) EXPECT_TRUE(ids.insert(rule["id"]).second) << rule["id"];
  for (const json& result : run["results"]) {
    ASSERT_LT(result["ruleIndex"].get<std::size_t>(), rules.size());
    EXPECT_EQ(rules[result["ruleIndex"].get<std::size_t>()]["id"], result["ruleId"]);
  }
}

TEST(SarifShape, PointsToTheFileOfTheUserOrToNone) {
  const auto location = [](const Result& result) {
    return json::parse(render_sarif(result))["runs"][0]["results"][0]["locations"][0];
  };
  Result result = testing::sample();
  EXPECT_FALSE(location(result).contains("physicalLocation"));
  EXPECT_TRUE(location(result).contains("logicalLocations"));
  result.target.source = "src/my server.js";
  EXPECT_EQ(location(result)["physicalLocation"]["artifactLocation"]["uri"], "src/my%20server.js");
  result.target.source = "/srv/server.js";
  EXPECT_EQ(location(result)["physicalLocation"]["artifactLocation"]["uri"],
            "file:///srv/server.js");
}
TEST(SarifShape, TellsServersOfAListApart) {
  const auto category = [](const Result& result) {
    return json::parse(render_sarif(result))["runs"][0]["automationDetails"]["id"];
  };
  Result result = testing::sample();
  result.target.label = "";
  EXPECT_EQ(category(result), "mcp-assay/server/");
  result.target.label = "my server";
  EXPECT_EQ(category(result), "mcp-assay/server/my%20server/");
}

// GitHub refuses more than 25,000 results of a run, and shows 5,000.
TEST(SarifShape, AFullRunStaysWithinWhatGithubTakes) {
  const std::string text = render_sarif(testing::full(400));
  EXPECT_LT(json::parse(text)["runs"][0]["results"].size(), 5000U);
  EXPECT_LT(text.size(), 10'000'000U);
}

TEST(SarifShape, HelpsWithThePageOfTheRuleWhereThereIsOne) {
  Result result = testing::sample();
  const auto rule = [&result] {
    return nlohmann::json::parse(render_sarif(result))["runs"][0]["tool"]["driver"]["rules"][0];
  };
  EXPECT_THAT(rule()["helpUri"], ::testing::StartsWith("https://modelcontextprotocol.io/"));
  result.rules_url = "https://example.com/rules";
  for (auto& run : result.runs) {
    for (Verdict& verdict : run.verdicts) verdict.fix = "Say it once.";
  }
  EXPECT_EQ(rule()["helpUri"],
            "https://example.com/rules/" + rule()["id"].get<std::string>() + ".html");
  EXPECT_EQ(rule()["help"]["text"], "How to fix: Say it once.");
}

}  // namespace
}  // namespace assay::reports
