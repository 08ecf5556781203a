#include "reports/junit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <regex>
#include <set>
#include <string_view>
#include <vector>

#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;

pugi::xml_document parse(const Result& result) {
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(render_junit(result).c_str()));
  return document;
}

pugi::xml_node find_case(const pugi::xml_document& document, const char* id) {
  return document.find_node([id](const pugi::xml_node& node) {
    return std::string_view(node.attribute("name").value()) == id;
  });
}

TEST(Junit, SaysHowLongACaseTook) {
  Result result = testing::sample();
  result.runs.resize(1);
  result.runs[0].verdicts = {testing::verdict("ping.answered", Level::kMust, Outcome::kSatisfied)};
  result.runs[0].verdicts[0].duration_ms = 1234;
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(render_junit(result).c_str()));
  EXPECT_STREQ(document.select_node("//testcase").node().attribute("time").value(), "1.234");
}

TEST(Junit, HasASuiteForEachRun) {
  const pugi::xml_document document = parse(testing::sample());
  const pugi::xml_node root = document.child("testsuites");
  EXPECT_STREQ(root.child("testsuite").attribute("name").value(), "2025-11-25 stdio");
  EXPECT_EQ(std::distance(root.begin(), root.end()), 3);
  EXPECT_STREQ(root.attribute("time").value(), "0.812");
  EXPECT_EQ(root.attribute("tests").as_int(), 15);
  EXPECT_EQ(root.attribute("failures").as_int(), 2);
  EXPECT_EQ(root.attribute("errors").as_int(), 0);
  EXPECT_EQ(root.child("testsuite").attribute("skipped").as_int(), 5);
}

// The attributes that the schema of Jenkins' xunit plugin (junit-10.xsd) allows.
TEST(Junit, HasNoAttributeThatJenkinsRefuses) {
  const std::map<std::string_view, std::set<std::string_view>> allowed = {
      {"testsuites", {"name", "time", "tests", "failures", "errors"}},
      {"testsuite", {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"}},
      {"testcase", {"name", "classname", "time"}},
      {"failure", {"message", "type"}},
      {"error", {"message", "type"}},
      {"skipped", {"message"}},
      {"property", {"name", "value"}},
      {"properties", {}},
      {"system-out", {}}};
  Result result = testing::hostile();
  result.stale_expectations = {{"a.*", "", "", ""}};
  pugi::xml_document document = parse(result);
  struct Walker : pugi::xml_tree_walker {
    bool for_each(pugi::xml_node& node) override {
      nodes.push_back(node);
      return true;
    }
    std::vector<pugi::xml_node> nodes;
  } walker;
  document.traverse(walker);
  for (const pugi::xml_node& node : walker.nodes) {
    if (node.type() != pugi::node_element) continue;
    ASSERT_TRUE(allowed.contains(node.name())) << node.name();
    for (const pugi::xml_attribute& attribute : node.attributes()) {
      EXPECT_TRUE(allowed.at(node.name()).contains(attribute.name()))
          << node.name() << " " << attribute.name();
    }
  }
}

// What that schema asks of each element: attributes of their types, children in their order.
TEST(Junit, HasTheFormThatJenkinsAsksFor) {
  const std::map<std::string_view, std::vector<std::string_view>> required = {
      {"testsuite", {"name", "tests", "failures", "errors", "time"}},
      {"testcase", {"name", "classname", "time"}},
      {"failure", {"message", "type"}},
      {"error", {"message", "type"}},
      {"skipped", {"message"}},
      {"property", {"name", "value"}}};
  const std::map<std::string_view, std::regex> forms = {
      {"tests", std::regex(R"(\d+)")},
      {"failures", std::regex(R"(\d+)")},
      {"errors", std::regex(R"(\d+)")},
      {"skipped", std::regex(R"(\d+)")},
      {"time", std::regex(R"(\d+\.\d{3})")},
      {"timestamp", std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")}};
  const std::vector<std::string_view> order = {"properties", "testcase", "skipped",
                                               "error",      "failure",  "system-out"};
  for (Result result : {testing::sample(), testing::hostile(), testing::full(20)}) {
    result.stale_expectations = {{"a.*", "", "", ""}};
    const pugi::xml_document document = parse(result);
    for (const auto& found : document.select_nodes("//*")) {
      const pugi::xml_node node = found.node();
      const auto wanted = required.find(node.name());
      if (wanted != required.end()) {
        for (const std::string_view name : wanted->second) {
          EXPECT_TRUE(node.attribute(std::string(name).c_str()))
              << node.name() << " lacks " << name;
        }
      }
      for (const pugi::xml_attribute& attribute : node.attributes()) {
        const auto form = forms.find(attribute.name());
        if (form == forms.end()) continue;
        EXPECT_TRUE(std::regex_match(attribute.value(), form->second))
            << attribute.name() << "=" << attribute.value();
      }
      std::ptrdiff_t last = -1;
      for (const pugi::xml_node& child : node.children()) {
        if (child.type() != pugi::node_element || node.name() == std::string_view("testsuites")) {
          continue;
        }
        const auto place = std::find(order.begin(), order.end(), child.name()) - order.begin();
        EXPECT_GE(place, last) << child.name() << " in " << node.name();
        last = place;
      }
    }
  }
}

TEST(Junit, TheTotalsAreThoseOfTheCases) {
  const pugi::xml_document document = parse(testing::full(40));
  int all = 0;
  for (const auto& found : document.select_nodes("//testsuite")) {
    const pugi::xml_node suite = found.node();
    EXPECT_EQ(suite.attribute("tests").as_int(),
              static_cast<int>(suite.select_nodes("testcase").size()));
    EXPECT_EQ(suite.attribute("failures").as_int(),
              static_cast<int>(suite.select_nodes("testcase/failure").size()));
    EXPECT_EQ(suite.attribute("skipped").as_int(),
              static_cast<int>(suite.select_nodes("testcase/skipped").size()));
    all += suite.attribute("tests").as_int();
  }
  EXPECT_EQ(document.child("testsuites").attribute("tests").as_int(), all);
}

TEST(Junit, FailsOnlyWhatFailsTheRun) {
  Result result = testing::sample();
  EXPECT_TRUE(find_case(parse(result), "tools.name-unique").child("skipped"));
  EXPECT_TRUE(find_case(parse(result), "ping.answered").child("skipped"));
  result.is_strict = true;
  EXPECT_TRUE(find_case(parse(result), "tools.name-unique").child("failure"));
}

TEST(Junit, TellsTheWholeStoryOfAFailure) {
  const pugi::xml_document document = parse(testing::sample());
  const pugi::xml_node node = find_case(document, "lifecycle.version-supported-echo");
  EXPECT_STREQ(node.attribute("classname").value(), "lifecycle");
  EXPECT_STREQ(node.attribute("time").value(), "0.000");
  const pugi::xml_node failure = node.child("failure");
  EXPECT_STREQ(failure.attribute("message").value(),
               "asked for 2025-11-25, was answered 2024-11-05");
  EXPECT_THAT(failure.text().get(), HasSubstr("offending part: /result/protocolVersion"));
  EXPECT_THAT(failure.text().get(), HasSubstr("Reproduce: printf"));
}

TEST(Junit, SaysWhyACaseIsSkipped) {
  const pugi::xml_document document = parse(testing::sample());
  EXPECT_STREQ(
      find_case(document, "pagination.cursor-opaque").child("skipped").attribute("message").value(),
      "inconclusive: no list could be read (because of lifecycle.version-supported-echo)");
}

TEST(Junit, ReportsAnUntestableRunAsAnError) {
  Result result = testing::sample();
  result.runs.back().status = RunStatus::kFailed;
  result.runs.back().reason = "exited with status 1\nlast words";
  const pugi::xml_document document = parse(result);
  const pugi::xml_node error = find_case(document, "could be tested").child("error");
  EXPECT_STREQ(error.attribute("message").value(), "exited with status 1");
  EXPECT_THAT(error.text().get(), HasSubstr("last words"));
}

TEST(Junit, ReportsStaleExpectations) {
  Result result = testing::sample();
  result.stale_expectations = {{"tools.*", "2025-11-25", "", ""}};
  EXPECT_TRUE(find_case(parse(result), "tools.* in 2025-11-25").child("failure"));
}

TEST(Junit, HoldsOnlyCharactersThatXmlAllows) {
  const std::string text = render_junit(testing::hostile());
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(text.c_str()));
  for (const char c : text) {
    EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
  }
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_LT(text.size(), 200'000U);
}

}  // namespace
}  // namespace assay::reports
