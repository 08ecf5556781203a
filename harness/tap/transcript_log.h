// A transcript that is written while its session goes on: whatever ends this process, what passed
// until shortly before can be read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/transcript/transcript_file.h"
#include "harness/transcript/values.h"
#include "reference/transport/unique_fd.h"

namespace assay::harness {

class TranscriptLog {
 public:
  enum class Values { kKept, kRemoved };

  // Where the path cannot be opened nothing is written. `run` names the session: "tap stdio".
  TranscriptLog(const std::string& path, const std::string& run, Redaction redact,
                Values values = Values::kKept, std::uint64_t most_bytes = kMostTranscriptBytes);

  bool is_open() const { return file_.is_open(); }
  // What would make it too long is left out.
  void write(const Event& event);
  // After the last event: says in the file what was left out.
  void finish();
  // The first thing that went wrong, after which nothing more is written; empty if nothing did.
  const std::string& problem() const { return problem_; }

 private:
  void put(std::string line);

  transport::UniqueFd file_;
  const Redaction redact_;
  const Values values_;
  ValueRemover remover_;
  const std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::uint64_t left_out_ = 0;  // events
  std::string problem_;
};

}  // namespace assay::harness
