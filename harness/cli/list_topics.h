// What `mcp-assay list` prints, one function for each topic that is more than a few lines.
#pragma once

#include <string>

namespace assay::cli {

struct RequirementFilter {
  std::string revision;  // empty: every revision
  std::string area;
  std::string subject;
  std::string level;
  std::string extension;  // by name or identifier
  std::string catalogue;  // a version of the catalogue; empty: the latest
  bool only_uncovered = false;
  bool as_json = false;
};
// Each with what it judges, or breaks.
void list_scenarios(bool as_json);
void list_monitors(bool as_json);
void list_faults(bool as_json);
// The built-in profiles whole, as files that one can start from.
void list_profiles(bool as_json);
void list_revisions(bool as_json);
// The extensions that are known, and what each has.
void list_extensions(bool as_json);
// The names of the servers of this folder: of mcp-assay.yaml, or of a client's file. None where
// there is no such file.
void list_servers(bool as_json);

// Prints the requirements. Throws UsageError for a revision, area, subject or level that is
// unknown.
void list_requirements(const RequirementFilter& filter);

struct CoverageOptions {
  std::string format = "text";  // text, markdown, tsv, json
  std::string check;            // a recorded file that no number may be below
  std::string record;           // where to write the recorded file
  std::string update;           // a document whose table is brought up to date
};
// Prints the coverage, or does what the options say. Returns the exit status: kViolations if a
// number fell. Throws UsageError for a file that cannot be read or written.
int list_coverage(const CoverageOptions& options);

}  // namespace assay::cli
