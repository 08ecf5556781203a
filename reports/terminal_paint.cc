#include "reports/terminal_paint.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/escape.h"

namespace assay::reports {
namespace {

constexpr std::size_t kLabelIndent = 4;
constexpr std::size_t kMinimumColumns = 20;
// What a table keeps, however narrow the terminal is.
constexpr std::size_t kFewestCells = 4;

std::string_view escape_of(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kStrong:
      return "\x1b[1m";
    case Style::kFaint:
      return "\x1b[2m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kWarning:
      return "\x1b[33m";
    case Style::kBad:
      return "\x1b[31m";
  }
  return "";
}

std::string spaces(std::size_t number) {
  return std::string(number, ' ');
}

// Bytes of the longest start of `text` that takes at most `room` columns, and ends behind a blank
// or a comma where one is not far.
std::size_t fitting(std::string_view text, std::size_t room) {
  std::size_t end = 0;
  for (std::size_t column = 0; column < room && end < text.size(); ++column) {
    end += first_code_point(text.substr(end)).size;
  }
  if (end == text.size()) return end;
  const std::size_t gap = text.find_last_of(" ,", end - 1);
  const bool is_near = gap != std::string_view::npos && gap >= end / 2;
  return is_near ? gap + 1 : end;
}

std::string padded(std::string_view cell, std::size_t width, bool is_right) {
  const std::string gap = spaces(width - std::min(width, columns(cell)));
  return is_right ? gap + std::string(cell) : std::string(cell) + gap;
}

}  // namespace

std::string Paint::styled(Style style, std::string_view text) const {
  const std::string_view escape = escape_of(style);
  if (!has_color_ || escape.empty() || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape, text);
}

void Paint::wrapped(std::size_t first_used, std::size_t indent, Style style,
                    std::string_view text) {
  std::size_t used = first_used;
  std::string row;
  const auto flush = [&] {
    out_ += styled(style, row) + "\n";
    row.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t needed = columns(word) + (row.empty() ? 0 : 1);
    if (!row.empty() && used + needed > width_) {
      flush();
      out_ += spaces(indent);
      used = indent;
    }
    if (!row.empty()) row += ' ', ++used;
    row += word;
    used += columns(word);
  }
  flush();
}

void Paint::line(int indent, Style style, std::string_view text) {
  const auto columns_in = static_cast<std::size_t>(indent);
  out_ += spaces(columns_in);
  wrapped(columns_in, columns_in, style, text);
}

void Paint::unwrapped(int indent, Style style, std::string_view text) {
  out_ += spaces(static_cast<std::size_t>(indent));
  out_ += styled(style, text);
  out_ += '\n';
}

void Paint::labelled(std::string_view label, int label_columns, Style style,
                     std::string_view text) {
  const std::size_t indent = kLabelIndent + static_cast<std::size_t>(label_columns);
  out_ += spaces(kLabelIndent) + styled(Style::kFaint, label);
  std::size_t used = kLabelIndent + columns(label);
  if (used >= indent) {
    out_ += "\n";
    used = 0;
  }
  out_ += spaces(indent - used);
  wrapped(indent, indent, style, text);
}

void Paint::quoted_line(std::size_t indent, std::string_view text, std::size_t mark_begin,
                        std::size_t mark_end) {
  const std::string gutter = spaces(indent) + styled(Style::kFaint, "│") + " ";
  const std::size_t room = std::max(width_ - std::min(width_, indent + 2), kMinimumColumns);
  std::size_t at = 0;
  do {
    const std::size_t size = fitting(text.substr(at), room);
    const std::string_view row = text.substr(at, size);
    const std::size_t begin = std::clamp(mark_begin, at, at + size) - at;
    const std::size_t end = std::clamp(mark_end, at, at + size) - at;
    out_ += gutter;
    out_ += row.substr(0, begin);
    out_ += styled(Style::kBad, row.substr(begin, end - begin));
    out_ += row.substr(end);
    out_ += '\n';
    if (end > begin) {
      const std::size_t carets = columns(row.substr(begin, end - begin));
      out_ += gutter + spaces(columns(row.substr(0, begin)));
      out_ += styled(Style::kBad, std::string(carets, '^')) + "\n";
    }
    at += size;
  } while (at < text.size());
}

void Paint::quoted(int indent, const Excerpt& excerpt) {
  const std::string whole = excerpt.before + excerpt.marked + excerpt.after;
  const std::size_t mark_begin = excerpt.before.size();
  const std::size_t mark_end = mark_begin + excerpt.marked.size();
  const auto columns_in = static_cast<std::size_t>(indent);
  std::size_t at = 0;
  while (at <= whole.size()) {
    const std::size_t end = std::min(whole.find('\n', at), whole.size());
    const auto within = [&](std::size_t mark) { return std::clamp(mark, at, end) - at; };
    if (end < whole.size() || end > at) {
      std::string row = whole.substr(at, end - at);
      // A tab has no width of its own, which would move the carets.
      std::replace(row.begin(), row.end(), '\t', ' ');
      quoted_line(columns_in, row, within(mark_begin), within(mark_end));
    }
    at = end + 1;
  }
  for (const std::string& pointer : {excerpt.missing, excerpt.unseen}) {
    if (pointer.empty()) continue;
    out_ += fmt::format("{}{}: {}\n", spaces(columns_in), pointer_word(excerpt), pointer);
  }
}

void Paint::reports(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    unwrapped(0, Style::kPlain, "Report: " + printable_line(path));
  }
  if (!paths.empty()) line(0, Style::kFaint, "Run 'mcp-assay show' to open it.");
}

void Paint::table(const std::vector<TableRow>& rows, std::size_t first_number) {
  if (rows.empty()) return;
  std::vector<std::size_t> widths(rows.front().cells.size(), 0);
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      widths[i] = std::max(widths[i], columns(row.cells[i]));
    }
  }
  const auto needed = [&widths] {
    std::size_t all = 0;
    for (const std::size_t width : widths) all += width + 2;
    return all - 2;
  };
  while (widths.size() > kFewestCells && needed() > width_) widths.pop_back();
  constexpr std::size_t kStatusCell = 1;
  for (const TableRow& row : rows) {
    const bool is_heading = &row == &rows.front();
    std::string text;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string cell = padded(row.cells[i], widths[i], i >= first_number);
      text +=
          (i == 0 ? "" : "  ") + (is_heading || i == kStatusCell ? styled(row.style, cell) : cell);
    }
    while (text.ends_with(' ')) text.pop_back();
    out_ += text + "\n";
  }
}

}  // namespace assay::reports
