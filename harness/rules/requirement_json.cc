#include "harness/rules/requirement_json.h"

#include <string>

#include "harness/catalogue/fixes.h"
#include "reference/model/extension.h"

namespace assay::cli {

nlohmann::ordered_json to_json(const catalogue::Requirement& requirement,
                               const harness::CoverageMap& coverage) {
  nlohmann::ordered_json out;
  out["id"] = requirement.id;
  out["summary"] = requirement.summary;
  out["subject"] = catalogue::name(requirement.subject);
  out["transport"] = catalogue::name(requirement.transport);
  if (const auto* const extension = model::find_extension(requirement.extension)) {
    out["extension"] = extension->identifier;
  }
  if (!requirement.capability.empty()) out["capability"] = requirement.capability;
  out["observe"] = catalogue::name(requirement.observe);
  if (!requirement.reason.empty()) out["reason"] = requirement.reason;
  if (!requirement.unseen_of_server.empty()) {
    out["unseen"]["server"] = requirement.unseen_of_server;
  }
  if (!requirement.unseen_of_client.empty()) {
    out["unseen"]["client"] = requirement.unseen_of_client;
  }
  out["added"] = requirement.added;
  out["revisions"] = nlohmann::ordered_json::object();
  for (const catalogue::Holding& holding : requirement.in) {
    auto& entry = out["revisions"][std::string(holding.revision.text())];
    entry["level"] = reports::name(holding.level);
    entry["subject"] = catalogue::name(holding.subject);
    entry["spec"] = requirement.link(holding.revision);
    if (!holding.note.empty()) entry["note"] = holding.note;
  }
  out["covered_by"] = nlohmann::ordered_json::array();
  for (const harness::Coverage& it : coverage.of(requirement.id)) {
    if (!harness::judges_bound_party(it, requirement)) continue;
    auto parties = nlohmann::ordered_json::array();
    if (it.judges_servers) parties.push_back("server");
    if (it.judges_clients) parties.push_back("client");
    if (it.judges_authorities) parties.push_back("authorization-server");
    out["covered_by"].push_back(
        {{"kind", harness::name(it.kind)}, {"name", it.judge}, {"judges", parties}});
  }
  if (!out["covered_by"].empty()) {
    const bool is_part = requirement.is_judged_in_part();
    out["judged"] = is_part ? "part" : "whole";
    if (is_part) out["part"] = requirement.part_judged;
  }
  if (const auto fix = catalogue::fix_of(requirement.id); !fix.empty()) out["fix"] = fix;
  out["faults"] = coverage.faults_of(requirement.id);
  out["client_faults"] = coverage.client_faults_of(requirement.id);
  out["authorization_server_faults"] = coverage.authority_faults_of(requirement.id);
  return out;
}

}  // namespace assay::cli
