// --quick and --failed: less than the whole plan of a run, for an answer within seconds.
#pragma once

#include <string>

#include "harness/frame/command.h"
#include "harness/runner/runner.h"
#include "reports/events.h"

namespace assay::cli {

// How long a quick look may take.
inline constexpr double kQuickSeconds = 5;

class RerunOption {
 public:
  void declare(Arguments& arguments);
  // Reads the report of --failed. Throws UsageError where it is none, and where nothing fails in
  // it.
  void prepare();
  bool is_quick() const { return is_quick_; }

  // Leaves out of the plan what is not asked for.
  void narrow(harness::CertifyOptions& options) const;
  // Certifies; a quick look takes the newest revision that the target speaks, and keeps only what
  // MUST be.
  reports::Result certify(harness::CertifyOptions options, reports::Events& events) const;
  // The time is up. A quick look is over then; of any other run the result is incomplete, which
  // standard error says.
  void end_of_time(reports::Result& result, double seconds) const;
  // What was left out, as a sentence; empty where nothing was.
  std::string told() const;

 private:
  bool is_quick_ = false;
  std::string failed_;
  reports::Result earlier_;
};

}  // namespace assay::cli
