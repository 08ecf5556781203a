// Which message answers which request.
#pragma once

#include "harness/transcript/transcript.h"
#include "reference/wire/id.h"
#include "reference/wire/message_fwd.h"

namespace assay::harness {

// The answer to `id` in a message, or among the members of a batch; null if there is none.
const wire::Message* find_answer(const wire::Id& id, const wire::Message& message);

// An error without an id.
bool has_null_id(const wire::Message& message);

// On one line of traffic: whether an error without an id can only be about this request. It was
// the last that was sent, nothing else was open, and all that was sent before could be read.
bool is_only_open(const Transcript& transcript, const EventPtr& request, const Event& error);

}  // namespace assay::harness
