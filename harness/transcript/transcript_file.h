// Transcripts as JSON lines: one event a line, so that they can be kept, read and judged again.
//
//   {"n":1,"at_ms":0.31,"party":"client","lane":"stdio","kind":"line","bytes":"{...}"}
//
// Bytes that are not UTF-8 are written as "base64" instead of "bytes".
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/transcript/transcript.h"
#include "harness/transcript/values.h"
#include "reference/wire/json.h"

namespace assay::harness {

// Takes out of a text of the event what must not be kept.
using Redaction = std::function<void(std::string&)>;

// What a file of transcripts may hold.
inline constexpr std::uint64_t kMostTranscriptBytes = 1u << 30;
// The line that ends a file which had no room for that many events more.
std::string left_out_line(std::uint64_t events);

// One line, without its newline. Every text passes through the redaction, if there is one, before
// it is quoted: what is hidden is so also in base64 and in strings within strings.
// Where there is a remover, nothing that one of the two said passes but without its values; how an
// SSE event stood in its stream is left out then.
std::string to_json_line(const Event& event, const Redaction& redact = nullptr,
                         ValueRemover* remover = nullptr);

// What a line tells of an event. Its message is not decoded yet, so that it can be weighed first.
struct RecordedObservation {
  std::uint64_t n = 0;
  std::chrono::nanoseconds at{0};
  transport::Observation observation;
};

// What to_json_line() wrote, or one sentence that says what is wrong with the line. The value comes
// from a decoder that bounds how deep it is nested.
std::variant<RecordedObservation, std::string> read_observation(const Json& line);
// The same of a line's text, as an event.
std::variant<EventPtr, std::string> from_json_line(std::string_view line);

// The line before the events of a connection, {"connection":1,"run":"2025-11-25 stdio",...}: its
// run. Nothing of any other line.
std::optional<std::string> connection_run(const Json& line);

}  // namespace assay::harness
