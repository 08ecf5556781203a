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

}  // namespace

void copy_head(const wire::HttpParser& parser, HttpHead& head) {
  const auto fields = parser.fields();
  head.method = parser.method();
  head.target = parser.target();
  head.status = parser.status();
  head.headers.resize(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    head.headers[i].first = fields[i].name;
    std::string& value = head.headers[i].second;
    value = fields[i].value;
    if (value.find('\n') != std::string::npos) join_lines(value);
  }
}

}  // namespace assay::transport
