#include "harness/frame/revision_option.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/did_you_mean.h"

namespace assay::cli {

namespace {

std::vector<std::string> texts() {
  std::vector<std::string> out;
  for (const model::Revision revision : model::Revision::all()) out.emplace_back(revision.text());
  return out;
}

}  // namespace

model::Revision parse_revision_option(const std::string& text) {
  if (const std::optional<model::Revision> revision = model::Revision::parse(text)) {
    return *revision;
  }
  if (text.empty()) {
    throw UsageError(fmt::format("--revision is required; known: {}", fmt::join(texts(), ", ")));
  }
  throw UsageError(why_no_revision(text, {}));
}

std::string why_no_revision(const std::string& text, const std::vector<std::string>& more) {
  std::vector<std::string> known = texts();
  known.insert(known.end(), more.begin(), more.end());
  return unknown_name("revision", text, known);
}

}  // namespace assay::cli
