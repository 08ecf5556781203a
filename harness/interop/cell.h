// One cell of a matrix: a client with a server, over one transport, in one era of the client's.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "harness/interop/act_sights.h"
#include "harness/interop/entries.h"
#include "harness/interop/offer.h"
#include "harness/interop/pair_verdicts.h"
#include "reference/transport/http_url.h"
#include "reports/interop/interop_result.h"
#include "reports/vault.h"

namespace assay::harness {

// How long a server may take to start, and to answer when it is asked what it offers.
inline constexpr std::chrono::milliseconds kServerStart{30'000};

// What all cells share.
struct CellContext {
  std::string relay_program;  // mcp-assay, which clients start in place of a server over stdio
  std::chrono::milliseconds patience{30'000};  // for one start of a client
  std::shared_ptr<reports::Vault> vault;
  std::stop_token stop;
};

struct CellJob {
  const InteropClient* client = nullptr;
  const InteropEra* era = nullptr;
  const InteropServer* server = nullptr;
  TransportKind transport = TransportKind::kStdio;  // of the client
  const InteropGateway* gateway = nullptr;          // null: nothing stands between
  std::optional<transport::HttpUrl> url;            // where the server is, over HTTP
  const Offer* offer = nullptr;
  const KnownClient* known = nullptr;
  std::set<std::string> acts;  // that the client is asked to do
  bool is_one_by_one = false;  // each in a start of its own
  bool asks_for_token = false;  // the server refuses requests without one
};

// A cell as it went, and what the next look at it has to know.
struct CellLook {
  reports::PairCell cell;
  std::set<OpenBreach> open;
  KnownClient shown;        // what it shows of the client
  std::string client_name;  // as they introduced themselves
  std::string server_name;
};

// Runs it; every process is gone when it returns. `before`: an earlier look at the same cell.
CellLook run_cell(const CellJob& job, const CellContext& context, const CellLook* before = nullptr);

// A cell that is not run, with every act not reached.
reports::PairCell unrun_cell(const CellJob& job, std::string why);

// What two looks show together: of what the first left open the second decides; what failed in the
// first and worked in the second is unsteady.
reports::PairCell both_looks(reports::PairCell first, reports::PairCell second);

}  // namespace assay::harness
