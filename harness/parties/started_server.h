// The HTTP server that `server --url URL --start -- COMMAND` starts before it certifies it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "harness/project/server_jobs.h"
#include "reference/transport/http_url.h"
#include "reference/transport/observer.h"
#include "reference/transport/stdio_child.h"
#include "reports/result.h"

namespace assay::cli {

// From start() to the end of its life the command runs; then it is asked to end (SIGTERM), and what
// is left of it and of its children after a second is killed. The thread that calls start() has to
// live as long.
class StartedServer {
 public:
  StartedServer(std::vector<std::string> command,
                std::vector<std::pair<std::string, std::string>> environment);
  ~StartedServer();
  StartedServer(const StartedServer&) = delete;
  StartedServer& operator=(const StartedServer&) = delete;

  // Whether something answers HTTP at `url` now.
  static bool is_answered(const transport::HttpUrl& url);

  // Starts the command and waits until something answers at `url`; nothing if it does. Otherwise
  // why not, as a sentence of printable text with the last words of the command.
  std::optional<std::string> start(const transport::HttpUrl& url, std::chrono::milliseconds limit,
                                   const std::stop_token& stop);
  // How the command ended by itself, as such a sentence; empty while it runs.
  std::string end();

 private:
  // What the command writes is drained, and only its end is kept, by the child itself.
  class Nobody : public transport::Observer {
    void observe(const transport::Observation& /*observation*/) override {}
  };

  std::string ending(const std::string& what) const;
  std::string exit_before(const transport::ProcessExit& exit, const std::string& when) const;

  Nobody nobody_;
  transport::StdioChild child_;
};

// What --start asks for.
struct Start {
  std::unique_ptr<StartedServer> server;  // null without --start
  std::string problem;  // why it did not come up; empty if it did. Whoever answers is not it
};
// Throws UsageError where something answers at the URL already: that would be certified instead.
Start start_server(const ServerOptions& options, std::chrono::milliseconds limit,
                   const std::stop_token& stop);

// In place of the ways to a server that did not come up: none of them opens a connection, and the
// reports tell `problem`.
void close_ways(std::vector<harness::TargetAccess>& accesses, const std::string& problem);
// The command ended while its server was certified: who answered afterwards is not known, and
// nothing counts as tested.
void mark_ended(reports::Result& result, const std::string& end);

}  // namespace assay::cli
