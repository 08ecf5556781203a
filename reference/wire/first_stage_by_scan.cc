// With nothing of simdjson but its public validate_utf8(): slower, for any version.
#include "reference/wire/first_stage.h"

namespace assay::wire {

struct FirstStage::Machine {
  std::vector<std::uint32_t> starts;
};

FirstStage::FirstStage() : machine_(std::make_unique<Machine>()) {}
FirstStage::~FirstStage() = default;

std::span<const std::uint32_t> FirstStage::find(std::string_view text) {
  ScannedTokens scanned = scan_tokens(text);
  error_ = scanned.error;
  machine_->starts = std::move(scanned.starts);
  if (error_ != TokenError::kNone) return {};
  machine_->starts.push_back(static_cast<std::uint32_t>(text.size()));
  return machine_->starts;
}

void FirstStage::release() {
  machine_->starts = {};
}

}  // namespace assay::wire
