#include "reference/transport/http_head.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "reference/wire/http_text.h"

namespace assay::transport {
namespace {

// Joins the lines of a value that was folded, with a blank in place of each line's end.
void join_lines(std::string& value) {
  std::string joined;
  std::string_view rest = value;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!joined.empty()) joined += ' ';
    joined += wire::trim_blanks(line);
  }
  value = std::move(joined);
}

// A request is mostly like the one whose memory it takes.
void set_text(std::string& text, std::string_view wanted) {
  if (!std::equal(text.begin(), text.end(), wanted.begin(), wanted.end())) text = wanted;
}

}  // namespace

void copy_head(const wire::HttpParser& parser, HttpHead& head) {
  const auto fields = parser.fields();
  set_text(head.method, parser.method());
  set_text(head.target, parser.target());
  head.status = parser.status();
  head.headers.resize(fields.size());
  const bool may_be_folded = parser.role() == wire::HttpParser::Role::kResponses;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    set_text(head.headers[i].first, fields[i].name);
    std::string& value = head.headers[i].second;
    set_text(value, fields[i].value);
    if (may_be_folded && value.find('\n') != std::string::npos) join_lines(value);
  }
}

}  // namespace assay::transport
