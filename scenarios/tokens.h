// Tokens: how they are shown, how their refusal reads, and whose there are, for the scenarios about
// servers that ask for them.
//
// Specification: basic/authorization (2025-03-26 and later).
#pragma once

#include <chrono>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/script.h"
#include "reference/wire/challenge.h"

namespace assay::scenarios {

inline constexpr int kUnauthorized = 401;
inline constexpr int kForbidden = 403;
inline constexpr catalogue::RequirementId kInvalidToken401("authorization.invalid-token-401");

// The header fields of a request that shows no token, or this one in place of ours.
transport::Headers no_token();
transport::Headers shown(const harness::UserToken& token);

// The rules that a server breaks if it takes a token that is forged or has expired.
std::vector<catalogue::RequirementId> rules_about_wrong_tokens(model::Revision revision);

// What a request that was refused has shown.
enum class Credential {
  kNone,
  kOdd,      // what the server may not know for a token: one of its own may have another form
  kWrong,    // a token that is wrong, and formed like its own
  kForeign,  // a good one of somebody else
};
// Judges what a 401 says in WWW-Authenticate. Who does has the trait.
harness::Trait judges_challenges();
void judge_challenge(harness::Script& script, const harness::HttpAnswer& answer,
                     std::string_view what, Credential shown);
// Of this, whether it says where the resource metadata are, in the revision that asks for it.
void judge_metadata_named(harness::Script& script, const harness::HttpAnswer& answer,
                          std::string_view what);
// That a challenge, of a 401 or a 403, asks for no offline_access, in the revisions that say so.
void judge_offline_access(harness::Script& script, const harness::HttpAnswer& answer,
                          std::string_view what);

// The first challenge with that scheme.
std::optional<wire::Challenge> challenge_of(const harness::HttpAnswer& answer,
                                            std::string_view scheme);
// The first with the scheme Bearer; of a server that takes only tokens which are bound to keys, the
// first with the scheme DPoP: it has the same parameters (RFC 9449, section 7.1).
std::optional<wire::Challenge> token_challenge(const harness::HttpAnswer& answer);

// The request got a result or a stream, whatever the status says. A method that is not found was
// looked for, too; any other error may be a refusal, and so may a result that says isError.
bool is_let_in(const harness::HttpAnswer& answer);

// Patience is asked for, whoever stands before the server did not reach it, or nothing was said:
// that is about no token.
bool says_nothing(const harness::HttpAnswer& answer);

// The first request of a client, from one that has shown nothing yet.
harness::HttpAnswer knock(harness::Script& script, const transport::Headers& headers);

// A call of the tool; and the call with the token of the session.
Json call_request(harness::Connection& session, const harness::ToolUse& tool);
harness::HttpAnswer call_over_http(harness::Connection& session, const harness::ToolUse& tool,
                                   std::chrono::milliseconds at_most = harness::kAsLongAsAny);

// The tokens that were given as such.
std::vector<harness::UserToken> tokens_of(const harness::Script& script,
                                          harness::UserToken::Standing standing);

// A token of another user than the one whose token goes with every request, where the server asks
// for tokens. Without one it is told of each of the rules why nothing is judged.
std::optional<harness::UserToken> other_users_token(
    harness::Script& script, std::initializer_list<catalogue::RequirementId> rules);

// Judges the refusal of `what`, which our own token was served with, to a token that lacks a scope;
// false if it was no refusal for want of permission. `is_ours`: the token is of the same user and
// good otherwise, so that it lacks no more than a scope.
bool judge_scope_refusal(harness::Script& script, const harness::HttpAnswer& answer,
                         std::string_view what, bool is_ours);

}  // namespace assay::scenarios
