// Where the specification asks for a refusal, and success is therefore wrong.
#pragma once

#include <optional>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/target/vocabulary.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// What names of nothing begin with, wherever a case asks for something that cannot exist.
inline constexpr std::string_view kNoSuch = "assay-no-such";

// What is wrong with answering `request` with this result; nothing if nothing is, or if it is not
// certain. The case number is left to the caller.
std::optional<Suspicion> wrong_success(const Vocabulary& words, const wire::Message& request,
                                       const wire::Message& result);

}  // namespace assay::fuzz
