// Every client with every server: which cells there are, in which order they run, and what all of
// them come to.
#pragma once

#include <string>
#include <vector>

#include "harness/interop/cell.h"
#include "harness/interop/entries.h"
#include "reports/events.h"
#include "reports/interop/interop_result.h"

namespace assay::harness {

struct MatrixOptions {
  std::vector<InteropServer> servers;  // ours among them, for the trials of clients
  std::vector<InteropClient> clients;
  // Each pair is run without and with each of them, and what differs is the gateway's.
  std::vector<InteropGateway> gateways;
  std::vector<TransportKind> transports = {TransportKind::kStdio, TransportKind::kHttp};
  std::vector<std::string> eras = {"newest", "oldest"};
  CellContext context;
  int jobs = 1;          // cells at once
  reports::Shard shard;  // which of the cells, dealt out by their place
};

// Runs to the end, or until `context.stop`. Every process is gone when it returns. Events are told
// as of a certification: a cell is a scenario, and an act that fails a violation.
reports::InteropResult run_matrix(const MatrixOptions& options, reports::Events& events);

}  // namespace assay::harness
