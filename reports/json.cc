#include "reports/json.h"

#include <nlohmann/json.hpp>

#include "reports/escape.h"

namespace assay::reports {
namespace {

using nlohmann::ordered_json;

void add_if(ordered_json& object, const char* member, const std::string& value) {
  if (!value.empty()) object[member] = value;
}

ordered_json to_json(const Evidence& evidence) {
  ordered_json out = {{"n", evidence.n},
                      {"at_ms", evidence.at_ms},
                      {"party", evidence.party},
                      {"lane", evidence.lane},
                      {"text", evidence.text}};
  add_if(out, "pointer", evidence.pointer);
  if (evidence.is_cut) out["cut"] = true;
  if (evidence.is_context) out["context"] = true;
  if (evidence.is_deliberate) out["deliberate"] = true;
  return out;
}

ordered_json to_json(const Step& step) {
  return {{"what", step.what}, {"by", step.by}, {"detail", step.detail}};
}

ordered_json to_json(const Verdict& verdict) {
  ordered_json out = {{"requirement", verdict.requirement},
                      {"level", name(verdict.level)},
                      {"outcome", name(verdict.outcome)}};
  add_if(out, "summary", verdict.summary);
  add_if(out, "scenario", verdict.scenario);
  if (verdict.duration_ms > 0) out["duration_ms"] = verdict.duration_ms;
  add_if(out, "detail", verdict.detail);
  add_if(out, "hint", verdict.hint);
  add_if(out, "caused_by", verdict.caused_by);
  add_if(out, "fix", verdict.fix);
  add_if(out, "spec", verdict.spec);
  if (!verdict.evidence.empty()) {
    ordered_json& list = out["evidence"] = ordered_json::array();
    for (const Evidence& evidence : verdict.evidence) list.push_back(to_json(evidence));
  }
  if (!verdict.history.empty()) {
    ordered_json& list = out["history"] = ordered_json::array();
    for (const Step& step : verdict.history) list.push_back(to_json(step));
  }
  add_if(out, "reproduce", verdict.reproduce);
  if (verdict.is_expected) out["expected"] = {{"reason", verdict.expected_reason}};
  return out;
}

ordered_json to_json(const Counts& counts) {
  ordered_json out = ordered_json::object();
  for (const auto& [strength, outcomes] : counts) {
    ordered_json& row = out[std::string(name(strength))] = ordered_json::object();
    for (const auto& [outcome, number] : outcomes) row[std::string(name(outcome))] = number;
  }
  return out;
}

ordered_json to_json(const Candidate& candidate) {
  ordered_json out = to_json(candidate.verdict);
  out["from"] = candidate.from;
  add_if(out, "explained_by", candidate.explained_by);
  add_if(out, "ended_over", candidate.ended_over);
  if (candidate.is_silence) out["silence"] = true;
  if (candidate.lacks_answer) out["lacks_answer"] = true;
  if (candidate.explains_silence) out["explains_silence"] = true;
  if (candidate.is_cause_only) out["cause_only"] = true;
  return out;
}

ordered_json to_json(const Cost& cost) {
  return {{"sessions", cost.sessions},
          {"requests", cost.requests},
          {"bytes_sent", cost.bytes_sent},
          {"bytes_received", cost.bytes_received}};
}

ordered_json to_json(const Run& run) {
  ordered_json out = {
      {"revision", run.revision}, {"transport", run.transport}, {"status", name(run.status)}};
  add_if(out, "reason", run.reason);
  out["duration_ms"] = run.duration_ms;
  if (run.cost != Cost{}) out["cost"] = to_json(run.cost);
  for (const JudgedExtension& extension : run.extensions) {
    out["extensions"].push_back({{"id", extension.id},
                                 {"version", extension.version},
                                 {"declared", extension.is_declared}});
  }
  out["counts"] = to_json(count(run));
  ordered_json& verdicts = out["verdicts"] = ordered_json::array();
  for (const Verdict& verdict : run.verdicts) verdicts.push_back(to_json(verdict));
  if (run.shard.is_part()) {
    out["shard"] = {{"index", run.shard.index}, {"total", run.shard.total}};
    ordered_json& candidates = out["candidates"] = ordered_json::array();
    for (const Candidate& candidate : run.candidates) candidates.push_back(to_json(candidate));
  }
  return out;
}

ordered_json to_json(const Target& target) {
  ordered_json out = {{"subject", target.subject}};
  add_if(out, "label", target.label);
  out["name"] = target.name;
  out["version"] = target.version;
  out["command"] = target.command.empty() ? ordered_json() : ordered_json(target.command);
  out["url"] = target.url.empty() ? ordered_json() : ordered_json(target.url);
  add_if(out, "source", target.source);
  return out;
}

ordered_json to_json(const StaleExpectation& stale) {
  ordered_json out = {{"requirement", stale.pattern}};
  add_if(out, "revision", stale.revision);
  add_if(out, "transport", stale.transport);
  add_if(out, "reason", stale.reason);
  return out;
}

}  // namespace

std::string render_json(const Result& result) {
  ordered_json out = {
      {"schema", kJsonSchema},
      {"tool", {{"name", "mcp-assay"}, {"version", result.tool_version}}},
      {"catalogue", {{"version", result.catalogue_version}, {"digest", result.catalogue_digest}}},
      {"started", result.started},
      {"duration_ms", result.duration_ms}};
  if (result.was_interrupted) out["interrupted"] = true;
  if (result.is_strict) out["strict"] = true;
  add_if(out, "rules", result.rules_url);
  out["target"] = to_json(result.target);
  ordered_json& runs = out["runs"] = ordered_json::array();
  for (const Run& run : result.runs) runs.push_back(to_json(run));
  if (!result.stale_expectations.empty()) {
    ordered_json& stale = out["stale_expectations"] = ordered_json::array();
    for (const StaleExpectation& entry : result.stale_expectations) stale.push_back(to_json(entry));
  }
  return safe_json(out.dump(1, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace assay::reports
