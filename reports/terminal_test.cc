#include "reports/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "reports/escape.h"
#include "reports/result_testing.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string render(const Result& result, TerminalOptions options = {}) {
  return render_terminal(result, options);
}

Result clean() {
  Result result = testing::sample();
  result.runs.resize(1);
  result.runs[0].status = RunStatus::kConformant;
  std::erase_if(result.runs[0].verdicts,
                [](const Verdict& verdict) { return verdict.outcome != Outcome::kSatisfied; });
  return result;
}

std::string without_color(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b') {
      i = text.find('m', i);
    } else {
      out += text[i];
    }
  }
  return out;
}

TEST(Terminal, TellsTheWholeStoryOfAViolation) {
  const std::string text = render(testing::sample());
  EXPECT_THAT(text, HasSubstr("✗ MUST  lifecycle.version-supported-echo"));
  EXPECT_THAT(text, HasSubstr("\n    asked for 2025-11-25, was answered 2024-11-05\n"));
  EXPECT_THAT(text, HasSubstr("rule      A server that supports the requested version answers"));
  EXPECT_THAT(text, HasSubstr("basic/lifecycle#version-negotiation"));
  EXPECT_THAT(text, HasSubstr("seen      in 2025-11-25 stdio, 2025-11-25 http"));
  EXPECT_THAT(text, HasSubstr("client    event 1 on stdio"));
  EXPECT_THAT(text, HasSubstr("server    event 2 on stdio"));
  EXPECT_THAT(text, HasSubstr("    reproduce\n    printf"));
}

TEST(Terminal, TellsHowToFixItAndWhatTheRunCost) {
  Result result = testing::sample();
  for (Verdict& verdict : result.runs[1].verdicts) verdict.fix = "Answer with that version.";
  for (Verdict& verdict : result.runs[0].verdicts) verdict.fix = "Answer with that version.";
  result.runs[0].cost = {10, 1200, 300'000, 900'000};
  result.runs[1].cost = {1, 1, 0, 100'000};
  const std::string text = render(result);
  EXPECT_THAT(text, HasSubstr("fix       Answer with that version."));
  EXPECT_THAT(text, HasSubstr("\ncost: 11 sessions, 1201 requests, 1.3 MB\n"));
  EXPECT_THAT(render(testing::sample()), Not(HasSubstr("cost:")));
}

TEST(Terminal, TellsWhatAllWaitedForOnlyWhereEverythingIsShown) {
  Result result = testing::sample();
  result.runs[0].cost.waits = {{"brief", 99}, {"long", 1500}, {"longer", 2000}};
  result.runs[1].cost.waits = {{"long", 1000}};
  EXPECT_THAT(render(result), Not(HasSubstr("waits:")));
  EXPECT_THAT(render(result, {.verbose = true}),
              HasSubstr("\nwaits: 4.6 s for what did not come: long 2.5 s, longer 2.0 s\n"));
}

TEST(Terminal, TellsAMustBeforeAShouldAndTheNewestRevisionsEvidence) {
  Result result = testing::sample();
  result.runs.resize(2);
  result.runs[0].revision = "2025-06-18";
  result.runs[1].revision = "2025-11-25";
  for (auto& run : result.runs) {
    Verdict advice = testing::verdict("a.first", Level::kShould, Outcome::kViolated);
    Verdict failure = testing::verdict("z.last", Level::kMust, Outcome::kViolated);
    failure.detail = "seen in " + run.revision;
    run.verdicts = {advice, failure};
  }
  const std::string text = render(result);
  EXPECT_LT(text.find("✗ MUST  z.last"), text.find("! SHOULD  a.first"));
  EXPECT_THAT(text, HasSubstr("seen in 2025-11-25"));
  EXPECT_EQ(text.find("seen in 2025-06-18"), std::string::npos);
}

TEST(Terminal, UnderlinesTheOffendingPart) {
  const std::string text = render(testing::sample(), {false, 200, false, false});
  const std::size_t marked = text.find("\"protocolVersion\":\"2024-11-05\"");
  const std::size_t line = text.rfind('\n', marked);
  const std::size_t carets = text.find('^', marked);
  const std::size_t caret_line = text.rfind('\n', carets);
  ASSERT_NE(carets, std::string::npos);
  EXPECT_EQ(columns(text.substr(line, marked - line)),
            columns(text.substr(caret_line, carets - caret_line)));
}

TEST(Terminal, OfALongProofShowsHowItBeganAndHowItEnded) {
  Result result = testing::sample();
  Verdict long_one = testing::violation();
  const Evidence event = long_one.evidence[0];
  long_one.evidence.assign(6, event);
  for (std::size_t i = 0; i < 6; ++i) long_one.evidence[i].n = 11 + i;
  result.runs.resize(1);
  result.runs[0].verdicts = {long_one};
  const std::string text = render(result);
  for (const char* shown : {"event 11 on", "event 12 on", "event 15 on", "event 16 on"}) {
    EXPECT_THAT(text, HasSubstr(shown));
  }
  EXPECT_THAT(text, HasSubstr("2 events not shown"));
  EXPECT_THAT(text, Not(HasSubstr("event 13 on")));
}

TEST(Terminal, TellsARuleOnceForAllRuns) {
  const std::string text = render(testing::sample());
  const std::size_t first = text.find("MUST  lifecycle.version-supported-echo");
  EXPECT_EQ(text.find("MUST  lifecycle.version-supported-echo", first + 1), std::string::npos);
}

TEST(Terminal, SaysTheSameWithoutColor) {
  const TerminalOptions colored{true, 100, true, false};
  EXPECT_EQ(without_color(render(testing::sample(), colored)),
            render(testing::sample(), {false, 100, true, false}));
  EXPECT_THAT(render(testing::sample()), Not(HasSubstr("\x1b")));
}

TEST(Terminal, NamesTheNextStep) {
  const std::string text = render(testing::sample());
  EXPECT_THAT(text, HasSubstr("mcp-assay explain lifecycle.version-supported-echo"));
  EXPECT_THAT(text, HasSubstr("--verbose"));
}

TEST(Terminal, ShowsWhatWasNotJudgedWhenVerbose) {
  EXPECT_THAT(render(testing::sample()), Not(HasSubstr("sampling.user-consent")));
  const std::string text = render(testing::sample(), {false, 100, true, false});
  EXPECT_THAT(text, HasSubstr("sampling.user-consent"));
  EXPECT_THAT(text, HasSubstr("name a tool that samples in a --profile file"));
  EXPECT_THAT(text, HasSubstr("because of lifecycle.version-supported-echo"));
  EXPECT_THAT(text, HasSubstr("server listening"));
}

TEST(Terminal, IsBriefWhenQuiet) {
  EXPECT_EQ(render(clean(), {false, 100, false, true}),
            "Conformant in 1 run; 1 of 1 rule exercised.\n");
  const std::string text = render(testing::sample(), {false, 200, false, true});
  EXPECT_THAT(text, ::testing::StartsWith(
                        "✗ MUST  lifecycle.version-supported-echo: asked for 2025-11-25, was "
                        "answered 2024-11-05 (in 2025-11-25 stdio, 2025-11-25 http)\n"));
  EXPECT_THAT(text, ::testing::EndsWith("1 requirement violated; 4 of 6 rules exercised.\n"));
}

TEST(Terminal, PrintsOneLinePerViolationHoweverNarrowWhenQuiet) {
  const Result result = testing::full(3);
  std::istringstream lines(render(result, {false, 60, false, true}));
  std::size_t told = 0;
  for (std::string line; std::getline(lines, line);) told += line.starts_with("✗") ? 1 : 0;
  EXPECT_EQ(told, failures(result).size());
}

TEST(Terminal, FitsItsTableIntoEightyColumns) {
  Result result = testing::sample();
  for (reports::Run& run : result.runs) run.transport = "http+sse";
  std::istringstream lines(render(result, {false, 80, false, false}));
  bool is_table = false;
  for (std::string line; std::getline(lines, line);) {
    is_table = is_table || line.starts_with("run ");
    if (is_table) {
      EXPECT_LE(columns(line), 80U) << line;
    }
  }
  EXPECT_TRUE(is_table);
}

TEST(Terminal, BreaksWhatATargetSaidBehindABlankOrAComma) {
  Result result = testing::sample();
  result.runs.resize(1);
  Verdict verdict = testing::violation();
  verdict.evidence.resize(1);
  verdict.evidence[0].text = "{\"text\": \"";
  for (int i = 0; i < 40; ++i) verdict.evidence[0].text += "word" + std::to_string(i) + " ";
  result.runs[0].verdicts = {verdict};
  std::istringstream lines(render(result, {false, 80, false, false}));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("│") == std::string::npos || line.find("word39") != std::string::npos) continue;
    EXPECT_TRUE(line.ends_with(' ')) << line;
  }
}

TEST(Terminal, MarksWhatWeMadeWrongOnPurpose) {
  Result result = testing::sample();
  EXPECT_THAT(render(result), Not(HasSubstr("wrong on purpose")));
  for (reports::Run& run : result.runs) {
    for (Verdict& verdict : run.verdicts) {
      if (!verdict.evidence.empty()) verdict.evidence[0].is_deliberate = true;
    }
  }
  EXPECT_THAT(render(result), HasSubstr("client    event 1 on stdio, wrong on purpose"));
}

TEST(Terminal, EndsWithTheFirstFixAndWhereTheReportsAre) {
  Result result = testing::sample();
  for (reports::Run& run : result.runs) {
    for (Verdict& verdict : run.verdicts) verdict.fix = "Answer with that version.";
  }
  const std::string text = render(result, {false, 100, false, false, {"out/a.html", "out/a.json"}});
  EXPECT_THAT(text,
              HasSubstr("First, lifecycle.version-supported-echo: Answer with that version.\n"));
  EXPECT_THAT(text, ::testing::EndsWith("Report: out/a.html\nReport: out/a.json\n"
                                        "Run 'mcp-assay show' to open it.\n"));
}

TEST(Terminal, ConcludesByWhatFailsTheRun) {
  Result result = clean();
  EXPECT_THAT(render(result), HasSubstr("Conformant in 1 run;"));
  result.stale_expectations = {{"tools.*", "", "", ""}};
  EXPECT_THAT(render(result), HasSubstr("1 stale expectation;"));
  result.runs[0].status = RunStatus::kFailed;
  result.runs[0].reason = "cannot start: no such file";
  EXPECT_THAT(render(result), HasSubstr("The target could not be tested."));
  EXPECT_THAT(render(result), HasSubstr("cannot start: no such file"));
}

TEST(Terminal, TellsOfATestedRunWhyItWasNotJudgedWhole) {
  Result result = testing::sample();
  EXPECT_THAT(render(result), Not(HasSubstr("noted in")));
  result.runs[0].reason = "the server did not answer initialize\nit sent 1 message";
  EXPECT_THAT(render(result), HasSubstr("noted in 2025-11-25 stdio\n  │ the server did not answer "
                                        "initialize\n  │ it sent 1 message\n"));
}

TEST(Terminal, DoesNotCallAnExpectedFailureAViolation) {
  Result result = clean();
  Verdict expected = testing::violation();
  expected.is_expected = true;
  expected.expected_reason = "known";
  result.runs[0].verdicts = {expected};
  result.runs[0].status = RunStatus::kViolations;
  const std::string text = render(result);
  EXPECT_THAT(text, HasSubstr("No unexpected violation;"));
  EXPECT_THAT(text, HasSubstr("known"));
  EXPECT_THAT(text, Not(HasSubstr("✗")));
}

TEST(Terminal, KeepsHostileTextHarmlessAndBehindAGutter) {
  const std::string text = render(testing::hostile(), {false, 100, true, false});
  for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  EXPECT_EQ(printable_text(text), text);
  EXPECT_THAT(text, Not(HasSubstr("\nok 1 - forged")));
  EXPECT_LT(text.size(), 200'000U);
}

TEST(Terminal, StaysWithinItsWidth) {
  std::istringstream lines(render(testing::full(10), {false, 120, true, false}));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(columns(line), 120U) << line;
}

}  // namespace
}  // namespace assay::reports
