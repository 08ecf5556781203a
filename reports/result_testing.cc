#include "reports/result_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace assay::reports::testing {

std::string hostile_utf8() {
  return "\x1b[31mred\x1b]0;title\x07\r\nok 1 - forged\n<script>window.pwned=1</script>"
         "<img src=x onerror=\"window.pwned=1\">]]>&amp;`|*_{{name}}[x](javascript:alert(1))"
         "\xC2\x9B"
         "31m\xE2\x80\xAE"
         "gnp.exe\xE2\x80\x8B\xEF\xBF\xBE\x7F";
}

std::string hostile_text() {
  std::string text = hostile_utf8();
  text += '\0';
  return text + "\xFF\xFE\xC0\x80\xED\xA0\x80";
}

Verdict verdict(const std::string& requirement, Level level, Outcome outcome) {
  Verdict out;
  out.requirement = requirement;
  out.summary = "A sentence that says what " + requirement + " asks for.";
  out.level = level;
  out.outcome = outcome;
  out.scenario = "a_scenario";
  out.spec = "https://modelcontextprotocol.io/specification/2025-11-25/basic#anchor";
  return out;
}

Verdict violation() {
  Verdict out = verdict("lifecycle.version-supported-echo", Level::kMust, Outcome::kViolated);
  out.summary = "A server that supports the requested version answers with that version.";
  out.scenario = "lifecycle_negotiates_version";
  out.detail = "asked for 2025-11-25, was answered 2024-11-05";
  out.spec =
      "https://modelcontextprotocol.io/specification/2025-11-25/basic/"
      "lifecycle#version-negotiation";
  out.evidence = {
      {1, 0.4, "client", "stdio",
       R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})",
       "", false, false},
      {2, 3.5, "server", "stdio",
       R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{}}})",
       "/result/protocolVersion", false, false},
      {3, 4.25, "server", "stderr", "server listening", "", false, true}};
  out.reproduce = "printf '%s\\n' '{\"jsonrpc\":\"2.0\"}' | node x.js";
  return out;
}

Run run(const std::string& revision, const std::string& transport) {
  Run out;
  out.revision = revision;
  out.transport = transport;
  out.status = RunStatus::kViolations;
  out.duration_ms = 402;
  Verdict unexercised = verdict("sampling.user-consent", Level::kMustNot, Outcome::kNotExercised);
  unexercised.detail = "no tool asked for sampling";
  unexercised.hint = "name a tool that samples in a --profile file";
  Verdict inconclusive = verdict("pagination.cursor-opaque", Level::kMust, Outcome::kInconclusive);
  inconclusive.detail = "no list could be read";
  inconclusive.caused_by = "lifecycle.version-supported-echo";
  Verdict advisory = verdict("tools.name-unique", Level::kShould, Outcome::kViolated);
  advisory.detail = "two tools are called 'echo'";
  Verdict expected = verdict("ping.answered", Level::kMust, Outcome::kViolated);
  expected.detail = "answered -32601";
  expected.is_expected = true;
  expected.expected_reason = "reported upstream";
  out.verdicts = {
      violation(),  verdict("lifecycle.initialize-first", Level::kMust, Outcome::kSatisfied),
      inconclusive, expected,
      unexercised,  verdict("tasks.declared", Level::kMay, Outcome::kNotApplicable),
      advisory};
  std::sort(out.verdicts.begin(), out.verdicts.end(),
            [](const Verdict& a, const Verdict& b) { return a.requirement < b.requirement; });
  return out;
}

Result sample() {
  Result out;
  out.tool_version = "0.1.0";
  out.catalogue_version = "1";
  out.catalogue_digest = "sha256:0123";
  out.started = "2026-01-31T12:00:00Z";
  out.duration_ms = 812;
  out.target = {"server", "", "everything", "2.0.0", {"node", "x y.js"}, "", ""};
  out.runs = {run("2025-11-25", "stdio"), run("2025-11-25", "http")};
  Run unsupported;
  unsupported.revision = "2024-11-05";
  unsupported.transport = "stdio";
  unsupported.status = RunStatus::kUnsupported;
  unsupported.reason = "answered 2025-11-25 instead";
  out.runs.push_back(unsupported);
  return out;
}

Result hostile() {
  Result out = sample();
  const std::string text = hostile_text();
  out.target.name = text;
  out.target.version = text;
  out.target.command = {"node", text};
  out.runs.back().status = RunStatus::kFailed;
  out.runs.back().reason = text;
  for (Run& each : out.runs) {
    each.extensions = {{text, text, true}};
    for (Verdict& verdict : each.verdicts) {
      verdict.detail = text;
      verdict.hint = text;
      for (Evidence& evidence : verdict.evidence) evidence.text = text;
    }
  }
  out.runs.front().verdicts.front().evidence.push_back(
      {9, 9, "server", "http/1", "{\"x\": \"" + text + std::string(2U << 20U, 'A') + "\"}", "/x",
       false, false});
  return out;
}

Result full(int requirements) {
  constexpr auto kRevisions = std::to_array<const char*>(
      {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"});
  constexpr auto kAreas = std::to_array<const char*>(
      {"lifecycle", "jsonrpc", "tools", "resources", "prompts", "pagination", "http", "stdio",
       "sessions", "logging", "completion", "sampling"});
  Result out = sample();
  out.runs.clear();
  for (const char* revision : kRevisions) {
    for (const char* transport : {"stdio", "http"}) {
      Run one = run(revision, transport);
      for (int i = 0; i < requirements; ++i) {
        const auto kind = static_cast<std::size_t>(i);
        const std::string id =
            fmt::format("{}.requirement-number-{}", kAreas[kind % kAreas.size()], i);
        Verdict next = verdict(id, i % 5 == 4 ? Level::kShould : Level::kMust,
                               i % 4 == 3 ? Outcome::kNotExercised : Outcome::kSatisfied);
        if (i % 50 == 0) {
          next = violation();
          next.requirement = id;
          // No two of them show the same exchange.
          next.evidence[0].text = fmt::format(
              R"({{"jsonrpc":"2.0","id":{},"method":"initialize","params":{{"protocolVersion":"{}","over":"{}"}}}})",
              i, revision, transport);
        }
        one.verdicts.push_back(next);
      }
      std::sort(one.verdicts.begin(), one.verdicts.end(),
                [](const Verdict& a, const Verdict& b) { return a.requirement < b.requirement; });
      out.runs.push_back(one);
    }
  }
  return out;
}

}  // namespace assay::reports::testing
