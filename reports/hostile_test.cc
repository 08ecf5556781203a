// Whatever a target says, in whatever place: no format lets it take effect, or grow without bound.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "reports/bound.h"
#include "reports/escape.h"
#include "reports/json.h"
#include "reports/overview.h"
#include "reports/result_testing.h"
#include "reports/terminal.h"
#include "reports/writer.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A result in which the text stands wherever a target, or a report that somebody hands us, may put
// it.
Result with(const std::string& text) {
  Result result = testing::sample();
  result.target.name = result.target.version = result.target.label = text;
  result.target.command = {"node", text};
  result.tool_version = result.catalogue_version = result.started = text;
  result.runs.back().status = RunStatus::kFailed;
  result.runs.back().reason = "exited with status 1\nstderr ends with:\n" + text;
  result.stale_expectations = {{text, text, text, text}};
  for (Verdict& verdict : result.runs.front().verdicts) {
    for (std::string* each : {&verdict.detail, &verdict.hint, &verdict.summary, &verdict.scenario,
                              &verdict.spec, &verdict.reproduce, &verdict.caused_by}) {
      *each = text;
    }
    if (verdict.is_expected) verdict.expected_reason = text;
    for (Evidence& evidence : verdict.evidence) {
      evidence.text = evidence.lane = evidence.pointer = text;
    }
  }
  return result;
}

std::vector<std::pair<std::string, std::string>> renderings(const Result& result) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const Format& format : formats()) {
    out.emplace_back(std::string(format.name), format.render(result));
  }
  const OverviewEntry entries[] = {{&result, "x.html"}};
  out.emplace_back("overview", render_overview(entries));
  out.emplace_back("overview text", render_overview_text(entries));
  out.emplace_back("verbose text", render_terminal(result, {false, 100, true, false}));
  return out;
}

// Not even a code point that only turns the text around it is let through.
TEST(Hostile, NothingThatTakesEffectIsInAnyFormat) {
  for (const auto& [name, rendered] : renderings(with(testing::hostile_text()))) {
    std::string_view text = rendered;
    while (!text.empty()) {
      const CodePoint point = first_code_point(text);
      const auto at = static_cast<std::size_t>(text.data() - rendered.data());
      const bool is_ours = point.value == '\n' || point.value == 0x2060;  // Markdown's word joiner
      ASSERT_TRUE(point.is_valid) << name;
      ASSERT_TRUE(is_ours || !is_unsafe(point.value))
          << name << " has U+" << std::hex << point.value << " behind "
          << rendered.substr(0, at).substr(at - std::min<std::size_t>(at, 60));
      text.remove_prefix(point.size);
    }
  }
}

// Markdown has code blocks in which markup is text: markdown_test.cc renders it.
TEST(Hostile, NothingBecomesMarkup) {
  for (const auto& [name, rendered] : renderings(with(testing::hostile_text()))) {
    const bool is_markup =
        name == "html" || name == "overview" || name == "badge" || name == "junit";
    if (!is_markup) continue;
    EXPECT_THAT(rendered, Not(HasSubstr("<img"))) << name;
    EXPECT_THAT(rendered, Not(HasSubstr("<script>window"))) << name;
    EXPECT_THAT(rendered, Not(HasSubstr("href=\"javascript"))) << name;
  }
}

TEST(Hostile, MegabytesBecomeAReportOfAReadableSize) {
  const std::string text = R"({"x":")" + std::string(10'000'000, '<');
  const std::string shorter = text.substr(0, 1'000'000);
  Result result = with("");
  result.target.name = text;
  result.runs.back().reason = shorter;
  Verdict& verdict = result.runs.front().verdicts.front();
  verdict = testing::violation();
  verdict.detail = verdict.hint = verdict.reproduce = shorter;
  verdict.evidence[1].text = text;
  verdict.evidence[1].pointer = "/x";
  for (const auto& [name, rendered] : renderings(result)) {
    if (name == "json") continue;  // keeps what it is given: bound() comes first
    EXPECT_LT(rendered.size(), 400'000U) << name;
  }
  bound(result);
  EXPECT_LT(render_json(result).size(), 100'000U);
  EXPECT_THAT(result.runs.back().reason, HasSubstr("[cut: "));
  EXPECT_TRUE(result.runs.front().verdicts.front().evidence[1].is_cut);
}

TEST(Hostile, JsonSaysTheSameWithItsUnsafePartsSpelledOut) {
  const std::string text = testing::hostile_utf8() + "\xF3\xA0\x80\x81 \xC3\xA9";
  const std::string safe = safe_json(nlohmann::json(text).dump());
  EXPECT_EQ(nlohmann::json::parse(safe).get<std::string>(), text);
  EXPECT_THAT(safe, HasSubstr("\\u202e"));
  EXPECT_THAT(safe, HasSubstr("\\udb40\\udc01"));
  EXPECT_THAT(safe, HasSubstr("\xC3\xA9"));
}

// A line of the target's must not look like one of ours.
TEST(Hostile, TextForgesNoLineOfOurs) {
  Result result = with("x\nok 1 - forged\n\nNo unexpected violation.\n\n2025-11-25  conformant");
  result.runs.back().reason.clear();
  for (const auto& [name, rendered] : renderings(result)) {
    if (name != "tap" && name != "text" && name != "statement" && name != "overview text") continue;
    EXPECT_THAT(rendered, Not(HasSubstr("\nok 1 - forged"))) << name;
    EXPECT_THAT(rendered, Not(HasSubstr("\nNo unexpected violation"))) << name;
    EXPECT_THAT(rendered, Not(HasSubstr("\n2025-11-25  conformant"))) << name;
  }
}

}  // namespace
}  // namespace assay::reports
