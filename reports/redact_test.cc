#include "reports/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/json.h"
#include "reports/result_testing.h"
#include "reports/writer.h"

namespace assay::reports {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Redact, ReplacesEachFormOfAValue) {
  const std::vector<Secret> secrets = {{"pass\"word\\1", "${P}"}, {"tok-abcdef", "${T}"}};
  std::string text = R"(pass"word\1 {"x":"pass\"word\\1"} tok-abcdeftok-abcdef)";
  redact(text, secrets);
  EXPECT_EQ(text, R"(${P} {"x":"${P}"} ${T}${T})");
}

TEST(Redact, TheLongerValueGoesFirst) {
  std::string text = "Bearer tok-abcdef and tok-abcdef";
  redact(text, std::vector<Secret>{{"tok-abcdef", "B"}, {"Bearer tok-abcdef", "A"}});
  EXPECT_EQ(text, "A and B");
}

TEST(Redact, LeavesWordsThatAreFoundEverywhere) {
  std::string text = "debug 1 true";
  redact(text, std::vector<Secret>{{"debug", "A"}, {"1", "B"}, {"", "C"}, {"true", "D"}});
  EXPECT_EQ(text, "debug 1 true");
}

// A value that holds its own name must not be replaced for ever.
TEST(Redact, Ends) {
  std::string text = "secretsecret";
  redact(text, std::vector<Secret>{{"secretsecret", "secretsecretsecret"}});
  EXPECT_EQ(text, "secretsecretsecret");
}

TEST(Redact, NoFormatShowsASecretThatTheTargetRepeats) {
  const std::string value = "s3cr\"et-value";
  Result result = testing::sample();
  result.target.name = value;
  result.runs.back().reason = "stderr ends with: " + value;
  for (auto& run : result.runs) {
    for (Verdict& verdict : run.verdicts) {
      verdict.detail += value;
      verdict.hint += value;
      verdict.reproduce += value;
      for (Evidence& evidence : verdict.evidence) {
        evidence.text = R"({"x":"s3cr\"et-value"})";
      }
      if (!verdict.evidence.empty()) {
        verdict.evidence[0].text += value.substr(0, 10);
        verdict.evidence[0].is_cut = true;
      }
    }
  }
  redact(result, std::vector<Secret>{{value, "${KEY}"}});
  for (const Format& format : formats()) {
    const std::string text = format.render(result);
    EXPECT_THAT(text, Not(HasSubstr("s3cr"))) << format.name;
  }
  EXPECT_THAT(render_json(result), HasSubstr("${KEY}"));
}

}  // namespace
}  // namespace assay::reports
