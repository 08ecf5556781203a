// The load generator: keeps a server busy, or asks it at a fixed rate, and measures.
//
// Closed loop: each connection sends its next request when an answer has come; latency counts from
// the sending. Open loop: requests are due at a fixed rate, whatever the server does, and latency
// counts from the moment a request was due. A server that stalls for a second thereby spoils the
// latency of a second's requests, as it does for its users, and not that of one ("coordinated
// omission").
//
// One thread, one epoll, no allocation for a request: the generator has to be much faster than what
// it measures.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/load/mix.h"
#include "reference/model/revision.h"
#include "reference/transport/client_transport.h"
#include "reference/transport/http_url.h"
#include "reports/load/load_result.h"

namespace assay::bench {

inline constexpr double kHighestRate = 1e6;  // per second; one thread cannot send more anyway

struct LoadOptions {
  std::vector<std::string> command;  // of a stdio server; each connection starts one
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<transport::HttpUrl> url;  // of an HTTP server; http only
  transport::Headers headers;
  Mix mix;
  model::Revision revision = model::Revision::v2025_11_25;
  std::size_t connections = 1;
  std::size_t sessions = 0;  // over HTTP, spread over the connections; 0: one each
  std::size_t pipeline = 1;  // over stdio
  double rate = 0;           // requests per second; 0: closed loop
  bool is_plain = false;     // any HTTP answer of status 2xx, or any line, is a good answer
  std::chrono::nanoseconds warm_up{0};
  std::chrono::nanoseconds time{0};
  std::chrono::nanoseconds timeout{0};  // of the start, and of each answer
};

struct LoadProgress {
  enum class Phase { kStarting, kWarmingUp, kMeasuring, kEnding };
  Phase phase = Phase::kStarting;
  double seconds = 0;  // of the measured time so far
  std::uint64_t answers = 0;
  std::uint64_t errors = 0;
};

// Runs to the end, or until `stop` is requested, and then gives what there is. A Failure if the
// target could not be measured: it did not start, did not accept the handshake, or never answered.
// `progress` is called a few times a second.
std::variant<reports::LoadResult, transport::Failure> run_load(
    const LoadOptions& options, const std::stop_token& stop,
    const std::function<void(const LoadProgress&)>& progress);

class Load;

// Measures one target at several rates of the open loop. Its connections stay open from one rate to
// the next; after errors they are opened again, because late answers would spoil the next figures.
class LoadSeries {
 public:
  // All arguments outlive it; the rate in `options` does not count.
  LoadSeries(const LoadOptions& options, const std::stop_token& stop,
             const std::function<void(const LoadProgress&)>& progress);
  ~LoadSeries();
  LoadSeries(const LoadSeries&) = delete;
  LoadSeries& operator=(const LoadSeries&) = delete;

  // As run_load, at a rate above 0.
  std::variant<reports::LoadResult, transport::Failure> measure(double rate);
  // The last measurement ran out of sockets or local ports: that is no fault of the target.
  bool lacks_sockets() const;

 private:
  std::unique_ptr<Load> load_;
};

}  // namespace assay::bench
