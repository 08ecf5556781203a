// What our side offers and answers when a target asks a client for something.
//
// Specification: client/roots, client/sampling, client/elicitation.
#pragma once

#include <map>
#include <string>

#include "harness/script/connection.h"

namespace assay::harness {

// Every capability that a client of the revision can declare.
Json full_client_capabilities(model::Revision revision);
// Handlers for ping, roots/list, sampling/createMessage and elicitation/create.
std::map<std::string, RequestHandler, std::less<>> polite_handlers(model::Revision revision);

}  // namespace assay::harness
