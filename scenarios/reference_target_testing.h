// The reference server as a target inside the test's own process: over a pipe, no I/O and no child.
#pragma once

#include <string>
#include <vector>

#include "harness/script/link.h"
#include "reference/server/faults/faulty_server.h"
#include "reference/server/options.h"
#include "reference/server/server.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_server.h"
#include "reports/events.h"

namespace assay::scenarios {

// Each connection is a server of its own with these options and faults.
harness::TargetAccess reference_over_pipe(server::Options options,
                                          const server::Faults& faults = {});

// One server on a free port of the loopback, for as long as the object lives.
class ReferenceOverHttp {
 public:
  using Answers = transport::HttpServerOptions::Answers;
  explicit ReferenceOverHttp(const server::Options& options = {}, Answers answers = Answers::kAuto,
                             const server::Faults& faults = {},
                             const std::string& host = "127.0.0.1");
  // One that conducts itself in this way; `conduct` outlives it.
  explicit ReferenceOverHttp(const transport::HttpConduct& conduct);
  // Over Streamable HTTP, with these headers on each request; and over the older pair.
  harness::TargetAccess http(const std::vector<transport::UserHeader>& headers = {}) const;
  harness::TargetAccess http_sse() const;

 private:
  server::Server good_;
  server::FaultyServer server_;
  server::FaultyConduct conduct_;
  transport::HttpServer http_;
};

// Nobody listens.
class NoEvents : public reports::Events {
 public:
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

}  // namespace assay::scenarios
