// Reads the catalogue's data, one YAML file per area, and says everything that is wrong with it.
// The statements of an extension are an area of their own: `ext-NAME`.
//
// Used at build time by the generator: yaml-cpp stays here. README.md describes the format.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reference/model/revision.h"
#include "reports/result.h"

namespace assay::catalogue {

// A place in the specification: "server/tools" and "error-handling"; no anchor is the page's top.
struct Place {
  std::string page;
  std::string anchor;

  friend bool operator==(const Place&, const Place&) = default;
};

struct HoldingData {
  Place at;
  std::vector<Place> also;
  reports::Level level = reports::Level::kMust;
  std::string subject;  // that of the entry unless the revision names its own
  std::string note;

  friend bool operator==(const HoldingData&, const HoldingData&) = default;
};

struct RequirementData {
  std::string id;
  std::string extension;  // whose statement it is, by name; empty for the core protocol
  std::string summary;
  std::string subject;
  std::string transport;
  std::string capability;
  std::string observe;
  std::string reason;
  std::string unseen_of_server;
  std::string unseen_of_client;
  std::string part_judged;  // for `judged: part`: what the checks decide, and what they leave out
  std::string unexercised;  // why nothing may have shown it, and what would bring it about
  std::string hint;
  bool is_about_status = false;  // of HTTP, and nothing else
  std::string needs;             // of the server, beyond a capability; empty: nothing
  int added = 1;
  bool is_implied = false;  // no single sentence says it; the places it names do as a whole
  std::map<model::Revision, HoldingData> in;  // what is inherited from an earlier one included
};

struct CatalogueData {
  std::vector<RequirementData> requirements;  // sorted by id
  std::vector<std::string> problems;  // "pagination.yaml: pagination.x: unknown level 'MUSN'"
};

// Reads every *.yaml of `folder`, and statements.yaml of each folder in `extensions`, which is
// named after the extension. Never throws for what stands in the files.
CatalogueData read_data(const std::filesystem::path& folder,
                        const std::filesystem::path& extensions = {});

// "sha256:" and the digest of what the requirements say; comments and order do not count.
std::string digest(const std::vector<RequirementData>& requirements);

}  // namespace assay::catalogue
