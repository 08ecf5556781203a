// What the schemas for editors say beside what the readers of the files say.
#include "harness/project/file_schemas.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "harness/frame/command.h"
#include "harness/profile/profile.h"
#include "reference/model/schema_check.h"
#include "reports/event_lines.h"
#include "reports/expected.h"
#include "reports/interop/interop_json.h"
#include "reports/interop/interop_testing.h"
#include "reports/json.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

bool conforms(const char* name, const char* text) {
  const auto outcome = model::check_against_schema(file_schema(name), Json::parse(text)).outcome;
  EXPECT_NE(outcome, model::SchemaOutcome::kInconclusive) << text;
  return outcome == model::SchemaOutcome::kValid;
}

TEST(FileSchemas, SayOfMatricesWhatTheirWriterWrites) {
  reports::InteropResult matrix = reports::testing::matrix();
  matrix.changed_since = "2026-01-30T12:00:00Z";
  matrix.changes = {{true, 0, "worked, and fails now"}};
  matrix.shard = {1, 2};
  EXPECT_TRUE(conforms("interop-report", reports::render_interop_json(matrix).c_str()));
  EXPECT_FALSE(conforms("interop-report", R"({"schema": "mcp-assay-interop/1", "cells": []})"));
}

TEST(FileSchemas, AreSchemas) {
  for (const std::string& name : file_schema_names()) {
    EXPECT_EQ(model::check_schema(file_schema(name)).outcome, model::SchemaOutcome::kValid) << name;
  }
  EXPECT_TRUE(file_schema("papyrus").is_null());
}

// JSON is YAML, so that both can read the same text.
TEST(FileSchemas, SayOfProfilesWhatTheirReaderSays) {
  for (const char* text :
       {R"({"name": "n", "about": "a"})",
        R"({"detect": {"server": ["a", "b"], "tools": 3}})",
        R"({"detect": {"tools": 0}})",
        R"({"detect": {"tool": 1}})",
        R"({"papyrus": 1})",
        R"({"tools": {"a": null, "b": "never", "c": {"arguments": {"x": [1]}}}})",
        R"({"tools": {"a": "always"}})",
        R"({"tools": {"a": []}})",
        R"({"tools": {"a": [{"does": "fails"}, {"does": ["logs", "takes-time"]}]}})",
        R"({"tools": {"a": {"does": "sings"}}})",
        R"({"tools": {"a": {"dose": "fails"}}})",
        R"({"tools": {"a": {"does": "updates-resource"}}})",
        R"({"tools": {"a": {"does": ["updates-resource"], "resource": "x://y"}}})",
        R"({"tools": {"a": {"does": "logs", "resource": "x://y"}}})",
        R"({"tools": {"a": {"scopes": ["x:y", "z"]}, "b": {"scopes": "x"}}})",
        R"({"tools": {"a": {"scopes": {"x": 1}}}})",
        R"({"prompts": {"p": null, "q": {"arguments": {"a": "b"}}}})",
        R"({"prompts": {"q": {"arguments": {"a": 1}}}})",
        R"({"prompts": {"q": {"text": {}}}})",
        R"({"resources": {"read": "x://y", "skip": ["x://z"]}})",
        R"({"resources": {"write": "a"}})",
        R"({"completions": [{"prompt": "p", "argument": "a", "value": "v"}]})",
        R"({"completions": [{"prompt": "p", "resource": "r", "argument": "a"}]})",
        R"({"completions": [{"argument": "a"}]})",
        R"({"completions": {"prompt": "p"}})",
        R"({"scopes": {"a": ["a:b"], "c": "c:d"}})",
        R"({"scopes": {"a": 1}})",
        R"({"client": {"lists-tools": null, "calls-tool": ["a", ["{name}", 1]]}})",
        R"({"client": {"gets-prompt": {"append": ["a"], "environment": {"A": "b", "C": 1}}}})",
        R"({"client": {"logs-in": {"command": ["a", "{url}"]}}})",
        R"({"client": {}})",
        R"({"client": ["a"]})",
        R"({"client": {"sings": ["a"]}})",
        R"({"client": {"lists-tools": "a"}})",
        R"({"client": {"lists-tools": [["a"]]}})",
        R"({"client": {"calls-tool": [null]}})",
        R"({"client": {"calls-tool": {"command": []}}})",
        R"({"client": {"calls-tool": {"command": [["a"]]}}})",
        R"({"client": {"calls-tool": {"append": ["a"], "command": ["b"]}}})",
        R"({"client": {"calls-tool": {"environment": {"A=B": "c"}}}})",
        R"({"client": {"calls-tool": {"words": ["a"]}}})"}) {
    const bool is_read =
        std::holds_alternative<harness::Profile>(harness::parse_profile(text, "x"));
    EXPECT_EQ(conforms("profile", text), is_read) << text;
  }
}

TEST(FileSchemas, SayOfExpectedFailuresWhatTheirReaderSays) {
  for (const char* text :
       {"null", R"({"server": null})", R"({"server": ["a.b", {"requirement": "c.*"}]})",
        R"({"client": [{"requirement": "a", "revision": "2025-06-18", "transport": ["stdio"],
                        "reason": "why"}]})",
        R"({"authorization": ["a.b"]})", R"({"servers": []})", R"({"server": "a.b"})",
        R"({"server": [{"reason": "why"}]})",
        R"({"server": [{"requirement": "a", "revision": []}]})",
        R"({"server": [{"requirement": "a", "since": "2026-01-31"}]})",
        R"({"server": [{"requirement": "a", "since": "x"}]})",
        R"({"server": [{"requirement": "a", "until": "x"}]})", "[]"}) {
    const bool is_read =
        std::holds_alternative<reports::ExpectedFailures>(reports::parse_expected(text));
    EXPECT_EQ(conforms("expected-failures", text), is_read) << text;
  }
}

TEST(FileSchemas, DescribeTheReportsThatAreWritten) {
  const auto file = reports::read_file(ASSAY_SOURCE_DIR "/reports/samples/faulty.json");
  ASSERT_EQ(file.error, "");
  EXPECT_TRUE(conforms("report", file.text.c_str()));
  EXPECT_FALSE(conforms("report", R"({"schema": "mcp-assay-report/2", "runs": []})"));
}

TEST(FileSchemas, DescribeTheEventsThatAreWritten) {
  const auto file = reports::read_file(ASSAY_SOURCE_DIR "/reports/samples/faulty.json");
  const auto parsed = reports::parse_json(file.text);
  ASSERT_TRUE(std::holds_alternative<reports::Result>(parsed));
  const auto& result = std::get<reports::Result>(parsed);
  EXPECT_TRUE(conforms("events", reports::finished_line(result, 1).c_str()));
  EXPECT_FALSE(conforms("events", reports::finished_line(result, 2).c_str()));
  EXPECT_TRUE(conforms("events", R"({"event": "verdict", "revision": "2025-11-25",
                                     "transport": "stdio", "requirement": "a.b",
                                     "level": "MUST", "outcome": "violated"})"));
  EXPECT_FALSE(conforms("events", R"({"event": "papyrus"})"));
}

TEST(FileSchemas, ArePrintedByName) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_command_line({"schema", "--of", "profile"}), kConformant);
  const Json printed = Json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(printed, file_schema("profile"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_command_line({"schema", "--of", "profile", "--revision", "2025-11-25"}), kUsage);
  EXPECT_EQ(run_command_line({"schema", "--of", "papyrus"}), kUsage);
  testing::internal::GetCapturedStderr();
}

}  // namespace
}  // namespace assay::cli
