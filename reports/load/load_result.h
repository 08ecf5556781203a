// What a load run found: the model that its writers and its comparison share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reports/load/histogram.h"

namespace assay::reports {

// Percentiles in nanoseconds, as they are printed and stored.
struct Percentiles {
  double p50 = 0, p90 = 0, p99 = 0, p999 = 0, p9999 = 0;
  double shortest = 0, longest = 0, mean = 0;
};
Percentiles percentiles_of(const Histogram& histogram);

// One entry of the mix.
struct LoadMethod {
  std::string name;  // "tools/call search": the method, and what tells it from its neighbours
  std::uint64_t answers = 0;
  std::uint64_t errors = 0;
  Percentiles latency;
};

// What happened in one interval of the measured time. Comparisons rest on these.
struct LoadSample {
  std::uint64_t answers = 0;
  double mean_latency_ns = 0;  // 0 where there was no answer
};

struct LoadResult {
  // What was asked for.
  std::vector<std::string> command;  // of the server; empty for a URL
  std::string url;
  std::string server_name;  // as it introduced itself; empty if it did not
  std::string revision;     // that was spoken; empty without a handshake
  std::uint64_t connections = 1;
  std::uint64_t sessions = 1;
  std::uint64_t pipeline = 1;  // requests under way on a connection, at most
  double rate = 0;             // requests per second; 0: as fast as answers come (closed loop)
  bool is_plain = false;       // answers were counted, not read
  bool was_interrupted = false;
  std::string started;  // ISO 8601, UTC

  // What was found, in the measured time alone.
  double seconds = 0;
  std::uint64_t answers = 0;  // good ones
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::map<std::string, std::uint64_t> errors;  // by what was wrong
  std::uint64_t unsent = 0;  // were due before the end, and waited for a free connection
  // From the moment a request was due (open loop) or sent (closed loop) to its answer.
  Histogram latency;
  // Open loop only: from the moment it was sent. What it lacks is the time a request waited because
  // the ones before it were late.
  std::optional<Percentiles> service;
  // Open loop only: how late requests left for which a connection was free. It is our own doing.
  std::optional<Percentiles> sender_late;
  std::vector<LoadMethod> methods;
  double sample_seconds = 0.1;
  std::vector<LoadSample> samples;
  // The server's processes, where it is our child. CPU in seconds within the measured time.
  std::optional<double> server_cpu_seconds;
  std::optional<std::uint64_t> server_peak_bytes;
  double own_cpu_seconds = 0;        // ours: near `seconds`, the generator was what limited the run
  double own_run_queue_seconds = 0;  // how long we were ready to run and had no processor
  std::uint64_t lost_connections = 0;  // that had ended for good by the end

  double throughput() const { return seconds > 0 ? static_cast<double>(answers) / seconds : 0; }
  std::uint64_t error_count() const;
};

}  // namespace assay::reports
