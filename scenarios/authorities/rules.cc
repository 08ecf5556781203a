#include "scenarios/authorities/rules.h"

#include <variant>

#include "reference/transport/http_url.h"

namespace assay::scenarios {

bool leads_to(const std::string& location, const std::string& uri) {
  const auto parsed = transport::HttpUrl::parse(location);
  const auto* url = std::get_if<transport::HttpUrl>(&parsed);
  if (url != nullptr && url->host.ends_with("attacker.assay.invalid")) return true;
  if (!location.starts_with(uri)) return false;
  // Behind the URI stands the response, and not the rest of a longer path.
  return location.size() == uri.size() ||
         std::string_view("?&#").find(location[uri.size()]) != std::string_view::npos;
}

}  // namespace assay::scenarios
