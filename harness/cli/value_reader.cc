#include "harness/cli/value_reader.h"

#include <utility>

namespace assay::cli {
namespace {

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r") == std::string::npos;
}

bool is_value(const wire::Decoded& decoded) {
  return std::holds_alternative<wire::Message>(decoded);
}

}  // namespace

ValueReader::ValueReader(std::istream& input, wire::Limits limits)
    : input_(input), limits_(limits) {}

std::optional<ValueReader::Line> ValueReader::read_line() {
  using Traits = std::istream::traits_type;
  std::streambuf* const buffer = input_.rdbuf();
  Line line{number_ + 1, {}};
  bool has_any = false;
  while (true) {
    const int byte = buffer->sbumpc();
    if (Traits::eq_int_type(byte, Traits::eof())) break;
    has_any = true;
    if (byte == '\n') break;
    // One byte beyond the limit is enough for the decoder to see that it is too large.
    if (line.text.size() <= limits_.max_bytes) line.text += Traits::to_char_type(byte);
  }
  if (!has_any) return std::nullopt;
  ++number_;
  return line;
}

std::optional<ValueReader::Line> ValueReader::next_line() {
  if (pending_.empty()) return read_line();
  Line line = std::move(pending_.front());
  pending_.pop_front();
  return line;
}

std::optional<InputValue> ValueReader::try_document(const Line& first) {
  std::string document = first.text;
  while (document.size() <= limits_.max_bytes) {
    std::optional<Line> line = read_line();
    if (!line) break;
    document += '\n';
    document += line->text;
    pending_.push_back(std::move(*line));
  }
  wire::Decoded decoded = wire::decode(document, limits_);
  if (!is_value(decoded)) return std::nullopt;
  pending_.clear();
  return InputValue{first.number, std::move(decoded)};
}

std::optional<InputValue> ValueReader::next() {
  while (std::optional<Line> line = next_line()) {
    if (is_blank(line->text)) continue;
    wire::Decoded decoded = wire::decode(line->text, limits_);
    if (std::exchange(is_first_, false) && !is_value(decoded)) {
      if (std::optional<InputValue> document = try_document(*line)) return document;
    }
    return InputValue{line->number, std::move(decoded)};
  }
  return std::nullopt;
}

}  // namespace assay::cli
