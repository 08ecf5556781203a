#include "harness/catalogue/markdown_blocks.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace assay::catalogue {
namespace {

constexpr std::string_view kSpace = " \t\r";

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool is_capital(char c) {
  return std::isupper(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Length of "- " or "12. " at the start of a trimmed line; 0 if there is no list marker.
std::size_t marker_length(std::string_view line) {
  std::size_t at = 0;
  if (line.starts_with('-') || line.starts_with('*') || line.starts_with('+')) {
    at = 1;
  } else {
    while (at < line.size() && is_digit(line[at])) ++at;
    if (at == 0 || at == line.size() || (line[at] != '.' && line[at] != ')')) return 0;
    ++at;
  }
  if (at >= line.size() || line[at] != ' ') return 0;
  while (at < line.size() && line[at] == ' ') ++at;
  return at;
}

class Cutter {
 public:
  std::vector<Block> cut(std::string_view mdx) {
    while (!mdx.empty()) {
      const std::size_t end = mdx.find('\n');
      ++line_;
      take(mdx.substr(0, end));
      mdx = end == std::string_view::npos ? std::string_view{} : mdx.substr(end + 1);
    }
    return std::move(blocks_);
  }

 private:
  void take(std::string_view raw) {
    const std::size_t begin = raw.find_first_not_of(kSpace);
    const int indent = begin == std::string_view::npos ? 0 : static_cast<int>(begin);
    std::string_view line = trim(raw);
    if (skips(line)) return;
    if (line.empty()) {
      is_open_ = false;
    } else if (line.front() == '#') {
      heading(line);
    } else if (line.front() == '|') {
      table_row(indent, line);
    } else if (const std::size_t marker = marker_length(line); marker > 0) {
      open(Block::Kind::kItem, indent, line.substr(marker));
    } else if (is_open_) {
      blocks_.back().text += ' ';
      blocks_.back().text += line;
    } else {
      open(Block::Kind::kParagraph, indent, line);
    }
  }

  // Whatever is no prose: true while a line belongs to it.
  bool skips(std::string_view line) {
    if (!skipped_until_.empty()) {
      if (line.find(skipped_until_) != std::string_view::npos) skipped_until_.clear();
      return true;
    }
    if (line.starts_with("```") || line.starts_with("~~~")) {
      open(Block::Kind::kCode, 0, "");
      skipped_until_ = line.substr(0, 3);
    } else if (line_ == 1 && line == "---") {
      skipped_until_ = "---";
    } else if (line.starts_with("{/*")) {
      if (line.find("*/}") == std::string_view::npos) skipped_until_ = "*/}";
    } else if (is_tag(line)) {
      if (line.find('>') == std::string_view::npos) skipped_until_ = ">";
    } else if (!is_link_definition(line)) {
      return false;
    }
    is_open_ = false;
    return true;
  }

  static bool is_tag(std::string_view line) {
    return line.size() > 1 && line[0] == '<' &&
           (is_capital(line[1]) || line[1] == '/' || line.starts_with("<div"));
  }

  static bool is_link_definition(std::string_view line) {
    return line.starts_with('[') && line.find("]: ") != std::string_view::npos &&
           line.find(']') == line.find("]: ");
  }

  void heading(std::string_view line) {
    const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
    open(Block::Kind::kHeading, 0, trim(line.substr(level)));
    blocks_.back().level = static_cast<int>(level);
    is_open_ = false;
  }

  // Each cell is a block; all but the first carry the first, which says what the row is about.
  void table_row(int indent, std::string_view line) {
    is_open_ = false;
    if (line.find_first_not_of("|-: ") == std::string_view::npos) return;
    line.remove_prefix(1);
    std::string first;
    for (bool is_first = true; !line.empty(); is_first = false) {
      const std::size_t end = line.find('|');
      const std::string_view cell = trim(line.substr(0, end));
      open(Block::Kind::kCell, indent, cell);
      if (is_first) {
        first = cell;
      } else if (!first.empty()) {
        blocks_.back().text = first + " | " + blocks_.back().text;
      }
      line = end == std::string_view::npos ? std::string_view{} : line.substr(end + 1);
    }
    is_open_ = false;
  }

  void open(Block::Kind kind, int indent, std::string_view text) {
    blocks_.push_back({kind, indent, 0, line_, std::string(text)});
    is_open_ = true;
  }

  std::vector<Block> blocks_;
  std::string skipped_until_;  // what ends the code block, tag or comment that we are in
  int line_ = 0;
  bool is_open_ = false;  // the last block takes further lines
};

}  // namespace

std::vector<Block> markdown_blocks(std::string_view mdx) {
  return Cutter().cut(mdx);
}

}  // namespace assay::catalogue
