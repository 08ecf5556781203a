// Any JSON value as any type of any revision: the verdict is that of the exported JSON Schema, read
// by another validator, and its words are fit to be shown. The first byte chooses the revision, the
// second the type; 255 there asks for a whole message.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fuzz/fuzzing.h"
#include "fuzz/json_fuzzing.h"
#include "fuzz/message_mutator.h"
#include "reference/model/json_schema.h"
#include "reference/model/validate.h"
#include "reference/model/valijson_testing.h"

namespace {

using assay::Json;
using assay::fuzz::require;
using namespace assay::model;

constexpr std::uint8_t kMessage = 255;
// The other validator matches with std::regex, which needs stack for every byte of a text.
constexpr std::size_t kMostJudgedBytes = 600;

const std::vector<std::string>& types_of(Revision revision) {
  static std::map<Revision, std::vector<std::string>> types;
  auto& known = types[revision];
  if (known.empty()) known = known_types(revision);
  return known;
}

JudgeSchema& judge_of(Revision revision) {
  static std::map<Revision, std::unique_ptr<JudgeSchema>> judges;
  auto& judge = judges[revision];
  if (!judge) judge = std::make_unique<JudgeSchema>(json_schema(revision));
  return *judge;
}

bool has_breach(const Deviations& deviations) {
  return std::any_of(deviations.begin(), deviations.end(),
                     [](const Deviation& one) { return one.strength == Strength::kMust; });
}

void check_words(const Deviations& deviations) {
  require(deviations.size() <= kMostDeviations, "no more deviations than the bound");
  for (const Deviation& one : deviations) {
    require(!one.expected.empty() && !one.found.empty(), "a deviation says what it is");
    require(assay::fuzz::is_ascii_line(to_text(one)), "and can be shown");
  }
}

void check_message(Revision revision, const Json& value) {
  for (const Direction direction : {Direction::kClientToServer, Direction::kServerToClient}) {
    const Deviations deviations = validate_message(revision, direction, value);
    check_words(deviations);
    require(deviations == validate_message(revision, direction, value), "twice the same verdict");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const auto revisions = Revision::all();
  const Revision revision = revisions[data[0] % revisions.size()];
  const std::string_view text = assay::fuzz::view(data + 2, size - 2);
  const auto value = assay::fuzz::parse_json(text);
  if (!value) return 0;
  if (data[1] == kMessage) {
    check_message(revision, *value);
    return 0;
  }
  const auto& types = types_of(revision);
  const std::string& type = types[data[1] % types.size()];
  const Deviations deviations = validate(revision, type, *value);
  check_words(deviations);
  const bool is_good = is_valid(revision, type, *value);
  require(is_good == !has_breach(deviations), "is_valid() and validate() agree");
  if (text.size() > kMostJudgedBytes) return 0;
  require(is_good == judge_of(revision).accepts(type, *value), "the exported schema agrees");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return assay::fuzz::mutate_messages(data, size, max_size, seed, {.header_bytes = 2});
}
