// What one JSON Schema takes and another refuses, found by trying values.
//
// The two are compared by meaning: a schema that is only written in another way is no difference,
// and each difference has a value that shows it. The values are made from both schemas: what each
// names, what lies on and beyond its bounds, and values of other types. They are many and not all,
// so that no difference is no proof that there is none.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reference/wire/json.h"

namespace assay::harness {

// A value that one of the schemas takes, and what the other says is wrong with it.
struct RefusedValue {
  Json value;
  std::string pointer;   // into the value
  std::string expected;  // `string`
  std::string found;     // `number`
};

struct SchemaDifference {
  std::vector<RefusedValue> refused_now;  // values that `before` takes and `after` refuses
  std::vector<RefusedValue> taken_now;    // values that `after` takes and `before` refuses
  // Nothing that was tried is certainly taken by `before`, or by `after`: no more can be said.
  bool is_unclear = false;
};

// Bounds, whatever the schemas ask for.
inline constexpr std::size_t kMostSpecimens = 400;      // values tried, of each schema
inline constexpr std::size_t kMostRefusals = 20;        // told, in each direction
inline constexpr std::size_t kLargestSpecimen = 16384;  // bytes of a value that is told

SchemaDifference compare_schemas(const Json& before, const Json& after);

// What the references of a part of the schema `root` lead to, as far as they lead to a place in it.
const Json& resolved(const Json& root, const Json& schema);

// Values for this schema: most of them valid, the first ones most likely so.
std::vector<Json> specimens(const Json& schema);

}  // namespace assay::harness
