// No header that the user gives stands bare in what is printed and written of a finding.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/live/client/client_finding.h"
#include "fuzz/live/operators/generator.h"
#include "fuzz/live/proof/finding.h"
#include "fuzz/live/proof/prober.h"
#include "fuzz/live/target/pipe_target_testing.h"
#include "harness/frame/command.h"
#include "reference/transport/raw_server_testing.h"
#include "reference/wire/json.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShortSecret = "hunter2";
constexpr const char* kLongSecret = "hunter2-of-the-customer";

// Lists tools in a form that the schema does not have, and repeats the long secret.
std::string answer_with_secret(const std::string& request) {
  const Json message = Json::parse(request.substr(request.find("\r\n\r\n") + 4), nullptr, false);
  if (!message.is_object() || !message.contains("id") || !message.contains("method")) {
    return transport::http_answer(202, "", "");
  }
  Json result = Json::object();
  if (message["method"] == "initialize") {
    result = {{"protocolVersion", "2025-11-25"},
              {"capabilities", {{"tools", Json::object()}}},
              {"serverInfo", {{"name", kLongSecret}, {"version", "1"}}}};
  } else if (message["method"] == "tools/list") {
    result = {{"tools", std::string("not for ") + kLongSecret}};
  }
  return transport::http_answer(
      200, transport::kJsonType,
      Json{{"jsonrpc", "2.0"}, {"id", message["id"]}, {"result", result}}.dump());
}

std::string printed_by(const std::vector<std::string>& words, int status) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  EXPECT_EQ(cli::run_command_line(words), status);
  std::string all = testing::internal::GetCapturedStdout();
  return all += testing::internal::GetCapturedStderr();
}

TEST(SecretFindings, StandBareNowhere) {
  transport::RawServer server([](transport::RawConnection& connection) {
    for (std::string request; !(request = connection.read_request()).empty();) {
      connection.write(answer_with_secret(request));
    }
  });
  const std::string url = fmt::format("http://127.0.0.1:{}/mcp", server.port());
  const fs::path out = fs::temp_directory_path() / fmt::format("assay-bare-{}", ::getpid());
  const std::string short_field = fmt::format("X-Customer: {}", kShortSecret);
  const std::string long_field = fmt::format("X-Customer-Key: {}", kLongSecret);
  std::string all =
      printed_by({"fuzz", "--cases", "64", "--checks", "invalid-message", "--out",
                  (out / "found").string(), "--report", "json=" + (out / "report.json").string(),
                  "--header", short_field, "--header", long_field, "--url", url},
                 cli::kViolations);
  for (const auto& entry : fs::directory_iterator(out / "found")) {
    all += printed_by({"replay", entry.path().string(), "--verbose", "--header", short_field,
                       "--header", long_field, "--url", url},
                      cli::kViolations);
  }
  std::size_t transcripts = 0;
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    if (!entry.is_regular_file()) continue;
    std::stringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    all += text.str();
    if (entry.path().filename() == "transcript.jsonl") ++transcripts;
  }
  fs::remove_all(out);
  EXPECT_GT(transcripts, 0u);
  EXPECT_NE(all.find("reproduced"), std::string::npos);
  EXPECT_NE(all.find("\"token#1\""), std::string::npos);
  const std::size_t at = all.find(kShortSecret);  // with which the long one begins
  EXPECT_EQ(at, std::string::npos) << all.substr(at < 400 ? 0 : at - 400, 800);
}

constexpr std::string_view kKey = "correct-horse-battery-staple-of-a-tenant";

std::shared_ptr<reports::Vault> vault_with_key() {
  auto vault = std::make_shared<reports::Vault>();
  vault->add(std::string(kKey), "${KEY}");
  return vault;
}

ServerFinding some_finding() {
  ServerFinding finding;
  finding.id = "crash-0badcafe";
  finding.suspicion = {Oracle::kCrash, "signal 6", "The process ended: signal 6"};
  finding.recipe.steps = {line_step("[]")};
  return finding;
}

// All that is written of the finding, but for the name of the file it stands in.
std::string written_of(const RunFacts& facts, const ServerFinding& finding) {
  const fs::path out = fs::temp_directory_path() / fmt::format("assay-written-{}", ::getpid());
  EXPECT_EQ(write_finding(out, facts, finding), std::nullopt);
  std::string all;
  for (const auto& entry : fs::directory_iterator(out / finding.id)) {
    std::stringstream text;
    text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    all += text.str();
  }
  fs::remove_all(out);
  return all;
}

TEST(SecretFindings, HoldNoPartOfAKeyThatWasCut) {
  RunFacts facts;
  facts.vault = vault_with_key();
  ServerFinding finding = some_finding();
  const std::string quoted = shown(std::string(140, 'x') + std::string(kKey));
  ASSERT_NE(quoted.find("[cut: "), std::string::npos);
  finding.suspicion.about = quoted;
  finding.suspicion.detail = "It said " + quoted + "; its last words: " + quoted;
  const std::string all = written_of(facts, finding);
  EXPECT_EQ(all.find("correct"), std::string::npos) << all;
  EXPECT_NE(all.find("xx${KEY} [cut: "), std::string::npos) << all;
}

// As it was written down, without the part of a key that it held.
TEST(SecretFindings, AreFoundAgainByWhatIsLeftOfThem) {
  const std::string tool = std::string(140, 'x') + std::string(kKey);
  harness::TargetAccess access =
      over_pipe([](PipeLife& life, std::string_view, const wire::Message* message) {
        const bool is_call = message != nullptr && message->method() == "tools/call";
        if (is_call) {
          life.answer(*message, {{"content", Json::array()}, {"structuredContent", {{"n", "no"}}}});
        }
        return is_call;
      });
  access.vault = vault_with_key();
  Vocabulary words;
  words.initialize_params = Json::object();
  words.tools.push_back(
      {{"name", tool},
       {"inputSchema", {{"type", "object"}}},
       {"outputSchema", {{"type", "object"}, {"properties", {{"n", {{"type", "integer"}}}}}}}});
  const Waits waits{.answer = std::chrono::milliseconds(50)};
  Prober prober(access, words, waits, {});
  const Recipe recipe{
      {line_step(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":")" + tool +
                 "\"}}")},
      false,
      0};
  std::string signature = "structured-output: " + shown(tool + " /n");
  EXPECT_NE(prober.find(recipe, signature, waits), std::nullopt);
  access.vault->redact_quoted(signature);
  ASSERT_NE(signature.find("xx${KEY} [cut: "), std::string::npos) << signature;
  EXPECT_NE(prober.find(recipe, signature, waits), std::nullopt);
}

TEST(SecretFindings, HoldNoPartOfAKeyThatWasSaidInTwoPieces) {
  RunFacts facts;
  facts.vault = vault_with_key();
  harness::Transcript transcript;
  for (const std::string_view said : {kKey.substr(0, 20), kKey.substr(20)}) {
    transport::Observation observation;
    observation.kind = transport::Observation::Kind::kStderr;
    observation.lane = {transport::Lane::Kind::kStderr, 0};
    observation.bytes = said;
    transcript.observe(observation);
  }
  ServerFinding finding = some_finding();
  finding.transcript = transcript.events();
  finding.origin = "what it listed: " + std::string(kKey);
  const std::string all = written_of(facts, finding);
  EXPECT_NE(all.find("what it listed: ${KEY}"), std::string::npos) << all;
  for (const char* part : {"correct", "staple", "tenant"}) {
    EXPECT_EQ(all.find(part), std::string::npos) << part << all;
  }
}

// Their command stands in a finding as replay has to run it, and there only.
TEST(SecretFindings, HideTheKeysOfACommandInReports) {
  RunFacts facts;
  facts.vault = vault_with_key();
  facts.target.command = {"server", std::string(kKey)};
  EXPECT_EQ(to_result(facts, {}).target.command.back(), "${KEY}");
  EXPECT_EQ(replay_command(facts, "x"), "mcp-assay replay x -- server '${KEY}'");
  EXPECT_NE(written_of(facts, some_finding()).find(kKey), std::string::npos);
}

TEST(SecretFindings, WantTheUrlAgainOfWhichAPartIsSecret) {
  RunFacts facts;
  facts.vault = vault_with_key();
  facts.target.url = "http://127.0.0.1:1/mcp?key=" + std::string(kKey);
  EXPECT_EQ(replay_command(facts, "x").find("correct"), std::string::npos);
  const fs::path out = fs::temp_directory_path() / fmt::format("assay-url-{}", ::getpid());
  ASSERT_EQ(write_finding(out, facts, some_finding()), std::nullopt);
  const std::string finding = (out / "crash-0badcafe").string();
  for (const char* trust : {"--verbose", "--trust"}) {
    const std::string said = printed_by({"replay", finding, trust}, cli::kUsage);
    EXPECT_NE(said.find("give it whole, --url URL"), std::string::npos) << said;
  }
  printed_by({"replay", finding, "--url", facts.target.url}, cli::kNotTested);
  fs::remove_all(out);
}

TEST(SecretFindings, KeepWhatStandsAroundTheSandboxInAVariable) {
  const fs::path box = fs::temp_directory_path() / fmt::format("assay-box-{}", ::getpid());
  const std::string out = box.string() + "-out";
  const std::string said = printed_by(
      {"fuzz", "--out", out, "--sandbox", box.string(), "--env",
       "STORE=https://" + std::string(kKey) + "@host/{sandbox}", "--env", "ROOT={sandbox}", "--",
       "/bin/sh", "-c", "echo \"$STORE\" >&2; echo \"${STORE%@*}@host/\" >&2; exit 1"},
      cli::kNotTested);
  EXPECT_EQ(said.find("correct"), std::string::npos) << said;
  EXPECT_NE(said.find("${STORE}"), std::string::npos) << said;
}

// A scheme alone is in too many texts: the label would stand in all of them.
TEST(SecretFindings, KeepTheSchemeBeforeTheSandbox) {
  const fs::path box = fs::temp_directory_path() / fmt::format("assay-scheme-{}", ::getpid());
  const std::string said =
      printed_by({"fuzz", "--out", box.string() + "-out", "--sandbox", box.string(), "--env",
                  "STORE=sqlite://{sandbox}/" + std::string(kKey), "--", "/bin/sh", "-c",
                  "echo \"sqlite://elsewhere ${STORE##*/}\" >&2; exit 1"},
                 cli::kNotTested);
  EXPECT_EQ(said.find("correct"), std::string::npos) << said;
  EXPECT_NE(said.find("sqlite://elsewhere"), std::string::npos) << said;
}

// What ends like a scheme is none if it holds more; and it may be quoted without the scheme.
TEST(SecretFindings, HideWhatStandsBeforeTheSchemeOfTheSandbox) {
  const fs::path box = fs::temp_directory_path() / fmt::format("assay-before-{}", ::getpid());
  const std::string said =
      printed_by({"fuzz", "--out", box.string() + "-out", "--sandbox", box.string(), "--env",
                  "STORE=Password=" + std::string(kKey) + ";Source=file://{sandbox}/db", "--",
                  "/bin/sh", "-c", "echo \"${STORE%%file:*}elsewhere\" >&2; exit 1"},
                 cli::kNotTested);
  EXPECT_EQ(said.find("correct"), std::string::npos) << said;
  EXPECT_NE(said.find("elsewhere"), std::string::npos) << said;
}

// The words of a process that ended become its cause of death: cut, and without their digits.
TEST(SecretFindings, HoldNoPartOfAKeyInALastWord) {
  constexpr const char* kServer = R"sh(
    while IFS= read -r line; do
      id=$(printf '%s' "$line" | sed -n 's/.*"id":\([^,}]*\).*/\1/p')
      case $line in
        *'"initialize"'*)
          result='{"protocolVersion":"2025-11-25","capabilities":{},'
          result=$result'"serverInfo":{"name":"s","version":"1"}}' ;;
        *'"ping"'*) result='{}' ;;
        *'"notifications/'*) continue ;;
        *) echo "Error: refused $STORE" >&2; exit 3 ;;
      esac
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
    done)sh";
  const std::string out =
      (fs::temp_directory_path() / fmt::format("assay-cause-{}", ::getpid())).string();
  std::string all = printed_by(
      {"fuzz", "--cases", "40", "--checks", "crash", "--out", out, "--env",
       "STORE=correct-4711-horse-0815-battery-of-a-tenant", "--", "/bin/sh", "-c", kServer},
      cli::kViolations);
  for (const auto& entry : fs::recursive_directory_iterator(out)) {
    std::stringstream text;
    if (entry.is_regular_file()) text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    all += text.str();
  }
  fs::remove_all(out);
  EXPECT_NE(all.find("Error: refused ${STORE}"), std::string::npos) << all;
  for (const char* part : {"correct-", "-horse", "battery"}) {
    EXPECT_EQ(all.find(part), std::string::npos) << part << all;
  }
}

TEST(SecretFindings, OfAClientAreFoundAgainByWhatIsLeftOfThem) {
  ClientTarget target;
  target.environment = {{"KEY", std::string(kKey)}};
  const std::string cause = shown(std::string(140, 'x') + std::string(kKey));
  const ClientSuspicion seen{ClientOracle::kCrash, cause, ""};
  EXPECT_TRUE(has_cause(target, seen, cause));
  EXPECT_TRUE(has_cause(target, seen, without_secrets(target, cause)));
  EXPECT_FALSE(has_cause(target, seen, "another"));
}

TEST(SecretFindings, HideTheVariablesOfAClient) {
  ClientFacts facts;
  facts.target.words = {"client", std::string(kKey)};
  facts.target.environment = {{"KEY", std::string(kKey)}};
  const std::string quoted = shown(std::string(140, 'x') + std::string(kKey));
  ClientFinding finding;
  finding.id = "crash-0badcafe";
  finding.suspicion = {ClientOracle::kCrash, quoted, "Its last words: " + quoted};
  harness::Transcript transcript;
  transport::Observation observation;
  observation.bytes = kKey;
  transcript.observe(observation);
  finding.sessions.emplace_back().events = transcript.events();
  const reports::Result result = to_result(facts, {finding});
  EXPECT_EQ(result.target.command.back(), "${KEY}");
  const fs::path out = fs::temp_directory_path() / fmt::format("assay-client-{}", ::getpid());
  ASSERT_EQ(write_finding(out, facts, finding), std::nullopt);
  std::string all;
  for (const char* name : {"finding.json", "transcript.jsonl"}) {
    std::stringstream text;
    text << std::ifstream(out / finding.id / name).rdbuf();
    all += text.str();
  }
  const auto saved = load_client_finding(out / finding.id);
  fs::remove_all(out);
  const std::string command = "\"" + std::string(kKey) + "\"";  // as replay has to run it
  const std::size_t at = all.find(command);
  ASSERT_NE(at, std::string::npos) << all;
  all.erase(at, command.size());
  EXPECT_EQ(all.find("correct"), std::string::npos) << all;
  ASSERT_TRUE(std::holds_alternative<SavedClientFinding>(saved));
  EXPECT_EQ(std::get<SavedClientFinding>(saved).target.words, facts.target.words);
}

}  // namespace
}  // namespace assay::fuzz
