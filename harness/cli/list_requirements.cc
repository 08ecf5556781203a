#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/cli/list_topics.h"
#include "harness/coverage_table.h"
#include "harness/frame/catalogue_option.h"
#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"
#include "harness/frame/extension_option.h"
#include "harness/frame/revision_option.h"
#include "harness/rules/requirement_json.h"

namespace assay::cli {
namespace {

using catalogue::Requirement;
using harness::CoverageMap;
using harness::Side;

// The filter with its words understood.
struct Selection {
  std::optional<model::Revision> revision;
  std::optional<catalogue::Subject> subject;
  std::optional<reports::Level> level;
  std::string_view area;
  std::string_view extension;  // by name
  int catalogue = 0;           // 0: the latest
  bool only_uncovered = false;
};

Selection understand(const RequirementFilter& filter) {
  Selection selection;
  if (!filter.revision.empty()) selection.revision = parse_revision_option(filter.revision);
  if (!filter.subject.empty()) {
    selection.subject = catalogue::parse_subject(filter.subject);
    if (!selection.subject) {
      std::vector<std::string> known;
      for (const auto subject : catalogue::all_subjects()) known.emplace_back(name(subject));
      throw UsageError(unknown_name("subject", filter.subject, known));
    }
  }
  if (!filter.level.empty()) {
    selection.level = reports::parse_level(filter.level);
    if (!selection.level) {
      throw UsageError(
          unknown_name("level", filter.level, {"MUST", "MUST NOT", "SHOULD", "SHOULD NOT", "MAY"}));
    }
  }
  if (!filter.area.empty()) {
    std::set<std::string_view> areas;
    for (const Requirement& requirement : catalogue::all()) areas.insert(requirement.area());
    if (!areas.contains(filter.area)) {
      throw UsageError(unknown_name("area", filter.area, {areas.begin(), areas.end()}));
    }
  }
  selection.area = filter.area;
  if (!filter.extension.empty()) {
    selection.extension = parse_extension_option(filter.extension).name;
  }
  if (!filter.catalogue.empty()) selection.catalogue = parse_catalogue_option(filter.catalogue);
  selection.only_uncovered = filter.only_uncovered;
  return selection;
}

// "both" is bound wherever server or client is asked for.
bool has_subject(const Requirement& requirement, model::Revision revision,
                 catalogue::Subject subject) {
  switch (subject) {
    case catalogue::Subject::kServer:
      return requirement.binds_server_in(revision);
    case catalogue::Subject::kClient:
      return requirement.binds_client_in(revision);
    default:
      return requirement.subject_in(revision) == subject;
  }
}

// Whether nobody judges it in that revision, of the side that was asked for, or of any it binds.
bool is_uncovered(const Requirement& requirement, model::Revision revision,
                  std::optional<catalogue::Subject> subject, const CoverageMap& coverage) {
  if (requirement.observe == catalogue::Observation::kNo) return false;
  if (requirement.subject_in(revision) == catalogue::Subject::kAuthorizationServer) {
    return !is_covered(requirement, coverage, revision, Side::kThirdParty);
  }
  const bool wants_server =
      (!subject || *subject != catalogue::Subject::kClient) && requirement.is_seen_of_server();
  const bool wants_client =
      (!subject || *subject != catalogue::Subject::kServer) && requirement.is_seen_of_client();
  if (!wants_server && !wants_client) return false;
  return !(wants_server && is_covered(requirement, coverage, revision, Side::kServer)) &&
         !(wants_client && is_covered(requirement, coverage, revision, Side::kClient));
}

bool matches(const Requirement& requirement, const Selection& selection,
             const CoverageMap& coverage) {
  if (!requirement.existed_in(selection.catalogue)) return false;
  if (!selection.area.empty() && requirement.area() != selection.area) return false;
  if (!selection.extension.empty() && requirement.extension != selection.extension) return false;
  return std::any_of(requirement.in.begin(), requirement.in.end(), [&](const auto& holding) {
    if (selection.revision && holding.revision != *selection.revision) return false;
    if (selection.level && holding.level != *selection.level) return false;
    if (selection.subject && !has_subject(requirement, holding.revision, *selection.subject)) {
      return false;
    }
    return !selection.only_uncovered ||
           is_uncovered(requirement, holding.revision, selection.subject, coverage);
  });
}

// The level of the chosen revision, else every level that it has, oldest first.
std::string level_text(const Requirement& requirement, const Selection& selection) {
  if (selection.revision) {
    return std::string(reports::name(requirement.level_in(*selection.revision).value()));
  }
  std::vector<std::string_view> levels;
  for (const catalogue::Holding& holding : requirement.in) {
    const std::string_view level = reports::name(holding.level);
    if (std::find(levels.begin(), levels.end(), level) == levels.end()) levels.push_back(level);
  }
  return fmt::format("{}", fmt::join(levels, ", "));
}

std::string covered_text(const Requirement& requirement, const CoverageMap& coverage) {
  if (requirement.observe == catalogue::Observation::kNo) return "not observable";
  for (const harness::Coverage& it : coverage.of(requirement.id)) {
    if (!harness::judges_bound_party(it, requirement)) continue;
    return fmt::format("{}{}", harness::name(it.kind),  // active comes first
                       requirement.is_judged_in_part() ? " (part)" : "");
  }
  return "not yet";
}

void print_table(const std::vector<const Requirement*>& found, const Selection& selection,
                 const CoverageMap& coverage) {
  std::size_t id_width = 0;
  std::size_t level_width = 5;
  std::size_t subject_width = 7;
  for (const Requirement* it : found) {
    id_width = std::max(id_width, it->id.size());
    level_width = std::max(level_width, level_text(*it, selection).size());
    subject_width = std::max(subject_width, name(it->subject).size());
  }
  for (const Requirement* it : found) {
    fmt::print("{:<{}}  {:<{}}  {:<{}}  {:<14}  {}\n", it->id, id_width, level_text(*it, selection),
               level_width, name(it->subject), subject_width, covered_text(*it, coverage),
               it->summary);
  }
  fmt::print("{} requirement{} (catalogue {})\n", found.size(), found.size() == 1 ? "" : "s",
             selection.catalogue == 0 ? std::string(catalogue::version())
                                      : std::to_string(selection.catalogue));
}

}  // namespace

void list_requirements(const RequirementFilter& filter) {
  const Selection selection = understand(filter);
  const CoverageMap coverage = harness::collect_coverage();
  std::vector<const Requirement*> found;
  for (const Requirement& requirement : catalogue::all()) {
    if (matches(requirement, selection, coverage)) found.push_back(&requirement);
  }
  if (!filter.as_json) return print_table(found, selection, coverage);
  auto out = nlohmann::ordered_json::array();
  for (const Requirement* it : found) out.push_back(to_json(*it, coverage));
  fmt::print("{}\n", out.dump(2));
}

}  // namespace assay::cli
