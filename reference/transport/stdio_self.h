// The stdio transport as a server sees it: its own standard input and output.
//
// Specification: basic/transports, "stdio". One message per line; the server ends when its input
// ends.
#pragma once

#include "reference/transport/server_transport.h"

namespace assay::transport {

struct StdioSelfOptions {
  int input = 0;  // descriptors; they stay the caller's
  int output = 1;
  int stop = -1;  // when this descriptor becomes readable, run() returns; -1: there is none
};

enum class StdioEnd {
  kInputEnded,    // the client closed our input
  kOutputClosed,  // the client stopped reading
  kStopped,       // StdioSelfOptions::stop
};

// Serves one session until the client goes away. Reads in large pieces, and writes what a piece of
// input brings about with one write. Needs SIGPIPE to be ignored.
StdioEnd serve_stdio(SessionFactory& server, const StdioSelfOptions& options);

}  // namespace assay::transport
