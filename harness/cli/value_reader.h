// Reads JSON values from a file or a pipe: JSON lines, or one document on any number of lines.
#pragma once

#include <cstddef>
#include <deque>
#include <istream>
#include <optional>
#include <string>
#include <variant>

#include "reference/wire/message.h"

namespace assay::cli {

// One value and where it began.
struct InputValue {
  std::size_t line = 0;  // counted from 1
  wire::Decoded decoded;
};

// Holds at most `limits.max_bytes` of input at a time (plus a line). A line that is longer is
// reported as too large, skipped, and the next one is read as usual.
class ValueReader {
 public:
  explicit ValueReader(std::istream& input, wire::Limits limits = {});

  // The next value; nothing at the end. Blank lines are passed over.
  std::optional<InputValue> next();

 private:
  struct Line {
    std::size_t number = 0;
    std::string text;
  };

  std::optional<Line> read_line();
  std::optional<Line> next_line();
  // If the first line is no JSON by itself, the input may be one document over many lines.
  std::optional<InputValue> try_document(const Line& first);

  std::istream& input_;
  wire::Limits limits_;
  std::size_t number_ = 0;
  bool is_first_ = true;
  std::deque<Line> pending_;  // read ahead, in search of a document
};

}  // namespace assay::cli
