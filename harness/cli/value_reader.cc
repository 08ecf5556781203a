#include "harness/cli/value_reader.h"

#include <utility>

#include "harness/recording/line_reader.h"
#include "reference/wire/message.h"

namespace assay::cli {
namespace {

bool is_value(const wire::Decoded& decoded) {
  return std::holds_alternative<wire::Message>(decoded);
}

}  // namespace

ValueReader::ValueReader(std::istream& input, wire::Limits limits)
    : input_(input), limits_(limits) {}

std::optional<ValueReader::Line> ValueReader::read_line() {
  harness::InputLine line;
  // One byte beyond the limit is enough for the decoder to see that it is too large.
  if (!harness::read_line(input_, limits_.max_bytes, line)) return std::nullopt;
  if (line.is_too_long) harness::skip_line(input_);
  return Line{++number_, std::move(line.text)};
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
    if (harness::is_blank(line->text)) continue;
    wire::Decoded decoded = wire::decode(line->text, limits_);
    if (std::exchange(is_first_, false) && !is_value(decoded)) {
      if (std::optional<InputValue> document = try_document(*line)) return document;
    }
    return InputValue{line->number, std::move(decoded)};
  }
  return std::nullopt;
}

}  // namespace assay::cli
