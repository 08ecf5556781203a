// Tells that a server computed what stands in an argument: a template, a command or a query was
// made of it.
//
// Specification: server/tools and server/prompts, "Security Considerations".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/target/vocabulary.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// Two numbers, and their product: only a peer that multiplies them can say it.
inline constexpr std::string_view kFactors = "7919*7907";
inline constexpr std::string_view kProduct = "62615533";

// True of a tool or prompt that says that it computes, runs or fills in what it is given.
bool computes_by_right(const Json& listed);

// What looks wrong if the answer holds the product and the request only the factors.
std::optional<Suspicion> injection_in(const Vocabulary& words, const wire::Message& request,
                                      const wire::Message& answer);

}  // namespace assay::fuzz
