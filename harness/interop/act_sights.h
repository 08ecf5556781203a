// What the traffic of a cell, and the client's own words, show of each act.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/host/guest.h"
#include "harness/interop/act_sheet.h"
#include "harness/interop/dialogue.h"
#include "harness/interop/offer.h"
#include "harness/runner/recorded_session.h"
#include "reports/interop/interop_result.h"

namespace assay::harness {

// One start of the client, as it went.
struct SeenStart {
  ClientStart start;
  GuestEnd end;
  ClientWords words;
  std::vector<RecordedSession> sessions;       // of the client, as they began
  std::vector<RecordedSession> after_gateway;  // of a gateway with the server
  std::string shortfall;
  std::string server_end;  // this and what follows: see Tapped
  std::optional<int> session_end;
  bool was_asked_for_login = false;
  std::string other_name;
};

// A session of a cell, read.
struct ReadSession {
  std::size_t start = 0;  // of the cell's starts
  const RecordedSession* session = nullptr;
  Dialogue dialogue;
  bool is_after_gateway = false;
};
// All of them: first those of the client in the order of the starts, then those of a gateway with
// the server. They point into `starts`.
std::vector<ReadSession> read_sessions(const std::vector<SeenStart>& starts);

// What is known of the client from its trial with our own server.
struct KnownClient {
  bool is_known = false;
  std::set<std::string> acts;  // that worked there
  bool ends_well = true;       // it exits with status 0 where nothing fails
  bool gives_words = false;    // it says how each act went
  std::string revision = {};   // that it speaks with a server of every revision
};

struct CellView {
  const Offer& offer;
  const KnownClient& client;
  const std::vector<SeenStart>& starts;
  const std::vector<ReadSession>& sessions;
  TransportKind transport = TransportKind::kStdio;
  // Of the sessions those of a gateway with the server, in place of those of the client.
  bool is_after_gateway = false;
};

// An event of the cell.
using EventPlace = std::pair<std::size_t, std::uint64_t>;  // session, number

struct ActSight {
  reports::ActSeen seen = reports::ActSeen::kNotBegun;
  std::string detail;
  std::optional<reports::Parting> parting;
  std::set<EventPlace> events;  // of its exchange
  bool is_undecided = false;    // see PairAct
};

reports::Agreement agreement_of(const CellView& view);

// One for each of pair_acts(), in their order. With a gateway the exchange of an act goes on behind
// it, and its events are in it.
std::vector<ActSight> sights_of(const CellView& view, const reports::Agreement& agreement);

}  // namespace assay::harness
