// What tests of the stateless era need: `_meta` for every request.
#pragma once

#include <string>
#include <utility>

#include "reference/server/era.h"
#include "reference/server/session_testing.h"

namespace assay::server {

inline Json stateless_meta(Json capabilities = Json::object()) {
  return {{kProtocolVersionKey, "2026-07-28"}, {kClientCapabilitiesKey, std::move(capabilities)}};
}

// `params` with a `_meta` that declares these capabilities.
inline Json with_meta(Json params = Json::object(), Json capabilities = Json::object()) {
  params["_meta"] = stateless_meta(std::move(capabilities));
  return params;
}

inline Json calling(const std::string& tool, Json capabilities = Json::object(),
                    Json more = Json::object()) {
  more["name"] = tool;
  return with_meta(std::move(more), std::move(capabilities));
}

inline Options stateless_only() {
  Options options;
  options.revisions.clear();
  return options;
}

}  // namespace assay::server
