// Requests that are made with tokens of different scopes, for scenarios about scopes.
//
// Specification: basic/authorization, "Error Handling", "Scope Challenge Handling".
#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/script/http_script.h"
#include "harness/script/script.h"

namespace assay::scenarios {

using Scopes = std::set<std::string>;

Scopes scopes_in(const std::string& text);
std::string joined(const Scopes& scopes);
// Of a refusal for want of scopes that says which; empty of everything else.
Scopes scopes_asked_for(const harness::HttpAnswer& answer);
// A good token of a user of our authorization server, with these scopes.
harness::UserToken token_with(const harness::Script& script, const Scopes& scopes,
                              const std::string& user = "alice");

struct ScopeTrial {
  std::string what;  // "a call of weather"
  // Makes the request so many times, one after another, with that token.
  std::function<std::vector<harness::HttpAnswer>(const harness::UserToken&, std::size_t times)> ask;

  harness::HttpAnswer once(const harness::UserToken& token) const { return ask(token, 1).front(); }
};

ScopeTrial opening_trial(harness::Script& script);
ScopeTrial call_trial(harness::Script& script, const harness::ToolUse& tool);

// Whether the request is served with all scopes that are known. A refusal may tell of further ones:
// then they are known, too.
bool is_served_with_all(harness::Script& script, const ScopeTrial& trial, Scopes& known,
                        harness::Clock::time_point deadline);

}  // namespace assay::scenarios
