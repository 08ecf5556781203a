// Lines, quotations and tables on a terminal of a given width. Internal to the terminal writer.
// Text handed in is printable already (reports/escape.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/excerpt.h"

namespace assay::reports {

enum class Style { kPlain, kStrong, kFaint, kGood, kWarning, kBad };

struct TableRow {
  Style style = Style::kPlain;  // of the second cell, the status; of the whole row in a heading
  std::vector<std::string> cells;
};

class Paint {
 public:
  Paint(bool has_color, int width)
      : has_color_(has_color), width_(static_cast<std::size_t>(width)) {}

  void blank() { out_ += '\n'; }
  // Wrapped at words, continued at the same indent.
  void line(int indent, Style style, std::string_view text);
  // On one line, however long it is: what is to be pasted, or read by a program.
  void unwrapped(int indent, Style style, std::string_view text);
  // "    why       the text, wrapped behind its label".
  void labelled(std::string_view label, int label_columns, Style style, std::string_view text);
  // What a target said: behind a gutter, wrapped anywhere, the marked part underlined with carets.
  void quoted(int indent, const Excerpt& excerpt);
  // Where the reports are, which 'mcp-assay show' opens; nothing without one.
  void reports(const std::vector<std::string>& paths);
  // Aligned columns; the first row is the heading; from `first_number` on cells are right-aligned.
  // What does not fit is left out from the right.
  void table(const std::vector<TableRow>& rows, std::size_t first_number);

  std::string take() { return std::move(out_); }

 private:
  std::string styled(Style style, std::string_view text) const;
  void wrapped(std::size_t first_used, std::size_t indent, Style style, std::string_view text);
  void quoted_line(std::size_t indent, std::string_view text, std::size_t mark_begin,
                   std::size_t mark_end);

  bool has_color_;
  std::size_t width_;
  std::string out_;
};

}  // namespace assay::reports
