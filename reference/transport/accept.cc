#include "reference/transport/accept.h"

#include <algorithm>

#include "reference/wire/http_text.h"

namespace assay::transport {

bool accepts(const Headers& headers, std::string_view type) {
  bool has_header = false;
  for (const auto& [name, value] : headers) {
    if (!wire::equals_without_case(name, "accept")) continue;
    has_header = true;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      const std::string_view part = rest.substr(0, comma);
      const std::string_view range = wire::trim_blanks(part.substr(0, part.find(';')));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
      if (range == "*/*" || wire::equals_without_case(range, type)) return true;
      if (!range.ends_with("/*")) continue;
      const std::string_view main_type = range.substr(0, range.size() - 1);
      if (wire::equals_without_case(type.substr(0, main_type.size()), main_type)) return true;
    }
  }
  return !has_header;
}

}  // namespace assay::transport
