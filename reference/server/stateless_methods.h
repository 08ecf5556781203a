// The methods of the stateless era (since 2026-07-28).
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "reference/server/stateless_session.h"

namespace assay::server {

struct StatelessMethod {
  Answer (*handle)(StatelessContext&, const std::shared_ptr<Call>&) = nullptr;
  std::optional<CachingHints> hints = std::nullopt;  // of a complete result
  bool may_need_input = false;                       // may answer with an InputRequiredResult
  bool is_limited = false;                           // in rate
  // Of which extension it is; null: of none.
  const model::Extension& (*extension)() = nullptr;
};

// Null for a method that the era does not have, and for one of an extension that is not offered.
const StatelessMethod* find_stateless_method(const Options& options, std::string_view name);

}  // namespace assay::server
