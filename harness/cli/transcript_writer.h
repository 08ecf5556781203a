// --transcript FILE: keeps everything that was sent and received, as JSON lines.
#pragma once

#include <fstream>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/transcript/transcript.h"
#include "reports/redact.h"

namespace assay::cli {

// Each connection is one line that says whose it is, and then a line for each event.
class TranscriptWriter {
 public:
  // Throws UsageError for a path that cannot be written.
  TranscriptWriter(const std::string& path, std::vector<reports::Secret> secrets);

  // Any number of threads at once.
  void write(std::string_view run, std::string_view scenario,
             std::span<const harness::EventPtr> events);

 private:
  const std::vector<reports::Secret> secrets_;
  std::mutex mutex_;  // guards all below
  std::ofstream out_;
  int connections_ = 0;
};

}  // namespace assay::cli
