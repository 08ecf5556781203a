// What the words of a listed tool say of it: whether it only reads, and what it may be called for.
//
// Words prove nothing. They decide what is tried first, and, where the user allows it (--tools
// safe), which tools are called that carry no annotation.
#pragma once

#include <set>

#include "harness/profile/ability.h"
#include "reference/wire/json.h"

namespace assay::harness {

// The name has a word for reading ("get", "list", "search", "describe"), and neither the name nor
// the description has one for changing something; no annotation contradicts.
bool says_it_only_reads(const Json& tool);

// What a call of the tool may show, as its name, description, schema and annotations promise.
std::set<Ability> promises_of(const Json& tool);

}  // namespace assay::harness
