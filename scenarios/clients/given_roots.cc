#include "scenarios/clients/given_roots.h"

#include <string_view>

#include "harness/script/json_member.h"

namespace assay::scenarios {
namespace {

// A segment of the path is "..", as it is or encoded.
bool climbs(std::string_view uri) {
  std::string plain;
  for (std::size_t i = 0; i < uri.size(); ++i) {
    const std::string_view three = uri.substr(i, 3);
    const bool is_dot = three == "%2e" || three == "%2E";
    const bool is_slash = three == "%2f" || three == "%2F";
    plain += is_dot ? '.' : is_slash ? '/' : uri[i];
    if (is_dot || is_slash) i += 2;
  }
  return plain.find("/../") != std::string::npos || plain.ends_with("/..");
}

}  // namespace

void review_given_roots(harness::Review& review, const Json& result,
                        const std::vector<harness::EventPtr>& events, const std::string& pointer) {
  for (const Json& root : harness::array_member(result, "roots")) {
    const std::string_view uri = harness::text_member(root, "uri");
    review.check("roots.uri-is-file", uri.starts_with("file://"),
                 "the URI of a root is no file:// URI", events, pointer);
    review.check("roots.uris-validated", !climbs(uri), "the URI of a root leads out of its path",
                 events, pointer);
  }
}

}  // namespace assay::scenarios
