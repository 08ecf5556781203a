#include "reports/statement.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/digest.h"
#include "reports/escape.h"
#include "reports/json.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::ordered_json;

struct Coverage {
  int satisfied = 0;
  int violated = 0;
  int applicable = 0;
  int expected = 0;
};

Coverage coverage(const Run& run, Strength wanted) {
  Coverage out;
  for (const Verdict& verdict : run.verdicts) {
    if (strength(verdict.level) != wanted) continue;
    if (verdict.outcome != Outcome::kNotApplicable) ++out.applicable;
    if (verdict.outcome == Outcome::kSatisfied) ++out.satisfied;
    if (verdict.outcome != Outcome::kViolated) continue;
    ++out.violated;
    if (verdict.is_expected) ++out.expected;
  }
  return out;
}

std::string said_line(std::string_view text) {
  return printable_line(cut(text, 1000));
}

ordered_json to_json(const Coverage& coverage) {
  return {{"applicable", coverage.applicable},
          {"exercised", coverage.satisfied + coverage.violated},
          {"satisfied", coverage.satisfied},
          {"violated", coverage.violated},
          {"expected", coverage.expected}};
}

std::string level_text(std::string_view title, const Coverage& coverage) {
  if (coverage.applicable == 0) return "";
  std::string out =
      fmt::format("    {:<7} {} of {} applicable requirements exercised, {} satisfied", title,
                  coverage.satisfied + coverage.violated, coverage.applicable, coverage.satisfied);
  if (coverage.violated > 0) out += fmt::format(", {} violated", coverage.violated);
  if (coverage.expected > 0) out += fmt::format(" ({} known)", coverage.expected);
  return out + "\n";
}

}  // namespace

std::string render_statement_json(const Result& result) {
  ordered_json runs = ordered_json::array();
  for (const Run& run : result.runs) {
    ordered_json each = {
        {"revision", run.revision}, {"transport", run.transport}, {"status", name(run.status)}};
    for (const Strength level : {Strength::kMust, Strength::kShould, Strength::kMay}) {
      each[std::string(name(level))] = to_json(coverage(run, level));
    }
    runs.push_back(each);
  }
  const ordered_json out = {
      {"schema", "mcp-assay-statement/1"},
      {"subject", result.target.subject},
      {"name", said_line(result.target.name)},
      {"version", said_line(result.target.version)},
      {"date", said_line(result.started)},
      {"complete", is_complete(result)},
      {"conclusion", conclusion(result)},
      {"suite", {{"name", "mcp-assay"}, {"version", result.tool_version}}},
      {"catalogue", {{"version", result.catalogue_version}, {"digest", result.catalogue_digest}}},
      {"runs", runs},
      {"report", "sha256:" + sha256_hex(render_json(result))}};
  return safe_json(out.dump(1, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

std::string render_statement_text(const Result& result) {
  std::string out = fmt::format(
      "Statement of MCP conformance\n\n  {:<10} {}\n  {:<10} {}\n  {:<10} mcp-assay {}, "
      "catalogue {}\n\n",
      said_line(result.target.subject), target_title(result.target), "date",
      said_line(result.started), "judged by", said_line(result.tool_version),
      said_line(result.catalogue_version));
  out += fmt::format("  {}.\n\n", conclusion(result));
  for (const Run& run : result.runs) {
    out += fmt::format("  {} over {}: {}\n", said_line(run.revision), said_line(run.transport),
                       name(run.status));
    if (was_tested(run)) {
      out += level_text("MUST", coverage(run, Strength::kMust));
      out += level_text("SHOULD", coverage(run, Strength::kShould));
      out += level_text("MAY", coverage(run, Strength::kMay));
    }
  }
  out += fmt::format("\n  catalogue {}\n  report    sha256:{}\n",
                     said_line(result.catalogue_digest), sha256_hex(render_json(result)));
  return out;
}

}  // namespace assay::reports
