#include "reference/server/identity.h"

#include "reference/server/content.h"

namespace assay::server {

using model::Revision;

Json server_capabilities(Revision revision) {
  Json all = {{"logging", Json::object()},
              {"prompts", {{"listChanged", true}}},
              {"resources", {{"subscribe", true}, {"listChanged", true}}},
              {"tools", {{"listChanged", true}}}};
  if (revision.has_completions_capability()) all["completions"] = Json::object();
  if (revision.has_core_tasks()) {
    all["tasks"] = {{"list", Json::object()},
                    {"cancel", Json::object()},
                    {"requests", {{"tools", {{"call", Json::object()}}}}}};
  }
  return all;
}

Json server_info(Revision revision) {
  Json info = {{"name", kServerName}, {"version", ASSAY_VERSION}};
  if (revision.has_titles()) info["title"] = "mcp-assay reference server";
  if (revision.has_icons()) {
    info["description"] = "A conformant server to test clients and suites with";
    info["icons"] = sample_icons();
  }
  return info;
}

}  // namespace assay::server
