// What is wrong with an answer beyond its form: what it tells of the server, and what it promised.
#pragma once

#include <optional>
#include <string_view>

#include "fuzz/live/judge/suspicion.h"
#include "fuzz/live/target/vocabulary.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

// What is wrong with this answer to this request; nothing if nothing is, or if it is not certain.
// The case number is left to the caller.
std::optional<Suspicion> wrong_answer(const Vocabulary& words, const wire::Message& request,
                                      const wire::Message& answer);

// The line of a stack trace that stands first in `text`, a JSON text; empty if there is none.
std::string_view trace_in(std::string_view text);

}  // namespace assay::fuzz
