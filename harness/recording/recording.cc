#include "harness/recording/recording.h"

#include <fmt/format.h>

#include <limits>
#include <memory>
#include <string>

#include "harness/recording/lines.h"
#include "harness/recording/session_builder.h"

namespace assay::harness {
namespace {

constexpr const char* kUnknownFormat =
    "neither a transcript, nor lines of the form {\"from\":\"client\",\"message\":{...}}, nor HAR";

enum class Got { kLine, kEnd, kTooLong };

struct Line {
  std::string text;
  bool has_newline = false;
};

// One line, of any length up to the limit.
Got read_line(std::istream& input, Line& line) {
  line.text.clear();
  line.has_newline = false;
  std::streambuf& buffer = *input.rdbuf();
  while (true) {
    const int c = buffer.sbumpc();
    if (c == std::char_traits<char>::eof()) return line.text.empty() ? Got::kEnd : Got::kLine;
    if (c == '\n') {
      line.has_newline = true;
      return Got::kLine;
    }
    if (line.text.size() >= kMostRecordedBytes) return Got::kTooLong;
    line.text += static_cast<char>(c);
  }
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

Json parse(const std::string& text) {
  return Json::parse(text, nullptr, false);
}

// A HAR file is mostly one object over many lines.
void read_whole(std::istream& input, std::string text, RecordingSink& sink) {
  text += '\n';
  std::streambuf& buffer = *input.rdbuf();
  char chunk[1 << 16];
  for (std::streamsize got = 1; got > 0 && text.size() <= kMostRecordedBytes;) {
    got = buffer.sgetn(chunk, sizeof chunk);
    text.append(chunk, static_cast<std::size_t>(got));
  }
  if (text.size() > kMostRecordedBytes) {
    sink.out.error = fmt::format("it has more than {} MiB in one piece", kMostRecordedBytes >> 20);
    return;
  }
  const Json json = parse(text);
  if (is_har(json)) {
    read_har(json, sink);
  } else {
    sink.out.error = kUnknownFormat;
  }
}

std::unique_ptr<LineFormat> format_of(const Json& json, RecordingSink& sink) {
  if (is_transcript_line(json)) return read_transcripts(sink);
  if (is_message_line(json)) return read_message_lines(sink);
  return nullptr;
}

}  // namespace

ReadRecording read_recording(std::istream& input, const std::shared_ptr<reports::Vault>& vault,
                             const TakeSession& take) {
  ReadRecording out;
  RecordingSink sink{vault, take, out};
  std::unique_ptr<LineFormat> format;
  Line line;
  for (std::size_t number = 1;; ++number) {
    const Got got = read_line(input, line);
    if (got == Got::kTooLong) {
      out.error = fmt::format("line {} has more than {} MiB", number, kMostRecordedBytes >> 20);
      break;
    }
    if (got == Got::kEnd) break;
    if (is_blank(line.text)) continue;
    const Json json = parse(line.text);
    if (!format) {
      format = format_of(json, sink);
      if (!format && is_har(json)) {
        read_har(json, sink);
        return out;
      }
      if (!format) {
        read_whole(input, std::move(line.text), sink);
        return out;
      }
    }
    // Whoever was killed while it wrote left a piece of a line.
    if (json.is_discarded() && !line.has_newline) {
      out.remarks.emplace_back("the last line is cut off");
      break;
    }
    const std::string error = format->take(line.text, json);
    if (error.empty()) continue;
    out.error = fmt::format("line {}: {}", number, error);
    break;
  }
  if (format) format->finish();
  return out;
}

}  // namespace assay::harness
