// The scopes of the plays, and which of them a client asked for.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "reference/authorization/server.h"
#include "scenarios/clients/login_review.h"

namespace assay::scenarios {

using Words = std::set<std::string>;

inline constexpr const char* kBasic = "mcp:basic";
inline constexpr const char* kRead = "mcp:read";
inline constexpr const char* kWrite = "mcp:write";
inline constexpr const char* kAudit = "mcp:audit";
inline constexpr const char* kAdmin = "mcp:admin";
inline constexpr const char* kOfflineAccess = "offline_access";

// A client may always ask for a refresh token, and the scope of OpenID does not concern the
// resource.
inline Words scopes_asked(const LoginStep& step) {
  Words words;
  for (std::string& word : authorization::Server::words_in(step.value("scope"))) {
    if (word != kOfflineAccess && word != "openid") words.insert(std::move(word));
  }
  return words;
}

}  // namespace assay::scenarios
