// Tells that the content of a canary came back (sandbox.h).
//
// Specification: server/resources, server/tools and server/prompts, "Security" of each.
#pragma once

#include <optional>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/target/sandbox.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// What looks wrong if a message of the target's holds what is in a canary. `request`: what it
// answers, if that is known. A request that carries what the target asked its client for explains
// it: the roots may be among that.
std::optional<Suspicion> escape_in(const Sandbox& sandbox, const wire::Message& message,
                                   const wire::Message* request);

}  // namespace assay::fuzz
