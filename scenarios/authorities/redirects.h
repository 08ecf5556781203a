// Redirect URIs that a client does not have, and what it means to ask for a code with one.
//
// Specification: basic/authorization, "Open Redirection"; OAuth 2.1, section 4.1.1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/authority/authority_script.h"
#include "harness/catalogue/requirement_id.h"

namespace assay::scenarios {

// A name that does not resolve: what is sent there does not arrive.
inline constexpr const char* kAttackersCallback = "https://attacker.assay.invalid/callback";

// Whether a redirect sends a browser to that URI, or to the attacker.
bool leads_to(const std::string& location, const std::string& uri);

// What comes near a redirect URI, and is none that was registered. Another port alone would be the
// same one, on this machine.
std::vector<std::string> near_misses(const std::string& registered);

// `request` is wrong in where it leads: to `uri`. `why` says so: "is not registered".
void judge_wrong_redirect(harness::AuthorityScript& script, const harness::CodeRequest& request,
                          const std::string& uri, std::string_view why,
                          const std::vector<catalogue::RequirementId>& rules);

}  // namespace assay::scenarios
