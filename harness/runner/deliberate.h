// What of our own messages was wrong on purpose: a reader must not take it for an example, and an
// author not for what his peers send.
#pragma once

#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"

namespace assay::harness {

// The event is a message of `ours` that no peer of the revision sends: it cannot be read, breaks
// the schema, has a method that does not exist, or names what we made up so that it does not exist.
bool is_wrong_on_purpose(const Event& event, model::Revision revision, Party ours);

}  // namespace assay::harness
