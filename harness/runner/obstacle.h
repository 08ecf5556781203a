// What keeps a scenario from asking what it wants to ask, and breaks no rule: the server limits how
// often it may be asked, or has ended the session, as it may at any time.
//
// Specification: server/tools, "Security Considerations"; basic/transports, "Session Management".
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "harness/script/connection.h"

namespace assay::harness {

// The server has ended the session on this connection: it answered with HTTP 404 what came from
// index `from` on, and now a ping as well. Never where we ended it ourselves. It may ask.
bool has_lost_session(Connection& connection, std::size_t from);

// One sentence; nothing where everything could be asked.
std::optional<std::string> obstacle_on(Connection& connection, std::size_t from);

}  // namespace assay::harness
