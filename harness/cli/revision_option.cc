#include "harness/cli/revision_option.h"

#include <fmt/format.h>

#include <optional>

#include "harness/cli/command.h"
#include "reports/escape.h"

namespace assay::cli {

model::Revision parse_revision_option(const std::string& text) {
  if (const std::optional<model::Revision> revision = model::Revision::parse(text)) {
    return *revision;
  }
  std::string known;
  for (const model::Revision revision : model::Revision::all()) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", revision.text());
  }
  throw UsageError(text.empty() ? fmt::format("--revision is required; known: {}", known)
                                : fmt::format("unknown revision '{}'; known: {}",
                                              reports::printable_line(text), known));
}

}  // namespace assay::cli
