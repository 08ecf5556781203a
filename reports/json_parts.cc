#include "reports/json_parts.h"

#include <utility>

namespace assay::reports {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const Step& step) {
  return {{"what", step.what}, {"by", step.by}, {"detail", step.detail}};
}

// Where schema /1 has a direction, the target was a server.
std::string read_party(JsonReader& reader, const nlohmann::json& json, const std::string& where) {
  const std::string direction = reader.text(json, where, "direction");
  if (direction == "to_target") return "client";
  if (direction == "from_target") return "server";
  return reader.text(json, where, "party", true);
}

}  // namespace

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

Evidence read_evidence(JsonReader& reader, const nlohmann::json& json, const std::string& where) {
  Evidence out;
  out.n = reader.number<std::uint64_t>(json, where, "n");
  out.at_ms = reader.number<double>(json, where, "at_ms");
  out.party = read_party(reader, json, where);
  out.lane = reader.text(json, where, "lane", true);
  out.text = reader.text(json, where, "text", true);
  out.pointer = reader.text(json, where, "pointer");
  out.is_cut = reader.flag(json, where, "cut");
  out.is_context = reader.flag(json, where, "context");
  out.is_deliberate = reader.flag(json, where, "deliberate");
  return out;
}

Verdict read_verdict(JsonReader& reader, const nlohmann::json& json, const std::string& where) {
  Verdict out;
  out.requirement = reader.text(json, where, "requirement", true);
  out.level = reader.word<Level>(json, where, "level", parse_level);
  out.outcome = reader.word<Outcome>(json, where, "outcome", parse_outcome);
  out.summary = reader.text(json, where, "summary");
  out.scenario = reader.text(json, where, "scenario");
  out.duration_ms = reader.number<std::int64_t>(json, where, "duration_ms");
  out.detail = reader.text(json, where, "detail");
  out.hint = reader.text(json, where, "hint");
  out.caused_by = reader.text(json, where, "caused_by");
  out.fix = reader.text(json, where, "fix");
  out.spec = reader.text(json, where, "spec");
  out.evidence = reader.items<Evidence>(json, where, "evidence", false,
                                        [&](const nlohmann::json& item, const std::string& at) {
                                          return read_evidence(reader, item, at);
                                        });
  out.history = reader.items<Step>(
      json, where, "history", false, [&](const nlohmann::json& item, const std::string& at) {
        return Step{reader.text(item, at, "what", true), reader.text(item, at, "by"),
                    reader.text(item, at, "detail")};
      });
  out.reproduce = reader.text(json, where, "reproduce");
  if (const nlohmann::json* expected = reader.member(json, where, "expected", false)) {
    out.is_expected = true;
    out.expected_reason = reader.text(*expected, where + "/expected", "reason");
  }
  return out;
}

Shard read_shard(JsonReader& reader, const nlohmann::json& json, const std::string& where) {
  constexpr int kMostShards = 10'000;
  Shard out;
  out.index = reader.number<int>(json, where, "index");
  out.total = reader.number<int>(json, where, "total");
  const bool is_sound = out.total >= 1 && out.total <= kMostShards && out.index >= 1;
  if (!is_sound || out.index > out.total) reader.fail(where, "not a shard I of N");
  return out;
}

}  // namespace assay::reports
