// A server over HTTP for the cells of a matrix: started by us, or by somebody else.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "harness/interop/entries.h"
#include "harness/script/started_server.h"
#include "reference/transport/http_url.h"

namespace assay::harness {

// The thread that calls start() has to live as long.
class HttpHost {
 public:
  // Starts what the entry says, on a port that is free, and waits until something answers; of what
  // runs already it looks whether something does. Or why nothing does, as a sentence.
  std::optional<std::string> start(const InteropServer& server, std::chrono::milliseconds limit,
                                   const std::stop_token& stop);
  const transport::HttpUrl& url() const { return url_; }
  // How the command ended by itself; empty while it runs, and where there is none.
  std::string end() { return server_ ? server_->end() : std::string(); }

 private:
  std::optional<std::string> try_start(const InteropServer& server, std::chrono::milliseconds limit,
                                       const std::stop_token& stop);
  std::optional<std::string> why_unanswered(const std::stop_token& stop) const;

  transport::HttpUrl url_;
  std::unique_ptr<StartedServer> server_;
};

}  // namespace assay::harness
