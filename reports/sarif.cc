#include "reports/sarif.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMaxSarifTextBytes = 1000;

std::string line(const std::string& text) {
  return printable_line(cut(text, kMaxSarifTextBytes));
}

const char* sarif_level(Level level) {
  switch (strength(level)) {
    case Strength::kMust:
      return "error";
    case Strength::kShould:
      return "warning";
    case Strength::kMay:
      return "note";
  }
  return "none";
}

ordered_json rule(const Result& result, const Verdict& verdict) {
  ordered_json out = {{"id", line(verdict.requirement)},
                      {"shortDescription", {{"text", line(verdict.summary)}}},
                      {"defaultConfiguration", {{"level", sarif_level(verdict.level)}}},
                      {"properties",
                       {{"tags", {"mcp", std::string(printable_line(verdict.area()))}},
                        {"keyword", name(verdict.level)}}}};
  const std::string page = rule_address(result.rules_url, verdict.requirement);
  if (!page.empty()) {
    out["helpUri"] = page;
  } else if (verdict.spec.starts_with("https://")) {
    out["helpUri"] = line(verdict.spec);
  }
  if (!verdict.fix.empty()) out["help"] = {{"text", "How to fix: " + line(verdict.fix)}};
  return out;
}

std::string message(const Verdict& verdict) {
  std::string out = line(verdict.detail.empty() ? verdict.summary : verdict.detail);
  for (const Evidence& evidence : verdict.evidence) {
    if (evidence.is_context) continue;
    const Excerpt part = excerpt(evidence, kMaxSarifTextBytes);
    out += fmt::format("\n{} (event {}): {}{}{}", speaker_words(evidence), evidence.n, part.before,
                       part.marked, part.after);
    if (!evidence.pointer.empty()) out += "\nat " + line(evidence.pointer);
  }
  if (const std::string command = command_text(verdict); !command.empty()) {
    out += "\nreproduce: " + command;
  }
  return out;
}

// A path as a relative reference of RFC 3986, or as a file's URI if it is absolute.
std::string uri_of(std::string_view path) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool is_plain = kPlain.find(c) != std::string_view::npos;
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

// What comes before the last '/' is a category, of which a service takes one file: servers of one
// list are told apart by it.
std::string category_of(const Target& target) {
  const std::string label = target.label.empty() ? "" : uri_of(line(target.label)) + "/";
  return fmt::format("mcp-assay/{}/{}", line(target.subject), label);
}

// The run, and the file in which somebody can change something, if one is known.
ordered_json location_of(const Target& target, const std::string& run_name) {
  ordered_json location;
  if (!target.source.empty()) {
    location["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of(target.source)}}},
                                    {"region", {{"startLine", 1}}}};
  }
  location["logicalLocations"] = ordered_json::array();
  location["logicalLocations"].push_back({{"fullyQualifiedName", run_name}, {"kind", "module"}});
  return location;
}

ordered_json result_of(const Target& target, const Run& run, const Verdict& verdict,
                       std::size_t rule_index) {
  const std::string run_name = line(run.revision) + " " + line(run.transport);
  ordered_json out = {{"ruleId", line(verdict.requirement)},
                      {"ruleIndex", rule_index},
                      {"level", sarif_level(verdict.level)},
                      {"message", {{"text", message(verdict)}}}};
  out["locations"] = ordered_json::array();
  out["locations"].push_back(location_of(target, run_name));
  out["partialFingerprints"]["mcpAssay/v1"] =
      fmt::format("{}/{}/{}", line(verdict.requirement), line(run.revision), line(run.transport));
  out["properties"] = {{"revision", line(run.revision)}, {"transport", line(run.transport)}};
  if (verdict.is_expected) {
    out["suppressions"] = ordered_json::array();
    out["suppressions"].push_back(
        {{"kind", "external"}, {"justification", line(verdict.expected_reason)}});
  }
  return out;
}

// What keeps a reader from taking an empty list of results for a clean one.
ordered_json invocation(const Result& result) {
  const bool is_whole =
      was_tested(result) && is_complete(result) && count_runs(result, RunStatus::kFailed) == 0;
  ordered_json out = {{"executionSuccessful", is_whole}};
  if (is_whole) return out;
  ordered_json& notes = out["toolExecutionNotifications"] = ordered_json::array();
  notes.push_back({{"level", "error"}, {"message", {{"text", line(conclusion(result))}}}});
  for (const Run& run : result.runs) {
    if (was_tested(run)) continue;
    const std::string text = fmt::format("{} over {} is {}: {}", line(run.revision),
                                         line(run.transport), name(run.status), line(run.reason));
    notes.push_back({{"level", run.status == RunStatus::kUnsupported ? "note" : "error"},
                     {"message", {{"text", text}}}});
  }
  return out;
}

}  // namespace

std::string render_sarif(const Result& result) {
  ordered_json rules = ordered_json::array();
  ordered_json results = ordered_json::array();
  std::map<std::string_view, std::size_t> index;
  for (const Run& run : result.runs) {
    for (const Verdict& verdict : run.verdicts) {
      if (verdict.outcome != Outcome::kViolated) continue;
      const auto [found, is_new] = index.try_emplace(verdict.requirement, rules.size());
      if (is_new) rules.push_back(rule(result, verdict));
      results.push_back(result_of(result.target, run, verdict, found->second));
    }
  }
  ordered_json driver = {{"name", "mcp-assay"},
                         {"version", line(result.tool_version)},
                         {"informationUri", "https://modelcontextprotocol.io/specification"},
                         {"rules", rules}};
  ordered_json run;
  run["tool"]["driver"] = driver;
  run["automationDetails"]["id"] = category_of(result.target);
  run["invocations"] = ordered_json::array();
  run["invocations"].push_back(invocation(result));
  run["results"] = results;
  run["columnKind"] = "unicodeCodePoints";
  ordered_json out = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                      {"version", "2.1.0"}};
  out["runs"] = ordered_json::array();
  out["runs"].push_back(run);
  return safe_json(out.dump(1, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace assay::reports
