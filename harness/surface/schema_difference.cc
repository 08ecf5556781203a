#include "harness/surface/schema_difference.h"

#include <algorithm>
#include <utility>

#include "reference/model/schema_check.h"

namespace assay::harness {
namespace {

using model::SchemaOutcome;

// Each thing that is wrong is told once, with the smallest value that shows it.
void tell(const Json& value, const model::Deviations& deviations, std::vector<RefusedValue>& refusals) {
  for (const model::Deviation& deviation : deviations) {
    const auto same = std::find_if(refusals.begin(), refusals.end(), [&](const RefusedValue& each) {
      return each.pointer == deviation.pointer && each.expected == deviation.expected;
    });
    if (same != refusals.end()) {
      if (value.dump().size() < same->value.dump().size()) {
        same->value = value;
        same->found = deviation.found;
      }
    } else if (refusals.size() < kMostRefusals) {
      refusals.push_back({value, deviation.pointer, deviation.expected, deviation.found});
    }
  }
}

}  // namespace

SchemaDifference compare_schemas(const Json& before, const Json& after) {
  SchemaDifference difference;
  if (before == after) return difference;
  std::vector<Json> values = specimens(before);
  for (Json& each : specimens(after)) values.push_back(std::move(each));
  bool is_any_taken_before = false;
  bool is_any_taken_after = false;
  for (const Json& value : values) {
    if (value.dump().size() > kLargestSpecimen) continue;
    const model::SchemaVerdict old_verdict = model::check_against_schema(before, value);
    const model::SchemaVerdict new_verdict = model::check_against_schema(after, value);
    const bool is_taken_before = old_verdict.outcome == SchemaOutcome::kValid;
    const bool is_taken_after = new_verdict.outcome == SchemaOutcome::kValid;
    is_any_taken_before = is_any_taken_before || is_taken_before;
    is_any_taken_after = is_any_taken_after || is_taken_after;
    if (is_taken_before && new_verdict.outcome == SchemaOutcome::kInvalid) {
      tell(value, new_verdict.deviations, difference.refused_now);
    }
    if (is_taken_after && old_verdict.outcome == SchemaOutcome::kInvalid) {
      tell(value, old_verdict.deviations, difference.taken_now);
    }
  }
  difference.is_unclear = !is_any_taken_before || !is_any_taken_after;
  return difference;
}

}  // namespace assay::harness
