// An HTTP server that we start before we talk to it.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "reference/transport/http_url.h"
#include "reference/transport/observer.h"
#include "reference/transport/stdio_child.h"

namespace assay::harness {

// From start() to the end of its life the command runs; then it is asked to end (SIGTERM), and what
// is left of it and of its children after a second is killed. The thread that calls start() has to
// live as long.
class StartedServer {
 public:
  // `called`: what it is in sentences, such as "the command of --start". `directory`: where it
  // runs; empty: here.
  StartedServer(std::vector<std::string> command,
                std::vector<std::pair<std::string, std::string>> environment,
                const std::string& directory, std::string called);
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

  const std::string called_;
  Nobody nobody_;
  transport::StdioChild child_;
};

}  // namespace assay::harness
