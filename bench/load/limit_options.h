// --find-limit, and what belongs to it on the command line of `bench`.
#pragma once

#include <cstddef>
#include <string>

#include "bench/load/load.h"
#include "harness/frame/command.h"
#include "reports/load/limit_result.h"

namespace assay::bench {

// What is taken if the user does not say.
struct LoadDefaults {
  std::size_t connections = 1;
  std::size_t pipeline = 1;
  double warm_up = 1;  // seconds
  double time = 10;
};

class FindLimitOptions {
 public:
  void declare(cli::Arguments& arguments);

  bool is_wanted() const { return is_wanted_; }
  LoadDefaults defaults(bool is_http) const;
  // Throws UsageError. `report`: where the JSON goes; empty if nowhere.
  void check(const LoadOptions& options, const std::string& report) const;

  struct Output {
    std::string report;   // where the JSON goes, '-' for standard output; empty if nowhere
    std::string started;  // ISO 8601, UTC
    bool quiet = false;
  };
  // Searches, prints and writes. Returns the exit status.
  int run(const LoadOptions& options, const Output& output) const;

 private:
  double limit() const;  // of p99, nanoseconds
  int finish(const reports::LimitResult& result, const Output& output, bool is_silent) const;

  bool is_wanted_ = false;
  std::string limit_;
  std::string plot_;
};

}  // namespace assay::bench
