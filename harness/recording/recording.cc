#include "harness/recording/recording.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "harness/recording/line_reader.h"
#include "harness/recording/lines.h"
#include "harness/recording/session_builder.h"
#include "reference/wire/message.h"
#include "reference/wire/weight.h"
#include "reports/json.h"

namespace assay::harness {
namespace {

constexpr const char* kUnknownFormat =
    "neither a transcript, nor lines of the form {\"from\":\"client\",\"message\":{...}}, nor HAR";

// Nothing that anybody records is nested deeper, messages within a line included.
constexpr std::size_t kDeepest = wire::Limits().max_depth + 8;

// One piece of a file, or why it is none.
struct Piece {
  std::optional<wire::Message> value;  // shares what it holds
  std::string refusal;                 // it is more than we read; empty where it is no JSON

  const Json& json() const {
    static const Json none;
    return value ? value->json() : none;
  }
};

// A small text may become a large tree: what a piece takes is known before it is built.
Piece parse(std::string_view text) {
  if (wire::tree_bytes(wire::count_tokens(text), text.size()) > kMostHeldBytes) {
    return {{}, fmt::format("it would take more than {} MiB of memory", kMostHeldBytes >> 20)};
  }
  const wire::Limits limits{.max_bytes = kMostRecordedBytes,
                            .max_depth = kDeepest,
                            .max_values = kMostHeldBytes,
                            .max_members = wire::Limits().max_members};
  wire::Decoded decoded = wire::decode(text, limits);
  if (auto* message = std::get_if<wire::Message>(&decoded)) return {std::move(*message), ""};
  const auto& error = std::get<wire::DecodeError>(decoded);
  const bool is_refused = error.kind == wire::DecodeError::Kind::kTooDeep ||
                          error.kind == wire::DecodeError::Kind::kTooLarge;
  return {{}, is_refused ? error.detail : ""};
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// What begins as JSON was to be JSON, and breaks somewhere.
std::string why_unreadable(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return kUnknownFormat;
  try {
    const Json ignored = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return reports::why_not_json(error.what());
  }
  return kUnknownFormat;
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
  const std::string_view whole = without_mark(text);
  const Piece piece = parse(whole);
  if (is_har(piece.json())) {
    read_har(piece.json(), sink);
  } else {
    sink.out.error = !piece.refusal.empty() ? piece.refusal
                     : piece.value          ? kUnknownFormat
                                            : why_unreadable(whole);
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
  InputLine line;
  for (std::size_t number = 1; read_line(input, kMostRecordedBytes, line); ++number) {
    if (line.is_too_long) {
      out.error = fmt::format("line {} has more than {} MiB", number, kMostRecordedBytes >> 20);
      break;
    }
    if (is_blank(line.text)) continue;
    const Piece piece = parse(number == 1 ? without_mark(line.text) : line.text);
    if (!piece.refusal.empty()) {
      out.error = fmt::format("line {}: {}", number, piece.refusal);
      break;
    }
    if (!format) {
      format = format_of(piece.json(), sink);
      if (!format && is_har(piece.json())) {
        read_har(piece.json(), sink);
        return out;
      }
      if (!format) {
        read_whole(input, std::move(line.text), sink);
        return out;
      }
    }
    // Whoever was killed while it wrote left a piece of a line.
    if (!piece.value && !line.has_newline) {
      out.shortfall = "the last line is cut off";
      break;
    }
    const std::string error = format->take(piece.json());
    if (error.empty()) continue;
    out.error = fmt::format("line {}: {}", number, error);
    break;
  }
  if (format) {
    format->finish();
  } else if (out.error.empty()) {
    out.error = "it is empty: there is nothing to judge";
  }
  return out;
}

}  // namespace assay::harness
