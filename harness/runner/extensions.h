// Which extensions of the protocol a run judges: those that its target declares, and those that
// were asked for.
//
// Specification of 2026-07-28: basic/versioning, "Extension Negotiation".
#pragma once

#include <span>
#include <vector>

#include "harness/script/survey.h"
#include "harness/transcript/transcript.h"
#include "reference/model/extension.h"
#include "reports/result.h"

namespace assay::harness {

// Those that the result of `initialize`, or of `server/discover`, declares; none where there was no
// result.
model::ExtensionSet declared_by_server(model::Revision revision, const Json& server);
// Those that its tools show it to have: as they are listed, as far as the survey came, and in all
// that passed.
model::ExtensionSet shown_by_tools(model::Revision revision, std::span<const Json> tools);
model::ExtensionSet shown_by_survey(model::Revision revision, const Survey& survey);
model::ExtensionSet shown_by_server(model::Revision revision, std::span<const EventPtr> events);
// Those that a request of the client declares: `initialize`, or any where there is no handshake.
model::ExtensionSet declared_by_client(model::Revision revision, const Json& request_params);
// Those that the client declares in any of its requests, or uses where it need not declare them.
model::ExtensionSet declared_by_client(model::Revision revision, std::span<const EventPtr> events);
// Those of `asked_for` that extend the revision.
model::ExtensionSet asked_for_in(model::Revision revision,
                                 const std::vector<const model::Extension*>& asked_for);

// As a report tells of them.
std::vector<reports::JudgedExtension> reported_extensions(model::ExtensionSet judged,
                                                          model::ExtensionSet declared);

}  // namespace assay::harness
