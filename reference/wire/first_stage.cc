// With simdjson's first stage.
#include "reference/wire/first_stage.h"

#include <simdjson.h>

#include <algorithm>

namespace assay::wire {

static_assert(simdjson::SIMDJSON_VERSION_MAJOR == 3,
              "the first stage of this simdjson is not known: reference/wire/CMakeLists.txt says "
              "for which versions this file is compiled");

struct FirstStage::Machine {
  std::unique_ptr<simdjson::internal::dom_parser_implementation> simdjson;
};

namespace {

constexpr std::size_t kFirstCapacity = 4096;

TokenError error_of(simdjson::error_code code, std::string_view text) {
  if (code == simdjson::MEMALLOC || code == simdjson::CAPACITY) return TokenError::kTooLarge;
  if (!simdjson::validate_utf8(text)) return TokenError::kNotUtf8;
  if (code == simdjson::EMPTY) return TokenError::kEmpty;
  return code == simdjson::UNESCAPED_CHARS ? TokenError::kControlCharacter
                                           : TokenError::kOpenString;
}

}  // namespace

FirstStage::FirstStage() : machine_(std::make_unique<Machine>()) {}
FirstStage::~FirstStage() = default;

std::span<const std::uint32_t> FirstStage::find(std::string_view text) {
  auto& stage = machine_->simdjson;
  simdjson::error_code code = simdjson::SUCCESS;
  if (!stage) {
    code = simdjson::get_active_implementation()->create_dom_parser_implementation(
        std::max(text.size(), kFirstCapacity), 1, stage);
  } else if (stage->capacity() < text.size()) {
    code = stage->set_capacity(std::max(text.size(), 2 * stage->capacity()));
  }
  if (code == simdjson::SUCCESS) {
    code = stage->stage1(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                         simdjson::stage1_mode::regular);
  }
  if (code != simdjson::SUCCESS) {
    error_ = error_of(code, text);
    return {};
  }
  error_ = TokenError::kNone;
  // There is room: simdjson itself writes after the last one.
  std::uint32_t* const starts = stage->structural_indexes.get();
  starts[stage->n_structural_indexes] = static_cast<std::uint32_t>(text.size());
  return {starts, stage->n_structural_indexes + 1};
}

void FirstStage::release() {
  machine_->simdjson.reset();
}

}  // namespace assay::wire
