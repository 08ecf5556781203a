#include "harness/frame/events_option.h"

#include <iostream>

namespace assay::cli {

void EventsOption::declare(Arguments& arguments) {
  arguments.text("--events", path_, "PATH",
                 "Write progress, verdicts and at last the report as JSON lines ('-': standard "
                 "output); 'schema --of events' describes them");
}

void EventsOption::prepare(OutputPaths& paths, std::size_t targets) {
  if (path_.empty()) return;
  if (targets > 1) throw UsageError("--events tells of one server: choose it with --name");
  paths.claim(path_);
  if (!uses_standard_output()) file_.open(path_);
  out_ = uses_standard_output() ? &std::cout : &file_;
}

reports::Events& EventsOption::over(reports::Events& next) {
  if (out_ == nullptr) return next;
  return lines_.emplace(*out_, next);
}

void EventsOption::finish(const reports::Result& result, int exit_status) {
  if (out_ != nullptr) *out_ << reports::finished_line(result, exit_status) << std::flush;
}

}  // namespace assay::cli
