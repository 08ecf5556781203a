// Finds the normative sentences of a page of the specification, or of schema.json.
//
// For the accounting only: nothing that it reads is shipped. A sentence is normative when it holds
// a keyword of RFC 2119 in capitals, or when it begins an item of a list whose lead ("Servers
// MUST:") holds one. Code blocks and the paragraph that introduces the keywords do not count.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/result.h"

namespace assay::catalogue {

struct Sentence {
  std::string anchor;                  // of the nearest heading above; empty above the first
  std::vector<std::string> enclosing;  // anchors of the headings around that one
  int line = 0;                        // where its block begins, counted from 1; 0 in schema.json
  std::string text;                    // on one line, links reduced to their text
  std::vector<reports::Level> levels;  // of its keywords, and of its lead's
  // Ten hexadecimal digits over the text without markup; the same words have the same fingerprint
  // in every page and revision. An item's includes its lead.
  std::string fingerprint;
};

struct ExtractedPage {
  std::vector<std::string> anchors;  // every heading's, in order
  std::vector<Sentence> sentences;
};

ExtractedPage extract_page(std::string_view mdx);

// The descriptions of every definition; `anchor` is the definition's name in lower case, as the
// site's schema page has it. An empty page if the text is no JSON object with definitions.
ExtractedPage extract_schema(std::string_view json);

// The anchor that the site gives to a heading: "### `_meta`" has "meta".
std::string heading_anchor(std::string_view heading);

}  // namespace assay::catalogue
