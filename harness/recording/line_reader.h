// Reads a stream line by line, whatever it holds.
#pragma once

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

namespace assay::harness {

struct InputLine {
  std::string text;
  bool has_newline = false;
  // There is more of it: `text` is what was asked for and one byte, and the rest is not read yet.
  bool is_too_long = false;
};

// The next line, without its newline; false at the end. At most `most_bytes` and one are read.
bool read_line(std::istream& input, std::size_t most_bytes, InputLine& line);
// Reads on to the end of the line.
void skip_line(std::istream& input);

// There is nothing in it but blanks.
bool is_blank(std::string_view text);

}  // namespace assay::harness
