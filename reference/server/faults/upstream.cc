// Faults of a server that asks an API on behalf of its clients. Specification: basic/authorization,
// "Token Handling", "Access Token Privilege Restriction".
#include "reference/server/faults/fault.h"

namespace assay::server {

std::vector<Fault> upstream_faults() {
  return {
      {.id = "token-passed-on",
       .description = "Shows the token of its client to an API elsewhere",
       .breaks = {"authorization.no-token-passthrough"},
       .concerns = &model::Revision::has_resource_metadata,
       .inside = Switch::kPassesTokenOn,
       .needs_upstream = true},
      {.id = "token-passed-on-in-url",
       .description = "Puts the token of its client into the URL of a request to an API elsewhere",
       .breaks = {"authorization.no-token-passthrough"},
       .concerns = &model::Revision::has_resource_metadata,
       .inside = Switch::kPassesTokenInUrl,
       .needs_upstream = true},
      {.id = "token-passed-on-as-password",
       .description = "Shows the token of its client as a password to an API elsewhere",
       .breaks = {"authorization.no-token-passthrough"},
       .concerns = &model::Revision::has_resource_metadata,
       .inside = Switch::kPassesTokenAsPassword,
       .needs_upstream = true},
      {.id = "foreign-token-passed-on",
       .description =
           "Takes tokens that were issued for others, and shows them to an API elsewhere",
       .breaks = {"authorization.other-tokens-not-forwarded", "authorization.no-token-passthrough",
                  "authorization.audience-validated", "authorization.intended-tokens-only",
                  "authorization.wrong-audience-rejected", "authorization.own-tokens-only",
                  "authorization.other-tokens-not-accepted",
                  "authorization.validated-before-processing", "authorization.invalid-token-401"},
       .concerns = &model::Revision::has_resource_metadata,
       .inside = Switch::kPassesTokenOn,
       .overlooks = transport::TokenDuty::kChecksAudience,
       .needs_upstream = true},
  };
}

}  // namespace assay::server
