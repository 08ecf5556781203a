// The command that shows a finding again, for a person with a shell.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/script/link.h"
#include "harness/transcript/transcript.h"

namespace assay::harness {

// `text` as one word for a POSIX shell.
std::string shell_quote(std::string_view text);

// For stdio, a printf of the handshake and of the sent `evidence`, piped into the target; for HTTP,
// a curl of the exchange that the evidence shows. Empty if there is nothing to send, or if it is
// more than a person would paste.
std::string reproduce(const TargetAccess& access, std::span<const EventPtr> transcript,
                      std::span<const EventPtr> evidence);

}  // namespace assay::harness
