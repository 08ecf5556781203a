// --events PATH: what happens in a run, as lines of JSON for a program that started it.
#pragma once

#include <fstream>
#include <iosfwd>
#include <optional>
#include <string>

#include "harness/frame/command.h"
#include "harness/frame/output_paths.h"
#include "reports/event_lines.h"

namespace assay::cli {

class EventsOption {
 public:
  void declare(Arguments& arguments);
  // Throws UsageError where the lines cannot be written, and for more targets than one.
  void prepare(OutputPaths& paths, std::size_t targets);
  bool uses_standard_output() const { return path_ == "-"; }

  // `next`, or what writes each event and passes it on to `next`.
  reports::Events& over(reports::Events& next);
  // The last line, with the result as it is reported.
  void finish(const reports::Result& result, int exit_status);

 private:
  std::string path_;
  std::ofstream file_;
  std::ostream* out_ = nullptr;  // none where no events are wanted
  std::optional<reports::EventLines> lines_;
};

}  // namespace assay::cli
