// A stranger's JSON Schema and a value, a line each: whatever they are, the verdict comes, it is
// the same every time, it can be shown, and it holds for the schema said in other words.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "fuzz/json_fuzzing.h"
#include "fuzz/message_mutator.h"
#include "reference/model/schema_check.h"

namespace {

using assay::Json;
using assay::fuzz::require;
using namespace assay::model;

void check_words(const SchemaVerdict& verdict) {
  require((verdict.outcome == SchemaOutcome::kInconclusive) == !verdict.reason.empty(),
          "what is inconclusive says why");
  require((verdict.outcome == SchemaOutcome::kInvalid) == !verdict.deviations.empty(),
          "what is invalid says where");
  require(assay::fuzz::is_ascii_line(verdict.reason), "a reason can be shown");
  for (const Deviation& one : verdict.deviations) {
    require(assay::fuzz::is_ascii_line(to_text(one)), "a deviation can be shown");
  }
}

// A schema that means the same wherever it stands: nothing in it refers to another place, or says
// which language it is written in.
bool is_movable(std::string_view schema) {
  return schema.find('$') == std::string_view::npos &&
         schema.find('\\') == std::string_view::npos &&
         schema.find("\"id\"") == std::string_view::npos;
}

bool is_conclusive(const SchemaVerdict& verdict) {
  return verdict.outcome != SchemaOutcome::kInconclusive;
}

void check_other_words(const Json& schema, const Json& value, SchemaOutcome outcome) {
  const auto wrapped = check_against_schema({{"allOf", Json::array({schema})}}, value);
  require(!is_conclusive(wrapped) || wrapped.outcome == outcome, "all of one is that one");
  const auto negated = check_against_schema({{"not", schema}}, value);
  require(!is_conclusive(negated) || negated.outcome != outcome, "not is the opposite");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = assay::fuzz::view(data, size);
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return 0;
  const auto schema = assay::fuzz::parse_json(text.substr(0, end));
  const auto value = assay::fuzz::parse_json(text.substr(end + 1));
  if (!schema || !value) return 0;
  const SchemaVerdict of_schema = check_schema(*schema);
  check_words(of_schema);
  const SchemaVerdict verdict = check_against_schema(*schema, *value);
  check_words(verdict);
  require(of_schema.outcome != SchemaOutcome::kInvalid || !is_conclusive(verdict),
          "a broken schema judges nothing");
  require(check_against_schema(*schema, *value).outcome == verdict.outcome, "twice the same");
  if (is_conclusive(verdict) && is_movable(text.substr(0, end))) {
    check_other_words(*schema, *value, verdict.outcome);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return assay::fuzz::mutate_json_lines(data, size, max_size, seed);
}
