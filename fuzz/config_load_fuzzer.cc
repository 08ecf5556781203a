// Any bytes as a file that a user or a stranger's repository brings along: it is read, or refused
// with one sentence. The first byte chooses the kind of file.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "fuzz/fuzzing.h"
#include "fuzz/json_fuzzing.h"
#include "harness/profile/profile.h"
#include "reports/expected.h"

namespace {

using assay::Json;
using assay::fuzz::require;
using namespace assay::harness;
using namespace assay::reports;

// Glob matching as its definition says it, slow and plain.
bool matches_plainly(std::string_view pattern, std::string_view text) {
  if (pattern.empty()) return text.empty();
  if (pattern.front() == '*') {
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (matches_plainly(pattern.substr(1), text.substr(i))) return true;
    }
    return false;
  }
  if (text.empty()) return false;
  return (pattern.front() == '?' || pattern.front() == text.front()) &&
         matches_plainly(pattern.substr(1), text.substr(1));
}

Result sample() {
  Run run;
  run.revision = "2025-11-25";
  run.transport = "stdio";
  for (const char* id : {"tools.name-unique", "lifecycle.version-echo", "ping.answered"}) {
    Verdict verdict;
    verdict.requirement = id;
    verdict.outcome = id[0] == 'p' ? Outcome::kSatisfied : Outcome::kViolated;
    run.verdicts.push_back(verdict);
  }
  Result result;
  result.runs = {run};
  return result;
}

void check_expectations(const ExpectedFailures& expected) {
  for (const Expectation& one : expected.server) {
    require(!one.pattern.empty(), "an entry names a requirement");
    if (one.pattern.size() <= 20) {
      require(matches_glob(one.pattern, "tools.name-unique") ==
                  matches_plainly(one.pattern, "tools.name-unique"),
              "globs match as they are defined");
    }
  }
  Result result = sample();
  apply_expected(expected, result);
  // What fails is listed in the file made of it, and that file can be read.
  const auto again = parse_expected(render_expected(result));
  const auto* written = std::get_if<ExpectedFailures>(&again);
  require(written != nullptr, "what is written can be read");
  clear_expected(result);
  apply_expected(*written, result);
  for (const Verdict& verdict : result.runs[0].verdicts) {
    require(verdict.is_expected == (verdict.outcome == Outcome::kViolated),
            "and expects exactly what fails");
  }
}

void check_refusal(const std::string& why) {
  require(!why.empty() && assay::fuzz::is_printable_line(why), "a refusal is one sentence");
}

void check_baseline(std::string_view text) {
  const auto parsed = parse_expected(text);
  if (const auto* why = std::get_if<std::string>(&parsed)) return check_refusal(*why);
  check_expectations(std::get<ExpectedFailures>(parsed));
}

void check_profile(std::string_view text) {
  const auto parsed = parse_profile(text, "fuzz");
  if (const auto* why = std::get_if<std::string>(&parsed)) return check_refusal(*why);
  const auto& profile = std::get<Profile>(parsed);
  require(!profile.name.empty(), "a profile has a name");
  for (const KnownTool& tool : profile.tools) {
    require(tool.may_be_called == !tool.uses.empty(), "a tool that may be called can be");
    require(profile.tool(tool.name) != nullptr, "a tool is found by its name");
    for (const ToolUse& use : tool.uses) {
      require(use.arguments.is_object(), "arguments are an object");
    }
  }
  for (const std::string& uri : profile.skipped_resources) {
    require(profile.skips(uri), "what is skipped is known");
  }
  const Json server = {{"serverInfo", {{"name", "fuzz"}}}};
  if (profile.detect_names.empty() && profile.detect_tools == 0) {
    require(profile.fits(server, {}), "what names no server fits every one");
  }
  Profile twice = profile;
  twice.add(profile);
  require(twice.tools.size() == profile.tools.size(), "what is known is taken over once");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text = assay::fuzz::view(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    check_baseline(text);
  } else {
    check_profile(text);
  }
  return 0;
}
