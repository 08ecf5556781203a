// Transcripts as JSON lines: one event a line, so that they can be kept, read and judged again.
//
//   {"n":1,"at_ms":0.31,"party":"client","lane":"stdio","kind":"line","bytes":"{...}"}
//
// Bytes that are not UTF-8 are written as "base64" instead of "bytes".
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/transcript/transcript.h"

namespace assay::harness {

// Takes out of a text of the event what must not be kept.
using Redaction = std::function<void(std::string&)>;

// One line, without its newline. Every text passes through the redaction, if there is one, before
// it is quoted: what is hidden is so also in base64 and in strings within strings.
// What a message, a body or standard error holds passes through `remove_values` before, where there
// is one, and the text of an SSE event as it came is left out then.
std::string to_json_line(const Event& event, const Redaction& redact = nullptr,
                         const Redaction& remove_values = nullptr);

// The event that to_json_line() wrote, or one sentence that says what is wrong with the line.
std::variant<EventPtr, std::string> from_json_line(std::string_view line);

}  // namespace assay::harness
