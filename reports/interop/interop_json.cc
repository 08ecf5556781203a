#include "reports/interop/interop_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/json.h"
#include "reports/json_parts.h"

namespace assay::reports {
namespace {

using nlohmann::ordered_json;

ordered_json to_json(const PairParty& party) {
  ordered_json out = {{"name", party.name}};
  add_if(out, "package", party.package);
  add_if(out, "introduced_as", party.introduced_as);
  add_if(out, "location", party.location);
  if (party.is_reference) out["reference"] = true;
  return out;
}

ordered_json to_json(const Agreement& agreement) {
  ordered_json out = ordered_json::object();
  add_if(out, "asked", agreement.asked);
  add_if(out, "revision", agreement.revision);
  out["steps"] = agreement.steps;
  if (agreement.took_ms > 0) out["took_ms"] = agreement.took_ms;
  add_if(out, "dead_end", agreement.dead_end);
  return out;
}

ordered_json to_json(const PairAct& act) {
  ordered_json out = {{"act", act.act}, {"outcome", name(act.outcome)}, {"seen", name(act.seen)}};
  add_if(out, "detail", act.detail);
  if (act.parting) {
    out["parting"] = {
        {"session", act.parting->session}, {"n", act.parting->n}, {"why", act.parting->why}};
  }
  if (!act.breaches.empty()) out["breaches"] = act.breaches;
  if (act.was_unsteady) out["unsteady"] = true;
  if (act.is_undecided) out["undecided"] = true;
  add_if(out, "lacking", act.lacking);
  add_if(out, "lacking_why", act.lacking_why);
  return out;
}

ordered_json to_json(const PairBreach& breach) {
  return {
      {"party", breach.party}, {"session", breach.session}, {"verdict", to_json(breach.verdict)}};
}

ordered_json to_json(const PairSession& session) {
  ordered_json out = ordered_json::object();
  add_if(out, "start", session.start);
  add_if(out, "revision", session.revision);
  if (session.is_after_gateway) out["after_gateway"] = true;
  ordered_json& events = out["events"] = ordered_json::array();
  for (const Evidence& event : session.events) events.push_back(to_json(event));
  if (session.left_out > 0) out["left_out"] = session.left_out;
  return out;
}

ordered_json to_json(const PairCell& cell);

template <typename Item>
ordered_json list_of(const std::vector<Item>& items) {
  ordered_json out = ordered_json::array();
  for (const Item& item : items) out.push_back(to_json(item));
  return out;
}

ordered_json to_json(const PairCell& cell) {
  ordered_json out = {{"client", cell.client},
                      {"server", cell.server},
                      {"transport", cell.transport},
                      {"era", cell.era}};
  add_if(out, "gateway", cell.gateway);
  add_if(out, "not_run", cell.not_run);
  out["duration_ms"] = cell.duration_ms;
  out["agreement"] = to_json(cell.agreement);
  out["acts"] = list_of(cell.acts);
  if (!cell.breaches.empty()) out["breaches"] = list_of(cell.breaches);
  out["sessions"] = list_of(cell.sessions);
  add_if(out, "end", cell.end);
  add_if(out, "remark", cell.remark);
  if (cell.was_repeated) out["repeated"] = true;
  return out;
}

using Json = nlohmann::json;

std::vector<std::string> read_texts(JsonReader& reader, const Json& json, const std::string& where,
                                    const char* key) {
  return reader.items<std::string>(json, where, key, false,
                                   [&](const Json& item, const std::string& at) {
                                     if (!item.is_string()) reader.fail(at, "not a string");
                                     return item.is_string() ? item.get<std::string>() : "";
                                   });
}

PairParty read_pair_party(JsonReader& reader, const Json& json, const std::string& where) {
  PairParty out;
  out.name = reader.text(json, where, "name", true);
  out.package = reader.text(json, where, "package");
  out.introduced_as = reader.text(json, where, "introduced_as");
  out.location = reader.text(json, where, "location");
  out.is_reference = reader.flag(json, where, "reference");
  return out;
}

Agreement read_agreement(JsonReader& reader, const Json& json, const std::string& where) {
  Agreement out;
  out.asked = reader.text(json, where, "asked");
  out.revision = reader.text(json, where, "revision");
  out.steps = read_texts(reader, json, where, "steps");
  out.took_ms = reader.number<double>(json, where, "took_ms");
  out.dead_end = reader.text(json, where, "dead_end");
  return out;
}

PairAct read_pair_act(JsonReader& reader, const Json& json, const std::string& where) {
  PairAct out;
  out.act = reader.text(json, where, "act", true);
  out.seen = reader.word<ActSeen>(json, where, "seen", parse_act_seen);
  out.outcome = reader.word<ActOutcome>(json, where, "outcome", parse_act_outcome);
  out.detail = reader.text(json, where, "detail");
  if (const Json* parting = reader.member(json, where, "parting", false)) {
    const std::string at = where + "/parting";
    out.parting =
        Parting{reader.number<std::size_t>(*parting, at, "session"),
                reader.number<std::uint64_t>(*parting, at, "n"), reader.text(*parting, at, "why")};
  }
  out.breaches = reader.items<std::size_t>(
      json, where, "breaches", false, [&](const Json& item, const std::string& at) {
        if (!item.is_number_unsigned()) reader.fail(at, "not a whole number");
        return item.is_number_unsigned() ? item.get<std::size_t>() : 0;
      });
  out.was_unsteady = reader.flag(json, where, "unsteady");
  out.is_undecided = reader.flag(json, where, "undecided");
  out.lacking = reader.text(json, where, "lacking");
  out.lacking_why = reader.text(json, where, "lacking_why");
  return out;
}

PairBreach read_breach(JsonReader& reader, const Json& json, const std::string& where) {
  PairBreach out;
  out.party = reader.text(json, where, "party", true);
  out.session = reader.number<std::size_t>(json, where, "session");
  if (const Json* verdict = reader.member(json, where, "verdict", true)) {
    out.verdict = read_verdict(reader, *verdict, where + "/verdict");
  }
  return out;
}

PairSession read_session(JsonReader& reader, const Json& json, const std::string& where) {
  PairSession out;
  out.start = reader.text(json, where, "start");
  out.revision = reader.text(json, where, "revision");
  out.is_after_gateway = reader.flag(json, where, "after_gateway");
  out.events = reader.items<Evidence>(
      json, where, "events", true,
      [&](const Json& item, const std::string& at) { return read_evidence(reader, item, at); });
  out.left_out = reader.number<std::size_t>(json, where, "left_out");
  return out;
}

PairCell read_cell(JsonReader& reader, const Json& json, const std::string& where) {
  PairCell out;
  out.client = reader.text(json, where, "client", true);
  out.server = reader.text(json, where, "server", true);
  out.transport = reader.text(json, where, "transport", true);
  out.era = reader.text(json, where, "era", true);
  out.gateway = reader.text(json, where, "gateway");
  out.not_run = reader.text(json, where, "not_run");
  out.duration_ms = reader.number<std::int64_t>(json, where, "duration_ms");
  if (const Json* agreement = reader.member(json, where, "agreement", false)) {
    out.agreement = read_agreement(reader, *agreement, where + "/agreement");
  }
  out.acts = reader.items<PairAct>(
      json, where, "acts", true,
      [&](const Json& item, const std::string& at) { return read_pair_act(reader, item, at); });
  out.breaches = reader.items<PairBreach>(
      json, where, "breaches", false,
      [&](const Json& item, const std::string& at) { return read_breach(reader, item, at); });
  out.sessions = reader.items<PairSession>(
      json, where, "sessions", true,
      [&](const Json& item, const std::string& at) { return read_session(reader, item, at); });
  out.end = reader.text(json, where, "end");
  out.remark = reader.text(json, where, "remark");
  out.was_repeated = reader.flag(json, where, "repeated");
  return out;
}

InteropResult read_interop(JsonReader& reader, const Json& json) {
  InteropResult out;
  const std::string root;
  if (const Json* tool = reader.member(json, root, "tool", true)) {
    out.tool_version = reader.text(*tool, "/tool", "version", true);
  }
  if (const Json* catalogue = reader.member(json, root, "catalogue", true)) {
    out.catalogue_version = reader.text(*catalogue, "/catalogue", "version", true);
    out.catalogue_digest = reader.text(*catalogue, "/catalogue", "digest");
  }
  out.started = reader.text(json, root, "started", true);
  out.duration_ms = reader.number<std::int64_t>(json, root, "duration_ms");
  out.was_interrupted = reader.flag(json, root, "interrupted");
  if (const Json* shard = reader.member(json, root, "shard", false)) {
    out.shard = read_shard(reader, *shard, "/shard");
  }
  const auto read = [&](const Json& item, const std::string& at) {
    return read_pair_party(reader, item, at);
  };
  out.clients = reader.items<PairParty>(json, root, "clients", true, read);
  out.servers = reader.items<PairParty>(json, root, "servers", true, read);
  out.gateways = reader.items<PairParty>(json, root, "gateways", false, read);
  out.cells = reader.items<PairCell>(
      json, root, "cells", true,
      [&](const Json& item, const std::string& at) { return read_cell(reader, item, at); });
  out.no_cells = printable_line(reader.text(json, root, "no_cells"));
  out.changed_since = reader.text(json, root, "changed_since");
  out.changes = reader.items<PairChange>(
      json, root, "changes", false, [&](const Json& item, const std::string& at) {
        return PairChange{reader.flag(item, at, "worse"),
                          reader.number<std::size_t>(item, at, "cell"),
                          reader.text(item, at, "text", true)};
      });
  std::erase_if(out.changes,
                [&](const PairChange& change) { return change.cell >= out.cells.size(); });
  return out;
}

}  // namespace

std::string render_interop_json(const InteropResult& result) {
  ordered_json out = {
      {"schema", kInteropSchema},
      {"tool", {{"name", "mcp-assay"}, {"version", result.tool_version}}},
      {"catalogue", {{"version", result.catalogue_version}, {"digest", result.catalogue_digest}}},
      {"started", result.started},
      {"duration_ms", result.duration_ms}};
  if (result.was_interrupted) out["interrupted"] = true;
  if (result.shard.is_part()) {
    out["shard"] = {{"index", result.shard.index}, {"total", result.shard.total}};
  }
  out["clients"] = list_of(result.clients);
  out["servers"] = list_of(result.servers);
  if (!result.gateways.empty()) out["gateways"] = list_of(result.gateways);
  out["cells"] = list_of(result.cells);
  add_if(out, "no_cells", result.no_cells);
  if (!result.changed_since.empty()) {
    out["changed_since"] = result.changed_since;
    ordered_json& changes = out["changes"] = ordered_json::array();
    for (const PairChange& change : result.changes) {
      changes.push_back({{"worse", change.is_worse}, {"cell", change.cell}, {"text", change.text}});
    }
  }
  return safe_json(out.dump(1, ' ', false, ordered_json::error_handler_t::replace)) + "\n";
}

bool is_interop_json(std::string_view text) {
  // Our own writer puts the schema first; a file written by others is still told by the word.
  return text.substr(0, 4096).find("\"mcp-assay-interop/") != std::string_view::npos;
}

std::variant<InteropResult, std::string> parse_interop_json(std::string_view text) {
  if (text.size() > kMaxReportBytes) {
    return fmt::format("larger than {} bytes: not a matrix of mcp-assay", kMaxReportBytes);
  }
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return why_not_json(error.what());
  }
  JsonReader reader;
  const std::string schema = reader.text(json, "", "schema", true);
  if (reader.error().empty() && schema != kInteropSchema) {
    return fmt::format("its schema is '{}'; this version of mcp-assay reads '{}'",
                       printable_line(cut(schema, 60)), kInteropSchema);
  }
  InteropResult result = read_interop(reader, json);
  if (!reader.error().empty()) return reader.error();
  bound(result);
  settle_interop(result);
  return result;
}

}  // namespace assay::reports
