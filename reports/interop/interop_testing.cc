#include "reports/interop/interop_testing.h"

#include <utility>

#include "reports/result_testing.h"

namespace assay::reports::testing {
namespace {

Evidence said(std::uint64_t n, const std::string& party, const std::string& text) {
  Evidence out;
  out.n = n;
  out.at_ms = static_cast<double>(n);
  out.party = party;
  out.lane = "stdio";
  out.text = text;
  return out;
}

PairSession session() {
  PairSession out;
  out.revision = "2025-11-25";
  out.events = {
      said(1, "client",
           R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sum"}})"),
      said(2, "server", R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}})")};
  return out;
}

PairAct failed(const std::string& id, const std::string& why) {
  PairAct out = act(id, ActSeen::kFailed);
  out.detail = "tools/call was refused: error -32602";
  out.parting = Parting{0, 2, why};
  return out;
}

}  // namespace

PairAct act(const std::string& id, ActSeen seen) {
  PairAct out;
  out.act = id;
  out.seen = seen;
  return out;
}

PairCell cell(const std::string& client, const std::string& server, std::vector<PairAct> acts) {
  PairCell out;
  out.client = client;
  out.server = server;
  out.transport = "stdio";
  out.era = "newest";
  out.agreement.asked = out.agreement.revision = "2025-11-25";
  out.agreement.steps = {"initialize (2025-11-25): 2025-11-25"};
  out.acts = std::move(acts);
  out.sessions = {session()};
  out.duration_ms = 1200;
  return out;
}

InteropResult matrix() {
  InteropResult out;
  out.tool_version = "1.0.0";
  out.catalogue_version = "1";
  out.catalogue_digest = "sha256:00";
  out.started = "2026-01-31T12:00:00Z";
  out.duration_ms = 61'000;
  out.clients = {{"alpha", "alpha@1.2.3", "alpha 1.2.3", "node alpha.js", false},
                 {"beta", "", "beta", "node beta.js", false},
                 {"reference", "", "", "mcp-assay reference-client", true}};
  out.servers = {{"files", "files@2.0.0", "files 2.0.0", "node files.js", false},
                 {"notes", "", "", "http://127.0.0.1:3001/mcp", false},
                 {"reference", "", "", "mcp-assay reference-server", true}};
  const auto works = [](const std::string& id) { return act(id, ActSeen::kWorked); };

  PairCell broken = cell("alpha", "files",
                         {works("connect"), failed("call", "the call was refused"),
                          act("prompt", ActSeen::kNotBegun)});
  broken.breaches = {{"server", 0, violation()}};
  broken.acts[1].breaches = {0};
  broken.end = "it exited with status 1";

  PairCell sound = cell("alpha", "notes",
                        {works("connect"), failed("call", "the call was refused"), works("read")});
  PairCell unclear = cell(
      "beta", "files", {works("connect"), failed("call", "the call was refused"), works("read")});
  unclear.breaches = {{"client", 0, violation()}};
  unclear.acts[0].breaches = {0};
  PairCell unsteady = cell("beta", "notes", {works("connect"), works("call"), works("read")});
  unsteady.acts[1].was_unsteady = true;
  unsteady.was_repeated = true;
  out.cells = {std::move(broken), std::move(sound), std::move(unclear), std::move(unsteady)};
  for (const char* client : {"alpha", "beta"}) {
    out.cells.push_back(
        cell(client, "reference", {works("connect"), works("call"), works("read")}));
  }
  for (const char* server : {"files", "notes"}) {
    out.cells.push_back(
        cell("reference", server, {works("connect"), works("call"), works("read")}));
  }
  settle_interop(out);
  return out;
}

InteropResult matrix_with_gateway() {
  InteropResult out = matrix();
  out.gateways = {{"edge", "edge@0.1.0", "", "node edge.js", false}};
  const auto works = [](const std::string& id) { return act(id, ActSeen::kWorked); };
  PairCell behind = cell("beta", "notes",
                         {works("connect"), failed("call", "the call was refused"), works("read")});
  behind.gateway = "edge";
  behind.breaches = {{"gateway", 0, violation()}};
  behind.acts[1].breaches = {0};
  out.cells.push_back(std::move(behind));
  settle_interop(out);
  return out;
}

InteropResult hostile_matrix() {
  InteropResult out = matrix();
  const std::string bad = hostile_text();
  for (auto* parties : {&out.clients, &out.servers}) {
    for (PairParty& party : *parties) party.introduced_as = party.location = party.package = bad;
  }
  // With the act of the longest name.
  for (PairCell& each : out.cells) {
    each.acts.push_back(act("subscribe", ActSeen::kWorked));
    each.acts.back().outcome = ActOutcome::kWorks;
    each.end = each.remark = each.agreement.dead_end = each.agreement.revision = bad;
    each.agreement.steps = {bad};
    for (PairAct& one : each.acts) {
      one.detail = bad;
      if (one.parting) one.parting->why = bad;
    }
    for (PairBreach& breach : each.breaches) breach.verdict.detail = breach.verdict.fix = bad;
    for (PairSession& one : each.sessions) {
      for (Evidence& event : one.events) event.text = event.lane = bad;
    }
  }
  return out;
}

}  // namespace assay::reports::testing
