// What the acts of a matrix come to, and how it is written and read back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reports/escape.h"
#include "reports/interop/interop_html.h"
#include "reports/interop/interop_json.h"
#include "reports/interop/interop_junit.h"
#include "reports/interop/interop_markdown.h"
#include "reports/interop/interop_result.h"
#include "reports/interop/interop_testing.h"
#include "reports/interop/interop_text.h"
#include "reports/interop/interop_writer.h"
#include "reports/markdown.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ActOutcome outcome(const InteropResult& result, std::size_t cell, std::string_view act) {
  return result.cells[cell].act(act)->outcome;
}

InteropResult settled(std::vector<PairCell> cells) {
  InteropResult result;
  result.cells = std::move(cells);
  settle_interop(result);
  return result;
}

PairCell one(const std::string& client, const std::string& server, ActSeen seen) {
  return testing::cell(client, server, {testing::act("call", seen)});
}

TEST(Interop, FailureWithABrokenRuleThereIsBlamedOnIt) {
  EXPECT_EQ(outcome(testing::matrix(), 0, "call"), ActOutcome::kFailsBroken);
}

TEST(Interop, FailureWithoutAnyBrokenRuleIsNobodysFault) {
  EXPECT_EQ(outcome(testing::matrix(), 1, "call"), ActOutcome::kFailsSound);
}

// It is not said that all rules were kept.
TEST(Interop, FailureWhereARuleIsUndecidedIsNotSound) {
  InteropResult result = testing::matrix();
  const auto is_call = [](const PairAct& act) { return act.act == "call"; };
  auto& acts = result.cells[1].acts;
  std::find_if(acts.begin(), acts.end(), is_call)->is_undecided = true;
  settle_interop(result);
  EXPECT_EQ(outcome(result, 1, "call"), ActOutcome::kFailsUnclear);
  const auto read = parse_interop_json(render_interop_json(result));
  EXPECT_EQ(std::get<InteropResult>(read).cells, result.cells);
}

TEST(Interop, RuleThatWasBrokenElsewhereIsNotTheReason) {
  EXPECT_EQ(outcome(testing::matrix(), 2, "call"), ActOutcome::kFailsUnclear);
  EXPECT_EQ(outcome(testing::matrix(), 2, "connect"), ActOutcome::kWorksThough);
}

TEST(Interop, WhatWorkedAloneIsNotRed) {
  EXPECT_EQ(outcome(testing::matrix(), 3, "call"), ActOutcome::kUnsteady);
  EXPECT_FALSE(has_failed(testing::matrix().cells[3]));
}

TEST(Interop, ActThatNoClientBeganIsUnsupported) {
  const InteropResult result = testing::matrix();
  EXPECT_EQ(outcome(result, 0, "prompt"), ActOutcome::kUnsupported);
  EXPECT_EQ(result.cells[0].act("prompt")->lacking, "client and server");
}

TEST(Interop, FailureWithEveryPeerCountsAsUnsupportedAndSaysSo) {
  const InteropResult result =
      settled({one("a", "x", ActSeen::kFailed), one("a", "y", ActSeen::kFailed),
               one("b", "x", ActSeen::kWorked), one("b", "y", ActSeen::kWorked)});
  const PairAct& act = result.cells[0].acts[0];
  EXPECT_EQ(act.outcome, ActOutcome::kUnsupported);
  EXPECT_EQ(act.lacking, "client");
  EXPECT_EQ(act.lacking_why, "it failed with each of 2 servers");
}

// A release that does nothing any more is not green.
TEST(Interop, WhoConnectsToNobodyFails) {
  std::vector<PairCell> cells = {
      testing::cell("a", "x", {testing::act("connect", ActSeen::kFailed)}),
      testing::cell("a", "y", {testing::act("connect", ActSeen::kFailed)})};
  const InteropResult result = settled(std::move(cells));
  EXPECT_EQ(outcome(result, 0, "connect"), ActOutcome::kFailsSound);
  EXPECT_EQ(outcome(result, 1, "connect"), ActOutcome::kFailsSound);
}

TEST(Interop, FailureWithTheOnlyPeerIsNotUnsupported) {
  const InteropResult result = settled({one("a", "x", ActSeen::kFailed)});
  EXPECT_EQ(result.cells[0].acts[0].outcome, ActOutcome::kFailsSound);
}

TEST(Interop, BrokenRuleIsRedAlsoWhereItFailsWithEveryPeer) {
  std::vector<PairCell> cells = {one("a", "x", ActSeen::kFailed), one("a", "y", ActSeen::kFailed)};
  cells[0].breaches = {{"client", 0, {}}};
  cells[0].acts[0].breaches = {0};
  const InteropResult result = settled(std::move(cells));
  EXPECT_EQ(outcome(result, 0, "call"), ActOutcome::kFailsBroken);
  EXPECT_EQ(outcome(result, 1, "call"), ActOutcome::kUnsupported);
}

TEST(Interop, AbilityIsOfOneTransportAndEra) {
  std::vector<PairCell> cells = {one("a", "x", ActSeen::kWorked),
                                 one("a", "x", ActSeen::kNotBegun)};
  cells[1].transport = "http";
  EXPECT_EQ(outcome(settled(std::move(cells)), 1, "call"), ActOutcome::kUnsupported);
}

TEST(Interop, ActThatBothCanDoAndTheClientLeftOutIsNotTested) {
  const InteropResult result =
      settled({one("a", "x", ActSeen::kNotBegun), one("a", "y", ActSeen::kWorked),
               one("b", "x", ActSeen::kWorked)});
  EXPECT_EQ(outcome(result, 0, "call"), ActOutcome::kNotTested);
}

TEST(Interop, CellThatWasNotRunIsNotTested) {
  std::vector<PairCell> cells = {one("a", "x", ActSeen::kNotReached)};
  cells[0].not_run = "interrupted";
  EXPECT_EQ(outcome(settled(std::move(cells)), 0, "call"), ActOutcome::kNotTested);
}

TEST(Interop, SettlingTwiceChangesNothing) {
  InteropResult result = testing::matrix();
  settle_interop(result);
  EXPECT_EQ(result, testing::matrix());
}

TEST(Interop, CountsLeaveTheTrialsOut) {
  const ActCounts counts = count(testing::matrix());
  EXPECT_EQ(counts.at(ActOutcome::kFailsSound), 1);
  EXPECT_EQ(conclusion(testing::matrix()),
            "3 of 4 cells fail; 7 acts work, 3 fail (1 though no rule was broken), 1 failed once");
}

TEST(InteropJson, ReadsBackWhatItWrote) {
  const InteropResult result = testing::matrix();
  const auto parsed = parse_interop_json(render_interop_json(result));
  ASSERT_TRUE(std::holds_alternative<InteropResult>(parsed)) << std::get<std::string>(parsed);
  EXPECT_EQ(std::get<InteropResult>(parsed), result);
}

TEST(InteropJson, IsToldFromAReport) {
  EXPECT_TRUE(is_interop_json(render_interop_json(testing::matrix())));
  EXPECT_FALSE(is_interop_json(R"({"schema": "mcp-assay-report/2"})"));
}

TEST(InteropJson, SaysWhatIsWrong) {
  const auto error = [](std::string_view text) {
    return std::get<std::string>(parse_interop_json(text));
  };
  EXPECT_THAT(error("{"), HasSubstr("not JSON"));
  EXPECT_THAT(error(R"({"schema": "other/1"})"), HasSubstr("its schema is 'other/1'"));
  EXPECT_THAT(error(R"({"schema": "mcp-assay-interop/1"})"), HasSubstr("'tool' is missing"));
}

// A report is anybody's: what it points to has to be there.
TEST(InteropJson, DropsWhatPointsNowhere) {
  nlohmann::json json = nlohmann::json::parse(render_interop_json(testing::matrix()));
  json["cells"][0]["acts"][1]["breaches"] = {0, 999};
  json["cells"][0]["acts"][1]["parting"]["session"] = 999;
  const auto parsed = parse_interop_json(json.dump());
  const PairAct& act = std::get<InteropResult>(parsed).cells[0].acts[1];
  EXPECT_EQ(act.breaches, std::vector<std::size_t>{0});
  EXPECT_FALSE(act.parting);
}

// More than a report keeps: what decides an act stays, and the rest goes.
InteropResult with_a_long_exchange() {
  InteropResult result = testing::matrix();
  PairCell& cell = result.cells[0];
  const PairBreach counts = cell.breaches[0];
  cell.breaches.clear();
  for (std::size_t i = 0; i < 100; ++i) {
    cell.sessions.push_back(cell.sessions.front());
    cell.sessions.back().start = "start " + std::to_string(i + 1);
    cell.breaches.push_back({"client", i, {}});
  }
  cell.breaches.push_back(counts);
  cell.breaches.back().session = 90;
  cell.acts[1].breaches = {99, 100};
  cell.acts[1].parting->session = 95;
  settle_interop(result);
  return result;
}

TEST(InteropBound, KeepsWhatDecidesAnAct) {
  InteropResult result = with_a_long_exchange();
  ASSERT_EQ(outcome(result, 0, "call"), ActOutcome::kFailsBroken);
  bound(result);
  const PairCell& cell = result.cells[0];
  EXPECT_LE(cell.sessions.size(), 40u);
  EXPECT_LE(cell.breaches.size(), 60u);
  const PairAct& call = *cell.act("call");
  ASSERT_TRUE(call.parting);
  EXPECT_EQ(cell.sessions[call.parting->session].start, "start 95");
  const PairBreach& breach = cell.breaches[call.breaches.back()];
  EXPECT_EQ(breach.party, "server");
  EXPECT_EQ(cell.sessions[breach.session].start, "start 90");
  settle_interop(result);
  EXPECT_EQ(outcome(result, 0, "call"), ActOutcome::kFailsBroken);
}

TEST(InteropBound, ChangesNoOutcomeOnTheWayThroughAReport) {
  InteropResult result = with_a_long_exchange();
  const ActCounts before = count(result);
  bound(result);
  const auto read = parse_interop_json(render_interop_json(result));
  EXPECT_EQ(count(std::get<InteropResult>(read)), before);
  EXPECT_EQ(std::get<InteropResult>(read), result);
}

TEST(Interop, MatrixWithoutACellSaysWhy) {
  InteropResult result = testing::matrix();
  std::erase_if(result.cells, [&](const PairCell& each) { return !is_trial(result, each); });
  result.no_cells = "no client and server of it both speak http";
  EXPECT_EQ(conclusion(result), "Nothing was run: no client and server of it both speak http");
  const auto read = parse_interop_json(render_interop_json(result));
  EXPECT_EQ(conclusion(std::get<InteropResult>(read)), conclusion(result));
}

TEST(InteropText, TellsTheBlameTheRuleAndTheBytes) {
  TerminalOptions options;
  const std::string text = render_interop_text(testing::matrix(), options);
  EXPECT_THAT(text, HasSubstr("✗ alpha > files, stdio, newest"));
  EXPECT_THAT(text, HasSubstr("call a tool: fails, and a rule was broken"));
  EXPECT_THAT(text, HasSubstr("the server broke " +
                              testing::matrix().cells[0].breaches[0].verdict.requirement));
  EXPECT_THAT(text, HasSubstr("call a tool: fails, though no rule was broken"));
  EXPECT_THAT(text, HasSubstr("\"code\":-32602"));
  EXPECT_THAT(text, HasSubstr("3 of 4 cells fail"));
}

TEST(InteropText, EndsWithWhereTheReportsAre) {
  TerminalOptions options;
  options.kept = {"out/m.html", "out/m.json"};
  EXPECT_THAT(render_interop_text(testing::matrix(), options),
              ::testing::EndsWith("Report: out/m.html\nReport: out/m.json\n"
                                  "Run 'mcp-assay show' to open it.\n"));
}

TEST(InteropText, IsOneLineForEachFailureWhereItIsQuiet) {
  TerminalOptions options;
  options.quiet = true;
  const std::string text = render_interop_text(testing::matrix(), options);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

// Of any format: not even a code point that only turns the text around it.
TEST(InteropFormats, LetNothingTakeEffect) {
  for (const InteropFormat& format : interop_formats()) {
    const std::string rendered = format.render(testing::hostile_matrix());
    for (std::string_view text = rendered; !text.empty();) {
      const CodePoint point = first_code_point(text);
      const bool is_ours = point.value == '\n' || point.value == 0x2060;  // Markdown's word joiner
      ASSERT_TRUE(is_ours || !is_unsafe(point.value)) << format.name << " U+" << point.value;
      text.remove_prefix(point.size);
    }
    const bool is_markup = format.name == "html" || format.name == "junit";
    if (!is_markup) continue;
    EXPECT_THAT(rendered, Not(HasSubstr("<img"))) << format.name;
    EXPECT_THAT(rendered, Not(HasSubstr("<script>window"))) << format.name;
    EXPECT_THAT(rendered, Not(HasSubstr("href=\"javascript"))) << format.name;
  }
}

TEST(InteropFormats, AreFoundByName) {
  EXPECT_NE(find_interop_format("html"), nullptr);
  EXPECT_EQ(find_interop_format("sarif"), nullptr);
}

TEST(InteropMarkdown, IsShortEnoughForAComment) {
  InteropResult result = testing::matrix();
  const PairCell failing = result.cells[0];
  for (int i = 0; i < 400; ++i) result.cells.push_back(failing);
  const std::string text = render_interop_markdown(result);
  EXPECT_LE(text.size(), kMaxMarkdownBytes);
  EXPECT_THAT(text, HasSubstr("left out here: see the page or the JSON report"));
}

TEST(InteropJunit, HasASuiteForEachCellAndACaseForEachAct) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(render_interop_junit(testing::matrix()).c_str()));
  const pugi::xml_node root = document.child("testsuites");
  EXPECT_EQ(root.attribute("failures").as_int(), 3);
  EXPECT_EQ(std::distance(root.children("testsuite").begin(), root.children("testsuite").end()), 4);
  const pugi::xml_node failure =
      root.child("testsuite").find_child_by_attribute("testcase", "name", "call").child("failure");
  EXPECT_STREQ(failure.attribute("type").as_string(), "fails_broken");
}

TEST(InteropHtml, HasAFilterForGatewaysWhereThereIsOne) {
  EXPECT_THAT(render_interop_html(testing::matrix()), Not(HasSubstr("id=\"filter-gateway\"")));
  const std::string page = render_interop_html(testing::matrix_with_gateway());
  EXPECT_THAT(page, HasSubstr("id=\"filter-gateway\""));
  EXPECT_THAT(page, HasSubstr("<option value=\"edge\">"));
  EXPECT_THAT(page, HasSubstr("data-gateway=\"edge\""));
  EXPECT_THAT(page, HasSubstr("data-gateway=\"(none)\""));
}

TEST(InteropHtml, StaysSmallWhateverPassed) {
  InteropResult result = testing::matrix();
  for (PairCell& cell : result.cells) {
    cell.sessions.front().events.resize(2);
    for (int i = 0; i < 5000; ++i) {
      Evidence event = cell.sessions.front().events.front();
      event.n = static_cast<std::uint64_t>(i + 3);
      event.text = std::string(3000, '<');
      cell.sessions.front().events.push_back(event);
    }
  }
  EXPECT_LT(render_interop_html(result).size(), 16'000'000u);
}

}  // namespace
}  // namespace assay::reports
