// Cuts a page of MDX into its blocks of prose: headings, paragraphs, list items, table cells.
//
// A code block is there without its text. Front matter, component tags, comments and link
// definitions are left out. For the extractor only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::catalogue {

struct Block {
  enum class Kind { kHeading, kParagraph, kItem, kCell, kCode };
  Kind kind = Kind::kParagraph;
  int indent = 0;    // columns before the text or the list marker
  int level = 0;     // of a heading: 1 to 6
  int line = 0;      // counted from 1
  std::string text;  // on one line, without list marker or '#'
};

std::vector<Block> markdown_blocks(std::string_view mdx);

}  // namespace assay::catalogue
