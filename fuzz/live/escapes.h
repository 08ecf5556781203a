// Ways out of the folder that a server is told to serve (sandbox.h): cases that ask for a canary,
// and what tells that its content came back.
//
// Specification: server/resources, server/tools and server/prompts, "Security" of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/live/sandbox.h"
#include "fuzz/live/step.h"
#include "fuzz/live/suspicion.h"
#include "fuzz/live/vocabulary.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// Bounds on what a target's lists can make of it.
inline constexpr std::size_t kMostEscapePlaces = 200;

// One message each: every path out in every argument of tools and prompts that looks like a path or
// a URI, and in the URIs of resources. DIR stands in them as kSandboxPath does.
std::vector<Case> escape_cases(const Vocabulary& words);

// True of a string argument of this name and schema that may be a path, a URI or the name of a
// file.
bool looks_like_path(std::string_view name, const Json& schema);

// What looks wrong if a message of the target's holds what is in a canary. `request`:
// what it answers, if that is known. Nobody is accused where the request carries what the target
// asked its client for: its roots may be among that.
std::optional<Suspicion> escape_in(const Sandbox& sandbox, const wire::Message& message,
                                   const wire::Message* request);

}  // namespace assay::fuzz
