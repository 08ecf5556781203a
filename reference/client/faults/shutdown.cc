// How a client can end a server badly that it started. Specification: basic/lifecycle, "Shutdown".
#include <chrono>
#include <csignal>
#include <cstdlib>

#include "reference/client/faults/fault.h"
#include "reference/transport/stdio_child.h"

namespace assay::client {
namespace {

// For the server to see the signal, or the end of its input.
constexpr std::chrono::seconds kPatience{1};

}  // namespace

std::vector<Fault> shutdown_faults() {
  return {
      {.id = "server-terminated-first",
       .description = "Sends the server SIGTERM before it closes its input",
       .breaks = {"lifecycle.shutdown-closes-stdin", "stdio.shutdown-closes-stdin"},
       .seen_over = SeenOver::kStdioOnly,
       .farewell =
           [](transport::StdioChild& server) {
             server.signal(SIGTERM);
             server.wait_for_exit(std::chrono::steady_clock::now() + kPatience);
           }},
      {.id = "server-left-running",
       .description = "Leaves a server behind that has not exited",
       .breaks = {"lifecycle.shutdown-sigterm", "lifecycle.shutdown-sigkill",
                  "lifecycle.handles-shutdown-timeout", "stdio.shutdown-forced"},
       .seen_over = SeenOver::kStdioOnly,
       .farewell =
           [](transport::StdioChild& server) {
             server.close_stdin();
             server.wait_for_exit(std::chrono::steady_clock::now() + kPatience);
             std::_Exit(0);
           },
       .leaves_server = true},
      {.id = "server-not-killed",
       .description = "Leaves a server behind that has not heeded SIGTERM",
       .breaks = {"lifecycle.shutdown-sigkill", "stdio.shutdown-forced"},
       .seen_over = SeenOver::kStdioOnly,
       .farewell =
           [](transport::StdioChild& server) {
             server.close_stdin();
             server.wait_for_exit(std::chrono::steady_clock::now() + kPatience);
             server.signal(SIGTERM);
             server.wait_for_exit(std::chrono::steady_clock::now() + kPatience);
             std::_Exit(0);
           },
       .leaves_server = true},
      {.id = "server-not-waited-for",
       .description = "Leaves at once when it has closed the server's input",
       .breaks = {"stdio.shutdown-waits", "stdio.shutdown-forced"},
       .seen_over = SeenOver::kStdioOnly,
       .concerns = [](model::Revision revision) { return !revision.has_handshake(); },
       .farewell =
           [](transport::StdioChild& server) {
             server.close_stdin();
             std::_Exit(0);
           },
       .leaves_server = true},
  };
}

}  // namespace assay::client
