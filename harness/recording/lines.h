// The formats that are read line by line. Nobody but this room includes this.
#pragma once

#include <memory>
#include <string>

#include "harness/recording/recording.h"
#include "reference/wire/json.h"

namespace assay::harness {

// Where what is read goes.
struct RecordingSink {
  std::shared_ptr<reports::Vault> vault;
  TakeSession take;
  ReadRecording& out;
};

// Takes one line after another.
class LineFormat {
 public:
  virtual ~LineFormat() = default;
  // One sentence if it is no line of the format; empty if it is one.
  virtual std::string take(const Json& line) = 0;
  // The file has ended.
  virtual void finish() = 0;
};

// Files of --transcript, with any number of connections.
bool is_transcript_line(const Json& json);
std::unique_ptr<LineFormat> read_transcripts(RecordingSink& sink);

// {"from":"client","message":{...}}
bool is_message_line(const Json& json);
std::unique_ptr<LineFormat> read_message_lines(RecordingSink& sink);

// A whole HAR file (http://www.softwareishard.com/blog/har-12-spec/).
bool is_har(const Json& json);
void read_har(const Json& har, RecordingSink& sink);

}  // namespace assay::harness
