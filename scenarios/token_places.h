// Where a server has to look at the token: the places of one table, whose rows are kinds of tokens.
//
// Specification: basic/authorization, "Token Requirements" (authorization is part of every HTTP
// request) and "Token Handling".
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/script/http_script.h"
#include "harness/script/script.h"

namespace assay::scenarios {

struct TokenPlace {
  std::string name;  // "page 2 of tools/list"
  // Makes the request in a session of ours; these header fields take the place of our token.
  std::function<harness::HttpAnswer(const transport::Headers&)> ask;
};

// What a router or a proxy may take for the endpoint, though a guard that compares targets does
// not.
std::vector<std::string> other_ways_to(const transport::HttpUrl& url);
// POSTs a message there, with further headers.
harness::HttpAnswer post_at(harness::Connection& session, const std::string& target,
                            const Json& message, const transport::Headers& headers);

// A method of each kind that the server declares, the further pages of its lists, what is no
// request, tasks, GET, and other ways to write the endpoint's path. `session` outlives them.
std::vector<TokenPlace> token_places(harness::Script& script, harness::Connection& session);
// Of these a method of each kind alone, which costs no time to speak of.
std::vector<TokenPlace> request_places(harness::Script& script, harness::Connection& session);

// Whether a request was let in that shows a token which is not good: it got a result, or just what
// `control` got, which is the answer to the same request with a good one.
bool is_let_in_like(const harness::HttpAnswer& answer, const harness::HttpAnswer& control);

}  // namespace assay::scenarios
