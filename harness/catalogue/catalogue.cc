#include "harness/catalogue/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

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

std::string_view text_at(tables::Text at) {
  return tables::texts().data() + at;
}

Requirement unpack(const tables::PackedRequirement& packed, std::span<const Holding> in) {
  return {.id = text_at(packed.id),
          .summary = text_at(packed.summary),
          .subject = static_cast<Subject>(packed.subject),
          .transport = static_cast<Transport>(packed.transport),
          .capability = text_at(packed.capability),
          .observe = static_cast<Observation>(packed.observe),
          .reason = text_at(packed.reason),
          .added = packed.added,
          .is_implied = packed.is_implied,
          .in = in,
          .unseen_of_server = text_at(packed.unseen_of_server),
          .unseen_of_client = text_at(packed.unseen_of_client),
          .part_judged = text_at(packed.part_judged),
          .unexercised = text_at(packed.unexercised),
          .hint = text_at(packed.hint),
          .is_about_status = packed.is_about_status,
          .extension = text_at(packed.extension),
          .needs = text_at(packed.needs)};
}

// The tables as everybody reads them; unpacked once, in less than a millisecond.
class Unpacked {
 public:
  Unpacked() {
    holdings_.reserve(tables::holdings().size());
    for (const tables::PackedHolding& packed : tables::holdings()) {
      holdings_.push_back({model::Revision::Value{packed.revision},
                           static_cast<Level>(packed.level), text_at(packed.page),
                           text_at(packed.anchor), text_at(packed.note),
                           static_cast<Subject>(packed.subject)});
    }
    requirements_.reserve(tables::requirements().size());
    std::span<const Holding> rest = holdings_;
    for (const tables::PackedRequirement& packed : tables::requirements()) {
      requirements_.push_back(unpack(packed, rest.first(packed.holdings)));
      rest = rest.subspan(packed.holdings);
    }
  }
  std::span<const Requirement> requirements() const { return requirements_; }

 private:
  std::vector<Holding> holdings_;
  std::vector<Requirement> requirements_;
};

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
  static const Unpacked kUnpacked;
  return kUnpacked.requirements();
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
