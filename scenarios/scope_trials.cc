#include "scenarios/scope_trials.h"

#include <algorithm>

#include "harness/script/token_issuer.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {

using namespace harness;

namespace {

constexpr std::chrono::milliseconds kLongestTrialCall{3'000};
// Of refusals, one after another, each of which tells of further scopes.
constexpr int kMostSteps = 5;

}  // namespace

Scopes scopes_in(const std::string& text) {
  const std::vector<std::string> words = authorization::Server::words_in(text);
  return {words.begin(), words.end()};
}

std::string joined(const Scopes& scopes) {
  std::string text;
  for (const std::string& scope : scopes) text += (text.empty() ? "" : " ") + scope;
  return text;
}

Scopes scopes_asked_for(const HttpAnswer& answer) {
  const auto challenge = token_challenge(answer);
  if (answer.status != kForbidden || !challenge) return {};
  if (challenge->parameter("error") != "insufficient_scope") return {};
  return scopes_in(challenge->parameter("scope").value_or(""));
}

UserToken token_with(const Script& script, const Scopes& scopes, const std::string& user) {
  Json claims = script.issuer()->claims(user);
  claims["scope"] = joined(scopes);
  return {user, script.issuer()->sign(claims)};
}

ScopeTrial opening_trial(Script& script) {
  return {"a first request", [&script](const UserToken& token, std::size_t times) {
            Connection& connection = script.open_connection();
            std::vector<HttpAnswer> answers;
            while (answers.size() < times) {
              answers.push_back(post(connection, opening_request(connection), shown(token)));
            }
            return answers;
          }};
}

ScopeTrial call_trial(Script& script, const ToolUse& tool) {
  return {"a call of " + tool.name, [&script, tool](const UserToken& token, std::size_t times) {
            Connection& session = script.open_session(token);
            std::vector<HttpAnswer> answers;
            while (answers.size() < times) {
              answers.push_back(call_over_http(session, tool, kLongestTrialCall));
            }
            return answers;
          }};
}

bool is_served_with_all(Script& script, const ScopeTrial& trial, Scopes& known,
                        Clock::time_point deadline) {
  for (int step = 0; step < kMostSteps && Clock::now() < deadline; ++step) {
    const HttpAnswer answer = trial.once(token_with(script, known));
    if (is_let_in(answer)) return true;
    const Scopes named = scopes_asked_for(answer);
    if (std::includes(known.begin(), known.end(), named.begin(), named.end())) return false;
    known.insert(named.begin(), named.end());
  }
  return false;
}

}  // namespace assay::scenarios
