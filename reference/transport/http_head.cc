#include "reference/transport/http_head.h"

#include <cstddef>

namespace assay::transport {

void copy_head(const wire::HttpParser& parser, HttpHead& head) {
  const auto fields = parser.fields();
  head.method = parser.method();
  head.target = parser.target();
  head.status = parser.status();
  head.headers.resize(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    head.headers[i].first = fields[i].name;
    head.headers[i].second = fields[i].value;
  }
}

}  // namespace assay::transport
