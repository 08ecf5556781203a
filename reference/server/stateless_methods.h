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
  bool is_of_tasks = false;                          // of the extension
};

// Null for a method that the era does not have.
const StatelessMethod* find_stateless_method(std::string_view name);

}  // namespace assay::server
