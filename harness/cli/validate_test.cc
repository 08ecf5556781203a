#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "harness/cli/command_line_testing.h"
#include "harness/cli/value_reader.h"
#include "harness/frame/command.h"
#include "reference/model/revision.h"
#include "reference/wire/json.h"
#include "reference/wire/message.h"

namespace assay::cli {
namespace {

using testing::HasSubstr;

Outcome validate(const std::string& input, std::vector<std::string> options = {}) {
  std::vector<std::string> arguments = {"validate", "--revision", "2025-11-25"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  return run_captured(arguments, input);
}

constexpr const char* kPing = R"({"jsonrpc": "2.0", "id": 1, "method": "ping"})";
constexpr const char* kBadCall =
    R"({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": 3}})";

TEST(ValidateCommand, IsContentWithValidMessages) {
  const Outcome outcome = validate(std::string(kPing) + "\n" + kPing + "\n");
  EXPECT_EQ(outcome.status, kConformant);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err, "2 of 2 values valid\n");
}

TEST(ValidateCommand, KnowsTheMessagesOfAnExtensionThatIsNamed) {
  const std::string get = R"({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {}})";
  const auto judge = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"validate", "--revision"});
    return run_captured(options, get + "\n");
  };
  EXPECT_EQ(judge({"2026-07-28"}).status, kConformant);
  const Outcome outcome = judge({"2026-07-28", "--extension", "tasks"});
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_THAT(outcome.out, HasSubstr("/params/taskId: expected string, found nothing"));
  const Outcome refused = judge({"2025-11-25", "--extension", "tasks"});
  EXPECT_EQ(refused.status, kUsage);
  EXPECT_THAT(refused.err, HasSubstr("the extension tasks does not extend 2025-11-25"));
}

TEST(ValidateCommand, PrintsEachDeviationWithItsLine) {
  const Outcome outcome = validate(std::string(kPing) + "\n\n" + kBadCall + "\n");
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_EQ(outcome.out, "stdin:3: /params/name: expected string, found number\n");
}

TEST(ValidateCommand, PrintsAResultObjectPerLine) {
  const Outcome outcome = validate(std::string(kPing) + "\n" + kBadCall, {"--json"});
  EXPECT_EQ(outcome.status, kViolations);
  std::istringstream lines(outcome.out);
  std::string first;
  std::string second;
  std::getline(lines, first);
  std::getline(lines, second);
  EXPECT_EQ(Json::parse(first),
            Json::parse(R"({"line": 1, "valid": true, "judged_as": "ping request",
                "deviations": []})"));
  EXPECT_EQ(Json::parse(second), Json::parse(R"({"line": 2, "valid": false,
                "judged_as": "tools/call request", "deviations": [
                {"pointer": "/params/name", "expected": "string", "found": "number"}]})"));
}

TEST(ValidateCommand, ReadsADocumentOverManyLines) {
  const Outcome outcome =
      validate("\n{\n  \"name\": 1,\n  \"inputSchema\": {\"type\": \"object\"}\n}\n",
               {"--type", "Tool", "--json"});
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_EQ(Json::parse(outcome.out)["line"], 2);
}

TEST(ValidateCommand, TakesTheResultOfAResponseAsTheNamedType) {
  const std::string response = R"({"jsonrpc": "2.0", "id": 1, "result": {"tools": 1}})";
  EXPECT_EQ(validate(response).status, kConformant);
  const Outcome outcome = validate(response, {"--type", "ListToolsResult"});
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_EQ(outcome.out, "stdin:1: /result/tools: expected array, found number\n");
}

TEST(ValidateCommand, KnowsMethodsOfBothSides) {
  const Outcome outcome = validate(
      R"({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "loud"}})");
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_THAT(outcome.out, HasSubstr("/params/level: expected one of"));
}

TEST(ValidateCommand, ReportsWhatIsNoJsonAndGoesOn) {
  const Outcome outcome = validate(std::string("{\n") + kPing + "\nnonsense\n", {"--json"});
  EXPECT_EQ(outcome.status, kViolations);
  std::istringstream lines(outcome.out);
  std::vector<Json> results;
  for (std::string line; std::getline(lines, line);) results.push_back(Json::parse(line));
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]["valid"], false);
  EXPECT_EQ(results[0]["deviations"][0]["expected"], "JSON text");
  EXPECT_EQ(results[1]["valid"], true);
  EXPECT_EQ(results[2]["line"], 3);
  EXPECT_EQ(results[2]["valid"], false);
}

TEST(ValidateCommand, GivesAdviceWithoutCondemning) {
  constexpr const char* kTool = R"({"name": "a b", "inputSchema": {"type": "object"}})";
  const Outcome text = validate(kTool, {"--type", "Tool"});
  EXPECT_EQ(text.status, kConformant);
  EXPECT_THAT(text.out, HasSubstr("stdin:1: advice: /name: expected tool name"));
  const Json json = Json::parse(validate(kTool, {"--type", "Tool", "--json"}).out);
  EXPECT_EQ(json["valid"], true);
  EXPECT_EQ(json["advice"].size(), 1u);
}

TEST(ValidateCommand, KeepsTheTerminalSafe) {
  const Outcome outcome = validate(R"({"\u001b[31m": 1, "name": "p", "arguments": {"\u001b]": 1}})",
                                   {"--type", "GetPromptRequestParams"});
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

TEST(ValidateCommand, JudgesBatchesByMember) {
  const std::string batch = std::string("[") + kPing + "," + kBadCall + "]";
  const Outcome outcome = run_captured({"validate", "--revision", "2025-03-26"}, batch);
  EXPECT_EQ(outcome.out, "stdin:1: /1/params/name: expected string, found number\n");
  EXPECT_EQ(validate(batch).status, kViolations);
}

constexpr const char* kListTools = R"({"jsonrpc": "2.0", "id": 7, "method": "tools/list"})";
constexpr const char* kBadTools = R"({"jsonrpc": "2.0", "id": 7, "result": {"tools": 1}})";

TEST(ValidateCommand, SaysWhenOnlyAnEnvelopeWasJudged) {
  const Outcome outcome = validate(kBadTools);
  EXPECT_EQ(outcome.status, kConformant);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 1 values valid\n  1 response: only the envelope"));
  EXPECT_EQ(Json::parse(validate(kBadTools, {"--json"}).out)["judged_as"],
            "envelope of a response");
}

TEST(ValidateCommand, JudgesAResultByTheMethodThatIsGiven) {
  const Outcome outcome = validate(kBadTools, {"--method", "tools/list"});
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_EQ(outcome.out, "stdin:1: /result/tools: expected array, found number\n");
  EXPECT_EQ(outcome.err, "0 of 1 values valid\n");
}

TEST(ValidateCommand, JudgesAResultByTheRequestBeforeIt) {
  const Outcome outcome = validate(std::string(kListTools) + "\n" + kBadTools);
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_EQ(outcome.out, "stdin:2: /result/tools: expected array, found number\n");
  const Outcome other = validate(std::string(kPing) + "\n" + kBadTools);
  EXPECT_EQ(other.status, kConformant);
  EXPECT_THAT(other.err, HasSubstr("1 response: only the envelope"));
}

// Both sides count from 1.
TEST(ValidateCommand, GuessesNothingWhereRequestsOfBothSidesHaveTheId) {
  const Outcome outcome = validate(std::string(kListTools) +
                                   "\n{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": "
                                   "\"roots/list\"}\n" +
                                   kBadTools);
  EXPECT_EQ(outcome.status, kConformant);
  EXPECT_THAT(outcome.err, HasSubstr("1 response: only the envelope"));
}

TEST(ValidateCommand, SaysWhichMethodsItDoesNotKnow) {
  const Outcome outcome = validate(R"({"jsonrpc": "2.0", "id": 1, "method": "x/y"})");
  EXPECT_EQ(outcome.status, kConformant);
  EXPECT_THAT(outcome.err, HasSubstr("1 method that the revision does not know"));
}

std::string transcript_of(const std::string& run, const std::string& answer) {
  return R"({"connection":1,"run":")" + run + R"(","scenario":"s"}
{"n":1,"at_ms":0.1,"party":"client","lane":"stdio","kind":"line","bytes":)" +
         Json(std::string(kListTools)).dump() + R"(}
{"n":2,"at_ms":0.2,"party":"client","lane":"stdio","kind":"line","bytes":"not JSON"}
{"n":3,"at_ms":0.3,"party":"server","lane":"stderr","kind":"stderr","bytes":"hello"}
{"n":4,"at_ms":0.4,"party":"server","lane":"stdio","kind":"line","bytes":)" +
         Json(answer).dump() + "}\n";
}

TEST(ValidateCommand, JudgesWhatTheTargetOfATranscriptSent) {
  const Outcome outcome = run_captured({"validate"}, transcript_of("2025-11-25 stdio", kBadTools));
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_EQ(outcome.out, "stdin:5: /result/tools: expected array, found number\n");
  EXPECT_THAT(outcome.err, HasSubstr("0 of 1 values valid"));
  EXPECT_THAT(outcome.err, HasSubstr("not judged: 2 messages that were sent to the target"));
  EXPECT_THAT(outcome.err, HasSubstr("not judged: 1 event that carries no message"));
}

TEST(ValidateCommand, KeepsToARevisionOfATranscript) {
  const std::string both =
      transcript_of("2025-11-25 stdio", kBadTools) +
      transcript_of("2025-06-18 stdio", R"({"jsonrpc":"2.0","id":7,"result":{"tools":[]}})");
  const Outcome outcome = run_captured({"validate", "--revision", "2025-06-18"}, both);
  EXPECT_EQ(outcome.status, kConformant);
  EXPECT_THAT(outcome.err, HasSubstr("1 of 1 values valid"));
  EXPECT_THAT(outcome.err, HasSubstr("in another revision"));
}

TEST(ValidateCommand, RefusesWhatIsNoEventOfATranscript) {
  const Outcome outcome =
      run_captured({"validate"}, R"({"n":1,"at_ms":-1,"lane":"stdio","kind":"line"})");
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_THAT(outcome.err, HasSubstr("line 1 is no event of a transcript"));
}

TEST(ValidateCommand, ReadsAFile) {
  const auto path = std::filesystem::temp_directory_path() / "assay_validate_command_test.jsonl";
  std::ofstream(path) << kBadCall << "\n";
  const Outcome outcome = validate("", {path.string()});
  std::filesystem::remove(path);
  EXPECT_EQ(outcome.status, kViolations);
  EXPECT_THAT(outcome.out, HasSubstr(path.string() + ":1: /params/name"));
}

TEST(ValidateCommand, RefusesAWrongCommandLine) {
  EXPECT_EQ(validate("", {"/no/such/file"}).status, kUsage);
  EXPECT_EQ(validate("", {"/"}).status, kUsage);
  const Outcome type = validate("{}", {"--type", "Tol"});
  EXPECT_EQ(type.status, kUsage);
  EXPECT_THAT(type.err, HasSubstr("knows no type 'Tol'; do you mean 'Tool'?"));
  const Outcome revision = run_captured({"validate", "--revision", "2020-01-01"}, "{}");
  EXPECT_EQ(revision.status, kUsage);
  EXPECT_THAT(revision.err, HasSubstr("2024-11-05, 2025-03-26"));
  EXPECT_EQ(run_captured({"validate"}, "{}").status, kUsage);
  EXPECT_EQ(run_captured({"validate", "--method", "ping"}, "{}").status, kUsage);
  EXPECT_EQ(validate("{}", {"--type", "Tool", "--method", "ping"}).status, kUsage);
  const Outcome method = validate("{}", {"--method", "tools/lst"});
  EXPECT_THAT(method.err, HasSubstr("knows no request 'tools/lst'"));
}

TEST(SchemaCommand, PrintsTheSchemaOfARevision) {
  for (const model::Revision revision : model::Revision::all()) {
    const Outcome outcome = run_captured({"schema", "--revision", std::string(revision.text())});
    EXPECT_EQ(outcome.status, kConformant);
    const Json schema = Json::parse(outcome.out);
    EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    EXPECT_TRUE(schema["$defs"].contains("Tool"));
  }
  EXPECT_EQ(run_captured({"schema"}).status, kUsage);
  EXPECT_EQ(run_captured({"schema", "--revision", "x"}).status, kUsage);
}

TEST(ValueReader, BoundsALineAndReadsOn) {
  std::istringstream input("1\n\"" + std::string(1000, 'x') + "\"\n2\n");
  wire::Limits limits;
  limits.max_bytes = 100;
  ValueReader reader(input, limits);
  EXPECT_EQ(reader.next()->line, 1u);
  const std::optional<InputValue> large = reader.next();
  ASSERT_TRUE(large);
  ASSERT_TRUE(std::holds_alternative<wire::DecodeError>(large->decoded));
  EXPECT_EQ(std::get<wire::DecodeError>(large->decoded).kind, wire::DecodeError::Kind::kTooLarge);
  const std::optional<InputValue> last = reader.next();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->line, 3u);
  EXPECT_TRUE(std::holds_alternative<wire::Message>(last->decoded));
  EXPECT_FALSE(reader.next());
}

TEST(ValueReader, ReadsEveryKindOfValueAndLineEnd) {
  std::istringstream input("null\r\n\"a\"\n[1]\n\n{}");
  ValueReader reader(input);
  std::vector<std::string> values;
  while (const std::optional<InputValue> value = reader.next()) {
    values.push_back(std::get<wire::Message>(value->decoded).json().dump());
  }
  EXPECT_THAT(values, testing::ElementsAre("null", "\"a\"", "[1]", "{}"));
}

}  // namespace
}  // namespace assay::cli
