// Writes the sample pages that the browser test opens: html_samples FOLDER
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "reports/compare.h"
#include "reports/html.h"
#include "reports/interop/interop_html.h"
#include "reports/interop/interop_testing.h"
#include "reports/output.h"
#include "reports/overview.h"
#include "reports/result_testing.h"
#include "reports/rules.h"

namespace {

using namespace assay::reports;

// A list of tools as servers send it, with the offending part far behind its beginning.
std::string long_list() {
  std::string text = R"({"jsonrpc":"2.0","id":2,"result":{"tools":[)";
  for (int i = 0; i < 30; ++i) {
    text += fmt::format(
        R"({}{{"name":"tool-{}","description":"Does number {}","inputSchema":{{"type":"object","properties":{{"x":{{"type":"string","description":"what to do it with"}}}}}}}})",
        i > 0 ? "," : "", i, i);
  }
  return text + "]}}";
}

Result with_long_json() {
  Result result = testing::sample();
  for (Run& run : result.runs) {
    for (Verdict& verdict : run.verdicts) {
      if (verdict.evidence.empty()) continue;
      verdict.evidence[1].text = long_list();
      verdict.evidence[1].pointer = "/result/tools/17/name";
    }
  }
  return result;
}

// As many violations as somebody prints to talk about, in every revision.
Result with_three_faults() {
  Result result = testing::full(120);
  for (Run& run : result.runs) {
    std::size_t left = 3;
    for (Verdict& verdict : run.verdicts) {
      if (verdict.outcome == Outcome::kViolated && verdict.is_expected) {
        verdict.outcome = Outcome::kSatisfied;
      }
      if (verdict.outcome != Outcome::kViolated || verdict.level != Level::kMust) continue;
      if (left == 0)
        verdict = testing::verdict(verdict.requirement, Level::kMust, Outcome::kSatisfied);
      left -= left > 0 ? 1 : 0;
      verdict.fix = "Answer with the version that was asked for, if you support it.";
    }
  }
  return result;
}

std::vector<Result> many_targets() {
  std::vector<Result> out;
  for (int i = 0; i < 203; ++i) {
    Result result = testing::sample();
    result.target.name = fmt::format("server-{}", i * 7 % 200);
    if (i % 3 > 0) {
      for (Run& run : result.runs) {
        for (Verdict& verdict : run.verdicts) verdict.outcome = Outcome::kSatisfied;
        if (was_tested(run)) run.status = RunStatus::kConformant;
      }
    }
    if (i >= 200) result.target.subject = i == 200 ? "client" : "pair";
    out.push_back(result);
  }
  return out;
}

RulePage rule(const std::string& id) {
  const Verdict verdict = testing::violation();
  RulePage out;
  out.id = id;
  out.summary = "A sentence of ours that sums the rule up.";
  out.judged = "mcp-assay judges the whole of it.";
  out.judges = {"the scenario a_scenario"};
  out.fix = "Do what it says.";
  out.in = {{"2025-11-25", "MUST", verdict.spec, "", "server"}};
  out.fault = "Does something else";
  out.right = {"mcp-assay reference-server", "2025-11-25 over stdio", "", verdict.evidence};
  out.wrong = {"mcp-assay reference-server --fault x", "2025-11-25 over stdio", verdict.detail,
               verdict.evidence};
  return out;
}

// What got worse and what got better, of everything that a comparison tells.
std::string comparison() {
  Result before = testing::full(60);
  Result after = testing::sample();
  after.runs = before.runs;
  for (Verdict& verdict : after.runs[0].verdicts) {
    if (verdict.outcome == Outcome::kNotExercised) verdict.outcome = Outcome::kSatisfied;
  }
  for (Verdict& verdict : after.runs[1].verdicts) {
    if (verdict.outcome == Outcome::kSatisfied) verdict = testing::violation();
  }
  after.runs.pop_back();
  return render_comparison_html(compare(before, after));
}

// As `fuzz` makes one.
Result fuzzing() {
  Result out = testing::sample();
  out.catalogue_version = "fuzz";
  out.runs.resize(1);
  Verdict crash = testing::violation();
  crash.requirement = "fuzz.crash-1a2b3c4d";
  crash.summary = "A process lives through any input.";
  crash.detail = "It crashed: ended by signal 6 (SIGABRT); its last words: terminate called";
  crash.reproduce = "mcp-assay replay mcp-assay-findings/crash-1a2b3c4d -- node x.js";
  Verdict suspected = testing::verdict("fuzz.hang-5e6f", Level::kMust, Outcome::kInconclusive);
  suspected.detail = "It did not answer a ping within 5000 ms (seen 1 time)";
  out.runs[0].verdicts = {crash, suspected,
                          testing::verdict("fuzz.noise", Level::kMust, Outcome::kSatisfied)};
  return out;
}

bool save(const std::string& path, const std::string& text) {
  const auto error = write_file(path, text);
  if (error) std::fprintf(stderr, "%s\n", error->c_str());
  return !error;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string folder = std::string(argv[1]) + "/";
  const Result sample = testing::sample();
  const Result hostile = testing::hostile();
  const OverviewEntry entries[] = {{&sample, "sample.html"}, {&hostile, ""}};
  const std::vector<Result> targets = many_targets();
  std::vector<OverviewEntry> many;
  for (const Result& target : targets) many.push_back({&target, "sample.html"});
  const std::vector<HistoryPoint> points = {
      {"", 3, 10, 20, true}, {"", 2, 11, 20, true}, {"", 5, 12, 20, true}};
  const OverviewEntry trends[] = {{&sample, "sample.html", points}, {&hostile, ""}};
  const std::vector<RulePage> rules = {rule("ping.answered"), rule("tools.name-unique"),
                                       rule("tools.unknown-tool-error")};
  const std::vector<std::string> ids = {rules[0].id, rules[1].id, rules[2].id};
  bool is_saved =
      save(folder + "sample.html", render_html(sample)) &&
      save(folder + "hostile.html", render_html(hostile)) &&
      save(folder + "full.html", render_html(testing::full(400))) &&
      save(folder + "json.html", render_html(with_long_json())) &&
      save(folder + "three.html", render_html(with_three_faults())) &&
      save(folder + "overview.html", render_overview(entries)) &&
      save(folder + "many.html", render_overview(many)) &&
      save(folder + "trends.html", render_overview(trends)) &&
      save(folder + "compare.html", comparison()) &&
      save(folder + "fuzz.html", render_html(fuzzing())) &&
      save(folder + "interop.html", render_interop_html(testing::matrix())) &&
      save(folder + "gateway.html", render_interop_html(testing::matrix_with_gateway())) &&
      save(folder + "pairs.html", render_interop_html(testing::hostile_matrix())) &&
      save(folder + "rules/index.html", render_rule_index(rules));
  for (const RulePage& each : rules) {
    is_saved = is_saved && save(folder + "rules/" + rule_file(each.id), render_rule(each, ids));
  }
  return is_saved ? 0 : 1;
}
