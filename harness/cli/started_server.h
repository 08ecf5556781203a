// The HTTP server that `server --url URL --start -- COMMAND` starts before it certifies it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/server_jobs.h"
#include "reference/transport/http_url.h"
#include "reference/transport/observer.h"
#include "reference/transport/stdio_child.h"

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

 private:
  // What the command writes is drained, and only its end is kept, by the child itself.
  class Nobody : public transport::Observer {
    void observe(const transport::Observation& /*observation*/) override {}
  };

  std::string ending(const std::string& what) const;

  Nobody nobody_;
  transport::StdioChild child_;
};

// What --start asks for; null without it. A server that does not come up is said on standard error,
// and the reports of what follows say that it could not be reached. Throws UsageError where
// something answers at the URL already: that would be certified instead.
std::unique_ptr<StartedServer> start_server(const ServerOptions& options,
                                            std::chrono::milliseconds limit,
                                            const std::stop_token& stop);

}  // namespace assay::cli
