// How a connection ended that the target ended, and which rule that breaks.
//
// Specification: basic/lifecycle, "Shutdown": a server may end the connection by itself. It has
// broken a rule only where it left a request unanswered, or ended because of a message that it
// could not understand.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "harness/finding.h"
#include "harness/script/link.h"
#include "reference/model/revision.h"

namespace assay::harness {

// The wire itself has ended, whoever ended it: nothing can come any more.
bool has_ended(const Transcript& transcript);

// Nothing if we ended the connection, or if the target owed nothing when it did. Only wires with
// one process or peer at their end (TransportKind::kStdio) are looked at. The finding names its
// judge.
std::optional<Finding> unexpected_end(std::span<const EventPtr> events, model::Revision revision,
                                      TransportKind transport, std::string_view judge);

}  // namespace assay::harness
