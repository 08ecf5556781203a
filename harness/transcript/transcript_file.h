// Transcripts as JSON lines: one event a line, so that they can be kept, read and judged again.
//
//   {"n":1,"at_ms":0.31,"direction":"to_target","lane":"stdio","kind":"line","bytes":"{...}"}
//
// Bytes that are not UTF-8 are written as "base64" instead of "bytes".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/transcript/transcript.h"

namespace assay::harness {

// One line, without its newline.
std::string to_json_line(const Event& event);

// The event that to_json_line() wrote, or one sentence that says what is wrong with the line.
std::variant<EventPtr, std::string> from_json_line(std::string_view line);

}  // namespace assay::harness
