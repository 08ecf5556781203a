// How a client can end a server badly that it started, or fare badly with one that ends by itself.
// Specification: basic/lifecycle, "Shutdown"; basic/transports/stdio of 2026-07-28.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include "reference/client/faults/fault.h"
#include "reference/transport/stdio_child.h"

namespace assay::client {
namespace {

// For the server to see the signal, or the end of its input.
constexpr std::chrono::seconds kPatience{1};
// For the server to see a signal, and not to heed it.
constexpr std::chrono::milliseconds kOneBreath{5};

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
      {.id = "server-killed-first",
       .description = "Kills the server before it closes its input",
       .breaks = {"lifecycle.shutdown-closes-stdin", "stdio.shutdown-closes-stdin"},
       .seen_over = SeenOver::kStdioOnly,
       .farewell =
           [](transport::StdioChild& server) {
             server.signal(SIGKILL);
             // It outlives the server: otherwise both may have been ended together.
             std::this_thread::sleep_for(kPatience);
           }},
      {.id = "server-terminated-at-once",
       .description = "Sends the server SIGTERM as soon as it has closed its input",
       .breaks = {"lifecycle.shutdown-sigterm", "stdio.shutdown-waits"},
       .seen_over = SeenOver::kStdioOnly,
       .farewell =
           [](transport::StdioChild& server) {
             server.close_stdin();
             server.signal(SIGTERM);
             server.wait_for_exit(std::chrono::steady_clock::now() + kPatience);
             server.signal(SIGKILL);
           }},
      {.id = "server-killed-at-once",
       .description = "Kills the server as soon as it has sent it SIGTERM",
       .breaks = {"lifecycle.shutdown-sigkill"},
       // A server that is killed so soon may not see that signal.
       .may_break = {"lifecycle.shutdown-sigterm"},
       .seen_over = SeenOver::kStdioOnly,
       .farewell =
           [](transport::StdioChild& server) {
             server.close_stdin();
             server.wait_for_exit(std::chrono::steady_clock::now() + kPatience);
             server.signal(SIGTERM);
             server.wait_for_exit(std::chrono::steady_clock::now() + kOneBreath);
             server.signal(SIGKILL);
           }},
      {.id = "server-left-running",
       .description = "Leaves a server running that has not exited",
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
       .description = "Leaves a server running that has ignored SIGTERM",
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
       .farewell =
           [](transport::StdioChild& server) {
             server.close_stdin();
             std::_Exit(0);
           },
       .leaves_server = true},
      {.id = "server-not-started-again",
       .description = "Goes on without a server that has exited",
       .breaks = {"stdio.unexpected-exit-restart"},
       .seen_over = SeenOver::kStdioOnly,
       .farewell =
           [](transport::StdioChild& /*server*/) {
             const char* scenario = std::getenv("MCP_CONFORMANCE_SCENARIO");
             if (scenario == nullptr || scenario != std::string_view("server-exits")) return;
             std::this_thread::sleep_for(std::chrono::milliseconds(3200));
             std::_Exit(0);
           }},
      {.id = "subscriptions-lost-with-server",
       .description = "Does not listen again to a server that it has started again",
       .breaks = {"subscriptions.stdio-listen-again"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             // Before that it has a look at the server.
             const bool is_again = d.follows("server/discover");
             if (d.is_request("subscriptions/listen") && is_again) d.drop();
           }},
  };
}

}  // namespace assay::client
