// The tokens that `mcp-assay server` is given for its target.
//
//   alice=eyJhbGciOi...      whose token it is
//   alice=eyJhbGciOi...      the same user's, with other scopes
//   bob=eyJhbGciOi...
//   foreign=eyJhbGciOi...    issued for another server: to be refused
//   expired=eyJhbGciOi...    to be refused, too
//   eyJhbGciOi...            of a user called "default"
//
// No message shows a token: what is wrong is told by its place.
#pragma once

#include <string>
#include <vector>

#include "harness/script/user_token.h"

namespace assay::cli {

// `texts` come first, then the lines of the file (empty: none; blank lines and those that begin
// with '#' say nothing). Throws UsageError; warns on standard error of a file that others can read.
std::vector<harness::UserToken> read_auth_tokens(const std::vector<std::string>& texts,
                                                 const std::string& file);

// One token, as `what` ("--auth-token") has it. Throws UsageError.
harness::UserToken parse_auth_token(const std::string& text, const std::string& what);

// Throws UsageError where no token is good, or two are equal.
void check_auth_tokens(const std::vector<harness::UserToken>& tokens, const std::string& what);

}  // namespace assay::cli
