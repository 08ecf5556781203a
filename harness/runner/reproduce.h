// The command that shows a finding again, for a person with a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/script/link.h"
#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"

namespace assay::harness {

// For stdio, a printf of the handshake and of the sent `evidence`, piped into the target, or of all
// that was sent up to it where the target may remember something of that; for HTTP, a curl of the
// one exchange that the evidence shows, with variables of the shell in place of the user's header
// fields. One printable line. Empty if there is nothing to send, if it is more than a person would
// paste, if it cannot be shown as it is, if it takes several exchanges, or what the target remembers
// of them, or if it names a session, event or task that only this target then knew.
std::string reproduce(const TargetAccess& access, std::span<const EventPtr> transcript,
                      std::span<const EventPtr> evidence);

// Runs the scenario again, for what no such command shows; without one, the whole revision.
std::string reproduce_with_suite(const TargetAccess& access, model::Revision revision,
                                 std::string_view scenario);

}  // namespace assay::harness
