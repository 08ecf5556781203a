// The events of a certification as lines of JSON, for programs that show progress or read the
// result without a file: "mcp-assay-events/1", which `mcp-assay schema --of events` describes.
//
// Each line is one object with the member `event`: `started`, then `scenario` and `verdict`, as
// often as they come, and at last `finished` with the report. Only `finished` quotes the target,
// because only there its secrets are replaced.
#pragma once

#include <iosfwd>
#include <string>

#include "reports/events.h"

namespace assay::reports {

class EventLines : public Events {
 public:
  // Both outlive this object; `next` gets each event, too.
  EventLines(std::ostream& out, Events& next) : out_(out), next_(next) {}

  void run_started(const PlanSize& plan) override;
  void scenario_finished(const RunKey& run, const std::string& scenario,
                         std::int64_t duration_ms) override;
  void verdict(const RunKey& run, const Verdict& verdict) override;
  void run_finished(const Result& result) override { next_.run_finished(result); }

 private:
  std::ostream& out_;
  Events& next_;
};

// The last line: the result as its reports show it.
std::string finished_line(const Result& result, int exit_status);

}  // namespace assay::reports
