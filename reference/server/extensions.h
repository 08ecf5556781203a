// The extensions of the protocol that the server offers, and what it declares with them.
//
// Specification of 2026-07-28: basic/versioning, "Extension Negotiation".
#pragma once

#include "reference/model/extension.h"
#include "reference/server/options.h"
#include "reference/wire/json.h"

namespace assay::server {

// Whether the server has the extension, in any revision.
bool is_offered(const Options& options, const model::Extension& extension);
bool is_offered(const Options& options, const model::Extension& extension,
                model::Revision revision);
// Whether these capabilities of a client declare it to a server that has it.
bool is_agreed(const Options& options, const model::Extension& extension, model::Revision revision,
               const Json& client_capabilities);
// What the server declares in the revision, extensions among it.
Json declared_capabilities(const Options& options, model::Revision revision);

}  // namespace assay::server
