// Ways out of the folder that a server is told to serve (sandbox.h): cases that ask for a canary.
//
// Specification: server/resources, server/tools and server/prompts, "Security" of each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/live/target/step.h"
#include "fuzz/live/target/vocabulary.h"
#include "reference/wire/json.h"

namespace assay::fuzz {

// Bounds on what a target's lists can make of it.
inline constexpr std::size_t kMostEscapePlaces = 200;

// One message each: every path out in every argument of tools and prompts that looks like a path or
// a URI, and in the URIs of resources. DIR stands in them as kSandboxPath does.
std::vector<Case> escape_cases(const Vocabulary& words);

// True of a string argument of this name and schema that may be a path, a URI or the name of a
// file.
bool looks_like_path(std::string_view name, const Json& schema);

}  // namespace assay::fuzz
