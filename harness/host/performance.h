// One scenario, played once for one client: the server is up, the client acts, everything is
// recorded.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/host/guest.h"
#include "harness/host/participation.h"
#include "harness/host/play.h"
#include "harness/runner/client_scenario.h"
#include "harness/runner/recorded_session.h"
#include "reports/vault.h"

namespace assay::harness {

// How the client is started.
struct ClientCommand {
  // How it reaches the server stands in it, or is appended: see House::told().
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;
  TransportKind transport = TransportKind::kHttp;
  // How it is made to do one thing; empty: `words` do all that a scenario needs.
  std::vector<ClientWay> ways = {};
  std::string relay_program =
      {};  // mcp-assay, which stands in for servers over stdio, and for browsers
  DocumentReader read_document = nullptr;  // see Venue
  std::string page_origin = {};            // of a page that is the client: see HouseOptions
};

struct ClientPatience {
  std::chrono::milliseconds scenario{30000};  // for the client to end, however often it is started
  std::chrono::milliseconds question{3000};   // for its answer to what it is asked
  // For what it sends without waiting for the answer to initialize, which is held back so long.
  std::chrono::milliseconds opening{0};
};

struct Performance {
  GuestEnd end;
  std::vector<RecordedSession> sessions;  // as they began
  RecordedSession beside;                 // see Recorded
  std::string shortfall;                  // why less was recorded than passed; empty if all was
  Findings findings;                      // the review's
  std::set<std::size_t> left_open;        // of them: see Review
  bool was_reached = false;               // something connected
  bool has_spoken = false;                // and said something, in whatever revision
  bool was_taken_up = true;               // see Play
  bool has_succeeded = false;             // see Play
  Feats feats = {};                       // see Play
  Participation participation = {};
  std::chrono::milliseconds duration{0};
};

// What the client has to do in that scenario, and no way says how it does it: one of its acts,
// where it could do nothing of it. Nothing where it can be played.
std::optional<Act> missing_way(const ClientScenario& scenario, const ClientCommand& command);

// What earlier plays about the same thing have shown of the client: see Venue.
struct Known {
  bool has_succeeded = false;
  Feats feats = {};
};

// Plays it. Where no server can be brought up: why not.
std::variant<Performance, std::string> perform(const ClientScenario& scenario,
                                               model::Revision revision,
                                               const ClientCommand& command,
                                               const ClientPatience& patience, const Known& known,
                                               const std::shared_ptr<reports::Vault>& vault,
                                               const std::stop_token& stop);

}  // namespace assay::harness
