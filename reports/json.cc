#include "reports/json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "reports/escape.h"
#include "reports/json_parts.h"

namespace assay::reports {
namespace {

using nlohmann::ordered_json;

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
  ordered_json out = {{"sessions", cost.sessions},
                      {"requests", cost.requests},
                      {"bytes_sent", cost.bytes_sent},
                      {"bytes_received", cost.bytes_received}};
  if (!cost.waits.empty()) {
    out["waited_ms"] = cost.waited_ms();
    out["waits"] = cost.waits;
  }
  return out;
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

Candidate read_candidate(JsonReader& reader, const nlohmann::json& json, const std::string& where) {
  Candidate out;
  out.verdict = read_verdict(reader, json, where);
  out.from = reader.text(json, where, "from", true);
  out.explained_by = reader.text(json, where, "explained_by");
  out.ended_over = reader.text(json, where, "ended_over");
  out.is_silence = reader.flag(json, where, "silence");
  out.lacks_answer = reader.flag(json, where, "lacks_answer");
  out.explains_silence = reader.flag(json, where, "explains_silence");
  out.is_cause_only = reader.flag(json, where, "cause_only");
  return out;
}

Cost read_cost(JsonReader& reader, const nlohmann::json& json, const std::string& where) {
  Cost out{reader.number<std::int64_t>(json, where, "sessions"),
           reader.number<std::int64_t>(json, where, "requests"),
           reader.number<std::uint64_t>(json, where, "bytes_sent"),
           reader.number<std::uint64_t>(json, where, "bytes_received")};
  if (const nlohmann::json* waits = reader.member(json, where, "waits", false);
      waits != nullptr && waits->is_object()) {
    for (const auto& [scenario, ms] : waits->items()) {
      out.waits[scenario] = reader.number<std::int64_t>(*waits, where + "/waits", scenario.c_str());
    }
  }
  return out;
}

JudgedExtension read_extension(JsonReader& reader, const nlohmann::json& json,
                               const std::string& where) {
  return {reader.text(json, where, "id", true), reader.text(json, where, "version"),
          reader.flag(json, where, "declared")};
}

Run read_run(JsonReader& reader, const nlohmann::json& json, const std::string& where) {
  Run out;
  out.revision = reader.text(json, where, "revision", true);
  out.transport = reader.text(json, where, "transport", true);
  out.status = reader.word<RunStatus>(json, where, "status", parse_run_status);
  out.reason = reader.text(json, where, "reason");
  out.duration_ms = reader.number<std::int64_t>(json, where, "duration_ms");
  out.verdicts = reader.items<Verdict>(json, where, "verdicts", true,
                                       [&](const nlohmann::json& item, const std::string& at) {
                                         return read_verdict(reader, item, at);
                                       });
  if (const nlohmann::json* cost = reader.member(json, where, "cost", false)) {
    out.cost = read_cost(reader, *cost, where + "/cost");
  }
  out.extensions = reader.items<JudgedExtension>(
      json, where, "extensions", false, [&](const nlohmann::json& item, const std::string& at) {
        return read_extension(reader, item, at);
      });
  if (const nlohmann::json* shard = reader.member(json, where, "shard", false)) {
    out.shard = read_shard(reader, *shard, where + "/shard");
    out.candidates = reader.items<Candidate>(
        json, where, "candidates", true, [&](const nlohmann::json& item, const std::string& at) {
          return read_candidate(reader, item, at);
        });
  }
  return out;
}

Target read_target(JsonReader& reader, const nlohmann::json& json, const std::string& where) {
  Target out;
  out.subject = reader.text(json, where, "subject", true);
  out.label = reader.text(json, where, "label");
  out.name = reader.text(json, where, "name");
  out.version = reader.text(json, where, "version");
  out.command = reader.items<std::string>(
      json, where, "command", false, [&](const nlohmann::json& item, const std::string& at) {
        if (!item.is_string()) reader.fail(at, "a string is expected");
        return item.is_string() ? item.get<std::string>() : std::string();
      });
  out.url = reader.text(json, where, "url");
  out.source = reader.text(json, where, "source");
  return out;
}

StaleExpectation read_stale(JsonReader& reader, const nlohmann::json& json,
                            const std::string& where) {
  StaleExpectation out;
  out.pattern = reader.text(json, where, "requirement", true);
  out.revision = reader.text(json, where, "revision");
  out.transport = reader.text(json, where, "transport");
  out.reason = reader.text(json, where, "reason");
  return out;
}

Result read_result(JsonReader& reader, const nlohmann::json& json) {
  Result out;
  const std::string root;
  if (const nlohmann::json* tool = reader.member(json, root, "tool", true)) {
    out.tool_version = reader.text(*tool, "/tool", "version", true);
  }
  if (const nlohmann::json* catalogue = reader.member(json, root, "catalogue", true)) {
    out.catalogue_version = reader.text(*catalogue, "/catalogue", "version", true);
    out.catalogue_digest = reader.text(*catalogue, "/catalogue", "digest");
  }
  out.started = reader.text(json, root, "started", true);
  out.duration_ms = reader.number<std::int64_t>(json, root, "duration_ms");
  out.was_interrupted = reader.flag(json, root, "interrupted");
  out.is_strict = reader.flag(json, root, "strict");
  out.rules_url = reader.text(json, root, "rules");
  if (const nlohmann::json* target = reader.member(json, root, "target", true)) {
    out.target = read_target(reader, *target, "/target");
  }
  out.runs = reader.items<Run>(json, root, "runs", true,
                               [&](const nlohmann::json& item, const std::string& at) {
                                 return read_run(reader, item, at);
                               });
  out.stale_expectations =
      reader.items<StaleExpectation>(json, root, "stale_expectations", false,
                                     [&](const nlohmann::json& item, const std::string& at) {
                                       return read_stale(reader, item, at);
                                     });
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

std::string why_not_json(std::string_view what) {
  constexpr std::string_view kPlace = "parse error at ";
  const std::size_t at = what.find(kPlace);
  const std::string_view told =
      at == std::string_view::npos ? what : what.substr(at + kPlace.size());
  return "not JSON: " + printable_line(cut(told, 300));
}

std::variant<Result, std::string> parse_json(std::string_view text) {
  if (text.size() > kMaxReportBytes) {
    return fmt::format("larger than {} bytes: not a report of mcp-assay", kMaxReportBytes);
  }
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    return why_not_json(error.what());
  }
  JsonReader reader;
  const std::string schema = reader.text(json, "", "schema", true);
  if (!reader.error().empty()) {
    return fmt::format("not a report of mcp-assay ({})", reader.error());
  }
  if (schema != kJsonSchema && schema != kOlderJsonSchema) {
    return fmt::format("its schema is '{}'; this version of mcp-assay reads '{}'",
                       printable_line(cut(schema, 60)), kJsonSchema);
  }
  Result result = read_result(reader, json);
  if (!reader.error().empty()) return reader.error();
  return result;
}

}  // namespace assay::reports
