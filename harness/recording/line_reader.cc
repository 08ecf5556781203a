#include "harness/recording/line_reader.h"

namespace assay::harness {
namespace {

using Characters = std::istream::traits_type;

bool is_end(Characters::int_type byte) {
  return Characters::eq_int_type(byte, Characters::eof());
}

}  // namespace

bool read_line(std::istream& input, std::size_t most_bytes, InputLine& line) {
  line.text.clear();
  line.has_newline = line.is_too_long = false;
  std::streambuf& buffer = *input.rdbuf();
  while (true) {
    const Characters::int_type byte = buffer.sbumpc();
    if (is_end(byte)) return !line.text.empty();
    line.has_newline = byte == '\n';
    if (line.has_newline) return true;
    line.text += Characters::to_char_type(byte);
    line.is_too_long = line.text.size() > most_bytes;
    if (line.is_too_long) return true;
  }
}

void skip_line(std::istream& input) {
  std::streambuf& buffer = *input.rdbuf();
  for (auto byte = buffer.sbumpc(); !is_end(byte) && byte != '\n';) byte = buffer.sbumpc();
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace assay::harness
