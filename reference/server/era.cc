#include "reference/server/era.h"

#include <algorithm>
#include <string>

#include "reference/server/handlers.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

std::optional<std::string> defect_of_fields(const Json& meta) {
  if (!member(meta, kClientCapabilitiesKey).is_object()) {
    return std::string("_meta must have ") + kClientCapabilitiesKey + ", an object";
  }
  const Json& info = member(meta, kClientInfoKey);
  const bool is_named = string_member(info, "name") && string_member(info, "version");
  if (meta.contains(kClientInfoKey) && !is_named) {
    return std::string(kClientInfoKey) + " must have a name and a version";
  }
  return std::nullopt;
}

}  // namespace

std::variant<RequestMeta, Refusal> read_meta(const Options& options, const Json& params) {
  const Json& meta = member(params, "_meta");
  const std::optional<std::string> version = string_member(meta, kProtocolVersionKey);
  if (!version) {
    return rejection(wire::kInvalidParams,
                     std::string("No session, and _meta does not have ") + kProtocolVersionKey);
  }
  const auto revision = model::Revision::parse(*version);
  const auto& spoken = options.stateless_revisions;
  if (!revision || std::find(spoken.begin(), spoken.end(), *revision) == spoken.end()) {
    return rejection(kUnsupportedProtocolVersion, "Unsupported protocol version",
                     {{"supported", supported_versions(options)}, {"requested", *version}});
  }
  if (const auto defect = defect_of_fields(meta)) return rejection(wire::kInvalidParams, *defect);
  RequestMeta read{*revision, std::nullopt};
  if (meta.contains(kLogLevelKey)) {
    const std::optional<std::string> level = string_member(meta, kLogLevelKey);
    read.log_level = level ? parse_log_level(*level) : std::nullopt;
    if (!read.log_level) {
      return rejection(wire::kInvalidParams, std::string(kLogLevelKey) + " is no log level");
    }
  }
  return read;
}

model::Revision revision_asked(const Json& params) {
  const auto version = string_member(member(params, "_meta"), kProtocolVersionKey);
  const auto named = version ? model::Revision::parse(*version) : std::nullopt;
  return named && named->is_stateless() ? *named : model::Revision::newest_stateless();
}

Json supported_versions(const Options& options) {
  Json versions = Json::array();
  for (const auto* revisions : {&options.stateless_revisions, &options.revisions}) {
    std::for_each(revisions->rbegin(), revisions->rend(),
                  [&](model::Revision revision) { versions.push_back(revision.text()); });
  }
  return versions;
}

}  // namespace assay::server
