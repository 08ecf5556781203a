// Recorded traffic, whoever recorded it: transcripts of ours, messages with a direction each, HAR.
//
// A file is anybody's: nothing in it is trusted, and what one conversation takes is bounded.
#pragma once

#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "harness/runner/passive.h"
#include "reports/vault.h"

namespace assay::harness {

using TakeSession = std::function<void(RecordedSession)>;

// What came of reading one file.
struct ReadRecording {
  // One sentence: why the file cannot be read (any further). Empty if it could.
  std::string error;
  // One sentence: why less was read than there was. Empty if all was.
  std::string shortfall;
  // What a person should know of it: "the last line is cut off".
  std::vector<std::string> remarks;
};

// Finds out the format, and hands over each conversation once it is complete. Credentials in header
// fields become labels of the vault.
ReadRecording read_recording(std::istream& input, const std::shared_ptr<reports::Vault>& vault,
                             const TakeSession& take);

}  // namespace assay::harness
