// The stdio transport as a server sees it: its own standard input and output.
//
// Specification: basic/transports, "stdio". One message per line; the server ends when its input
// ends.
#pragma once

#include <string_view>

#include "reference/transport/observer.h"
#include "reference/transport/server_transport.h"

namespace assay::transport {

// What a server that reads lines may do badly; a good one does none of it.
struct StdioLapses {
  bool takes_reads_for_lines = false;     // whatever one read() gives is taken for a whole message
  bool loses_lines_behind_first = false;  // of those that one read() gives
  bool loses_long_lines = false;          // beyond a megabyte
  bool chokes_on_white_space = false;     // around a message
};

struct StdioSelfOptions {
  int input = 0;  // descriptors; they stay the caller's
  int output = 1;
  StdioLapses lapses = {};
  // Called with each piece of input as it was read, before it is looked at; may be null.
  void (*on_read)(std::string_view piece) = nullptr;
  Observer* observer = nullptr;  // told of every line, both ways; outlives run(). Null: nobody is
  int stop = -1;  // when this descriptor becomes readable, run() returns; -1: there is none
};

enum class StdioEnd {
  kInputEnded,    // the client closed our input
  kOutputClosed,  // the client stopped reading
  kStopped,       // StdioSelfOptions::stop
  kHungUp,        // the server ended the connection
};

// Serves one session until the client goes away. Reads in large pieces, and writes what a piece of
// input brings about with one write. Needs SIGPIPE to be ignored.
StdioEnd serve_stdio(SessionFactory& server, const StdioSelfOptions& options);

}  // namespace assay::transport
