// --transcript FILE: keeps everything that was sent and received, as JSON lines.
//
// A whole run on a server of average talkativeness makes about 100 MB. A file is bounded: what
// would make it longer than harness::kMostTranscriptBytes is left out, which the file and finish()
// say.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/transcript/transcript.h"
#include "harness/transcript/transcript_file.h"
#include "reports/vault.h"

namespace assay::cli {

// Each connection is one line that says whose it is, and then a line for each event.
class TranscriptWriter {
 public:
  // Throws UsageError for a path that cannot be written.
  TranscriptWriter(std::string path, std::shared_ptr<const reports::Vault> vault,
                   std::uintmax_t most_bytes = harness::kMostTranscriptBytes);

  // Any number of threads at once.
  void write(std::string_view run, std::string_view scenario,
             std::span<const harness::EventPtr> events);
  // Closes the file. One sentence if it lacks something: it could not be written, or became too
  // long.
  std::optional<std::string> finish();

 private:
  void put(const std::string& line);

  const std::string path_;
  const std::shared_ptr<const reports::Vault> vault_;
  const std::uintmax_t most_bytes_;
  std::mutex mutex_;  // guards all below
  std::ofstream out_;
  int connections_ = 0;
  std::uintmax_t bytes_ = 0;
  std::uintmax_t left_out_ = 0;  // events
  std::string problem_;          // the first one
};

}  // namespace assay::cli
