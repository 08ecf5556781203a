// What a matrix of clients and servers found: the model that its writers share.
//
// A cell is one client with one server, over one transport, in one era of the client's. In it the
// client does acts: lists tools, calls one, and so on. Who is to blame for an act that fails is
// said by verdicts on rules alone. All texts of the peers are untrusted, as in result.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/result.h"

namespace assay::reports {

// What was seen of an act in one cell.
enum class ActSeen {
  kWorked,      // it came to its end, and the client went on
  kFailed,      // it was begun, or tried, and did not
  kNotBegun,    // the client did nothing of it
  kNotReached,  // it was not the turn of it: something failed before, or the cell was not run
};
std::string_view name(ActSeen seen);  // "not_begun"
std::optional<ActSeen> parse_act_seen(std::string_view text);

// What it comes to, once all cells are known (settle_interop()).
// A recommendation that is not followed (SHOULD) is told, and is no reason.
enum class ActOutcome {
  kWorks,
  kWorksThough,   // though a rule was broken in it
  kUnsteady,      // it failed beside other cells, and worked alone
  kFailsBroken,   // and a rule was broken where it failed
  kFailsUnclear,  // no rule was broken where it failed, but rules or recommendations elsewhere
  kFailsSound,    // and neither party broke a rule or recommendation in the whole cell
  kUnsupported,   // by one of the parties, as far as its other cells tell
  kNotTested,
};
inline constexpr ActOutcome kActOutcomes[] = {ActOutcome::kWorks,        ActOutcome::kWorksThough,
                                              ActOutcome::kUnsteady,     ActOutcome::kFailsBroken,
                                              ActOutcome::kFailsUnclear, ActOutcome::kFailsSound,
                                              ActOutcome::kUnsupported,  ActOutcome::kNotTested};
std::string_view name(ActOutcome outcome);   // "fails_broken"
std::string_view words(ActOutcome outcome);  // "fails, and a rule was broken"
std::optional<ActOutcome> parse_act_outcome(std::string_view text);
bool is_failing(ActOutcome outcome);

// The message after which the two no longer agree.
struct Parting {
  std::size_t session = 0;  // of the cell's sessions
  std::uint64_t n = 0;      // the event's number in it
  std::string why;          // "the client ended after this answer"

  friend bool operator==(const Parting&, const Parting&) = default;
};

struct PairAct {
  std::string act;  // "call": see pair_acts()
  ActSeen seen = ActSeen::kNotBegun;
  std::string detail;  // what happened, or why not
  std::optional<Parting> parting;
  // Of the cell's: those in the exchange of this act, recommendations among them.
  std::vector<std::size_t> breaches;
  bool was_unsteady = false;  // a first look saw it fail
  // A rule applies here, and what passed does not show whether it was broken: `detail` names it.
  bool is_undecided = false;
  // settle_interop():
  ActOutcome outcome = ActOutcome::kNotTested;
  // Who does not support it: "client", "server", "client and server", "gateway".
  std::string lacking;
  std::string lacking_why;  // "it failed with each of 4 servers that tried it"; may be empty

  friend bool operator==(const PairAct&, const PairAct&) = default;
};

// A rule that one of the two broke in a cell.
struct PairBreach {
  std::string party;        // "client", "server" or "gateway"
  std::size_t session = 0;  // of the cell's sessions: evidence is numbered as its events are
  Verdict verdict;

  friend bool operator==(const PairBreach&, const PairBreach&) = default;
};

// What passed between the two on one connection, as far as the report keeps it.
struct PairSession {
  std::string start;     // what the client was started for: "lists-tools"; empty: for all acts
  std::string revision;  // that was spoken; empty if nothing tells
  bool is_after_gateway = false;  // between a gateway and the server
  std::vector<Evidence> events;
  std::size_t left_out = 0;  // events

  friend bool operator==(const PairSession&, const PairSession&) = default;
};

// How the two agreed on a revision.
struct Agreement {
  std::string asked;               // the revision that the client named first; empty: none
  std::string revision;            // that both speak; empty: they did not agree
  std::vector<std::string> steps;  // "server/discover (2026-07-28): error -32601"
  double took_ms = 0;              // from the first request to the answer that settled it
  std::string dead_end;            // what the client gave up at; empty where they agreed

  friend bool operator==(const Agreement&, const Agreement&) = default;
};

struct PairCell {
  std::string client;  // names of parties
  std::string server;
  std::string transport;  // "stdio" or "http"
  std::string era;        // of the client: "newest" or "oldest"
  std::string gateway;    // what stood between, besides us; empty: nothing
  std::string not_run;    // why not; empty if it was
  Agreement agreement;
  std::vector<PairAct> acts;  // in the order of pair_acts()
  std::vector<PairBreach> breaches;
  std::vector<PairSession> sessions;
  std::string end;  // how the client ended, if not well: "it exited with status 1"
  std::string remark;
  bool was_repeated = false;  // run once more, alone
  std::int64_t duration_ms = 0;

  // "client > server, stdio, newest".
  std::string title() const;
  const PairAct* act(std::string_view id) const;
  friend bool operator==(const PairCell&, const PairCell&) = default;
};

struct PairParty {
  std::string name;           // as the matrix calls it: "sdk@1.32.2"
  std::string package;        // the npm package, "@modelcontextprotocol/sdk@1.32.2"; may be empty
  std::string introduced_as;  // by itself: "example-client 1.0.0"
  std::string location;       // the command as a shell takes it, or the URL
  bool is_reference = false;  // ours, with which the others are tried

  friend bool operator==(const PairParty&, const PairParty&) = default;
};

// An act that worked in an earlier run and fails now, or the reverse.
struct PairChange {
  bool is_worse = false;
  std::size_t cell = 0;  // of the result's
  std::string text;      // with the versions that changed; printable

  friend bool operator==(const PairChange&, const PairChange&) = default;
};

struct InteropResult {
  std::string tool_version;
  std::string catalogue_version;
  std::string catalogue_digest;
  std::string started;  // ISO 8601, UTC
  std::int64_t duration_ms = 0;
  bool was_interrupted = false;  // some cells were not run
  Shard shard;
  std::vector<PairParty> clients;
  std::vector<PairParty> servers;
  std::vector<PairParty> gateways;  // that stand between in some cells
  std::vector<PairCell> cells;
  // Why there is none besides trials, as a clause: "no client and server both speak HTTP".
  std::string no_cells;
  std::string changed_since;        // when the run was with which this is compared; empty: none
  std::vector<PairChange> changes;  // those for the worse first

  friend bool operator==(const InteropResult&, const InteropResult&) = default;
};

// What clients can do with servers, in the order in which reports show it.
struct PairActInfo {
  std::string_view id;     // "call"
  std::string_view label;  // "call a tool": what the client does
  std::string_view mark;   // two letters, where there is no room: "ca"
};
const std::vector<PairActInfo>& pair_acts();
const PairActInfo* find_pair_act(std::string_view id);

// Gives each act its outcome. Whether a party can do an act is told by all cells with it: an act
// that failed with every one of at least two peers, and that no verdict explains, counts as
// unsupported, unless it is to connect.
void settle_interop(InteropResult& result);

// Rules that were broken in the exchange of the act, and not only recommendations.
bool is_rule_broken(const PairCell& cell, const PairAct& act);

using ActCounts = std::map<ActOutcome, int>;
ActCounts count(const PairCell& cell);
// Of all cells, without those with a reference party.
ActCounts count(const InteropResult& result);
// Whether one of the parties of the cell is ours.
bool is_trial(const InteropResult& result, const PairCell& cell);
bool has_failed(const PairCell& cell);
bool has_failed(const InteropResult& result);
// At least one act worked or failed.
bool was_tested(const InteropResult& result);
// "12 of 80 cells fail; 410 acts work, 14 fail"; printable.
std::string conclusion(const InteropResult& result);
// The party of that name; null if there is none.
const PairParty* find_party(const std::vector<PairParty>& parties, std::string_view name);

// Cuts every text of the peers to the bounds of bound.h, and a cell to what a report can hold. What
// an act comes to is the same before and after.
void bound(InteropResult& result);

}  // namespace assay::reports
