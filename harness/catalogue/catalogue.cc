#include "harness/catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/catalogue/tables.h"
#include "harness/catalogue/vocabulary.h"
#include "reference/model/extension.h"

namespace assay::catalogue {
namespace {

constexpr std::array kAllSubjects = {Subject::kServer,
                                     Subject::kClient,
                                     Subject::kBoth,
                                     Subject::kHost,
                                     Subject::kAuthorizationServer,
                                     Subject::kSdk,
                                     Subject::kRegistry,
                                     Subject::kIntermediary,
                                     Subject::kExtension};
static_assert(kAllSubjects.size() == kSubjects.size());

}  // namespace

std::span<const Subject> all_subjects() {
  return kAllSubjects;
}

std::string_view name(Subject subject) {
  return kSubjects.at(static_cast<std::size_t>(subject));
}

std::optional<Subject> parse_subject(std::string_view text) {
  for (const Subject subject : kAllSubjects) {
    if (name(subject) == text) return subject;
  }
  return std::nullopt;
}

std::string_view name(Transport transport) {
  return kTransports.at(static_cast<std::size_t>(transport));
}

std::string_view name(Observation observation) {
  return kObservations.at(static_cast<std::size_t>(observation));
}

const Holding* Requirement::holding(model::Revision revision) const {
  const auto found = std::find_if(in.begin(), in.end(),
                                  [&](const Holding& it) { return it.revision == revision; });
  return found == in.end() ? nullptr : &*found;
}

std::optional<Level> Requirement::level_in(model::Revision revision) const {
  const Holding* const found = holding(revision);
  if (found == nullptr) return std::nullopt;
  return found->level;
}

Subject Requirement::subject_in(model::Revision revision) const {
  const Holding* const found = holding(revision);
  return found == nullptr ? subject : found->subject;
}

bool Requirement::binds_server_in(model::Revision revision) const {
  const Subject bound = subject_in(revision);
  return holds_in(revision) && (bound == Subject::kServer || bound == Subject::kBoth);
}

bool Requirement::binds_client_in(model::Revision revision) const {
  const Subject bound = subject_in(revision);
  return holds_in(revision) && (bound == Subject::kClient || bound == Subject::kBoth);
}

std::string Requirement::link(model::Revision revision) const {
  const Holding* const found = holding(revision);
  if (found == nullptr) return "";
  if (const auto* const extended = model::find_extension(extension); extended != nullptr) {
    return fmt::format("{}{}{}", extended->address, found->anchor.empty() ? "" : "#",
                       found->anchor);
  }
  std::string_view page = found->page;
  // The site serves "basic/index" as "basic", and "index" as the revision itself.
  constexpr std::string_view kIndex = "index";
  if (page == kIndex || page.ends_with("/index")) page.remove_suffix(kIndex.size());
  if (page.ends_with('/')) page.remove_suffix(1);
  return fmt::format("https://modelcontextprotocol.io/specification/{}{}{}{}{}", revision.text(),
                     page.empty() ? "" : "/", page, found->anchor.empty() ? "" : "#",
                     found->anchor);
}

std::span<const Requirement> all() {
  return tables::all();
}

const Requirement* find(std::string_view id) {
  const std::span<const Requirement> requirements = all();
  const auto found = std::lower_bound(
      requirements.begin(), requirements.end(), id,
      [](const Requirement& requirement, std::string_view text) { return requirement.id < text; });
  return found != requirements.end() && found->id == id ? &*found : nullptr;
}

bool holds(RequirementId rule, model::Revision revision) {
  return find(rule.text())->holds_in(revision);
}

std::string_view version() {
  return tables::version();
}
std::string_view digest() {
  return tables::digest();
}

}  // namespace assay::catalogue
