// Scenarios about the scopes that a challenge names: whoever gets them is served.
//
// They take an authorization server of ours, which gives tokens of any scopes. A token of all
// scopes that the server names is served with the same request, before and afterwards, so that
// scopes are all that the other tokens lack.
//
// Specification: basic/authorization, "Runtime Insufficient Scope Errors" (2025-11-25 and later).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/means.h"
#include "harness/script/token_issuer.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;

constexpr RequirementId kNeeded("authorization.needed-scopes-included");
constexpr RequirementId kAtOnce("authorization.all-scopes-at-once");
constexpr RequirementId kStrategy("authorization.scope-strategy-consistent");
// Of tools that are refused; each takes about ten requests.
constexpr std::size_t kMostTrials = 3;
constexpr std::size_t kMostTriedTools = 16;
// Of one refusal, in one session.
constexpr std::size_t kRepeats = 4;
// For all of them: tools that take their time are let be.
constexpr std::chrono::seconds kLongestTrials{10};
constexpr std::chrono::milliseconds kLongestTrialCall{3'000};

using Scopes = std::set<std::string>;

Scopes scopes_in(const std::string& text) {
  const std::vector<std::string> words = authorization::Server::words_in(text);
  return {words.begin(), words.end()};
}

std::string joined(const Scopes& scopes) {
  std::string text;
  for (const std::string& scope : scopes) text += (text.empty() ? "" : " ") + scope;
  return text;
}

// Of a refusal for want of scopes that says which; empty of everything else.
Scopes scopes_asked_for(const HttpAnswer& answer) {
  const auto challenge = bearer_challenge(answer);
  if (answer.status != kForbidden || !challenge) return {};
  if (challenge->parameter("error") != "insufficient_scope") return {};
  return scopes_in(challenge->parameter("scope").value_or(""));
}

// A request that is made with tokens of different scopes.
struct ScopeTrial {
  std::string what;  // "a call of weather"
  // Makes it so many times, one after another, with that token.
  std::function<std::vector<HttpAnswer>(const UserToken&, std::size_t times)> ask;
};

class StepUp {
 public:
  StepUp(Script& script, const ScopeTrial& trial, Clock::time_point deadline = kNoDeadline)
      : script_(script), trial_(trial), deadline_(deadline) {}

  // False where a token of these scopes is not refused for want of others, or that was not seen in
  // time.
  bool judge(const Scopes& granted) {
    const UserToken narrow = token_of(granted);
    const HttpAnswer refusal = trial_.ask(narrow, 1).front();
    const Scopes named = scopes_asked_for(refusal);
    if (named.empty() || !is_served_with_all()) return false;
    const std::vector<HttpAnswer> again = trial_.ask(narrow, kRepeats);
    Scopes both = granted;
    both.insert(named.begin(), named.end());
    const HttpAnswer second = trial_.ask(token_of(both), 1).front();
    const HttpAnswer third = is_let_in(second) ? second : trial_.ask(token_of(both), 1).front();
    if (!is_served_with_all()) return false;
    judge_strategy(again);
    judge_named(refusal, second, third, both);
    return true;
  }

 private:
  UserToken token_of(const Scopes& scopes) const {
    Json claims = script_.issuer()->claims();
    claims["scope"] = joined(scopes);
    return {"alice", script_.issuer()->sign(claims)};
  }

  bool is_served_with_all() const {
    return Clock::now() < deadline_ &&
           is_let_in(trial_.ask(token_of(scopes_in(script_.issuer()->scope())), 1).front());
  }

  // One after another of one session. Scopes may be made for one request, or for the moment, so
  // that sets which differ break nothing; a set that comes again after another one is of no such
  // kind.
  void judge_strategy(const std::vector<HttpAnswer>& refusals) const {
    std::vector<Scopes> sets;
    std::vector<EventPtr> events;
    for (const HttpAnswer& refusal : refusals) {
      events.insert(events.end(), refusal.events.begin(), refusal.events.end());
      sets.push_back(scopes_asked_for(refusal));
      if (!sets.back().empty()) continue;
      return script_.unclear(
          kStrategy,
          fmt::format(
              "{} was refused because scopes were missing, and the same again was answered with {}",
              trial_.what, refusal.describe()),
          std::move(events));
    }
    const auto other = std::find_if(sets.begin(), sets.end(),
                                    [&](const Scopes& set) { return set != sets.front(); });
    if (other == sets.end()) return script_.check(kStrategy, true, std::move(events), "");
    const bool goes_back = has_come_again(sets);
    const std::string detail = fmt::format(
        "{} was refused with scope=\"{}\", and the same again, with the same token, with "
        "scope=\"{}\"{}",
        trial_.what, joined(sets.front()), joined(*other),
        goes_back ? ", and then with one of them again" : "; such scopes may be made on the fly");
    if (goes_back) return script_.check(kStrategy, false, std::move(events), detail);
    script_.unclear(kStrategy, detail, std::move(events));
  }

  static bool has_come_again(std::vector<Scopes> sets) {
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    return std::set<Scopes>(sets.begin(), sets.end()).size() < sets.size();
  }

  // `granted`: what the token of the second request has, and of the third, of another session.
  void judge_named(const HttpAnswer& first, const HttpAnswer& second, const HttpAnswer& third,
                   const Scopes& granted) const {
    const bool is_served = is_let_in(second);
    std::vector<EventPtr> events = first.events;
    events.insert(events.end(), second.events.begin(), second.events.end());
    const Scopes next = scopes_asked_for(second);
    const std::string detail = fmt::format(
        "the refusal of {} names the scopes \"{}\"; with a token that has them as well it was "
        "answered with {}{}",
        trial_.what, joined(scopes_asked_for(first)), second.describe(),
        next.empty() ? "" : fmt::format(" and scope=\"{}\"", joined(next)));
    // Only who then asks for further scopes, and each time for the same, had more to name.
    // Otherwise something else is lacking, tokens name the same scopes in another way than
    // challenges do, or scopes are made on the fly.
    const bool asks_for_more =
        !std::includes(granted.begin(), granted.end(), next.begin(), next.end()) &&
        scopes_asked_for(third) == next;
    const bool is_clear = is_served || asks_for_more;
    for (const RequirementId rule : {kNeeded, kAtOnce}) {
      if (rule == kAtOnce && script_.revision().has_handshake()) continue;
      if (is_clear) {
        script_.check(rule, is_served, events, detail);
      } else {
        script_.unclear(rule, detail, events);
      }
    }
  }

  static constexpr Clock::time_point kNoDeadline = Clock::time_point::max();

  Script& script_;
  const ScopeTrial& trial_;
  const Clock::time_point deadline_;
};

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

// The scopes that a challenge names are all that the request lacks, and the same each time.
SCENARIO(authorization_challenges_name_what_is_needed, in_both_eras(), own_session(), lengthy(),
         over_http(), in_revisions(&Revision::has_resource_metadata),
         judges({"authorization.needed-scopes-included", "authorization.all-scopes-at-once",
                 "authorization.scope-strategy-consistent"})) {
  if (script.revision() < Revision::v2025_11_25) return;
  const TokenIssuer* const issuer = script.issuer();
  if (issuer == nullptr || issuer->scope().empty()) return;
  if (!is_shut(script, try_door(script), {kNeeded, kStrategy})) return;
  const ScopeTrial opening = opening_trial(script);
  bool was_refused = StepUp(script, opening).judge({"assay:unheard-of"});
  const Scopes least = scopes_in(issuer->least_scope());
  if (!least.empty() && least != scopes_in(issuer->scope())) {
    const auto deadline = Clock::now() + kLongestTrials;
    std::size_t refused = 0;
    for (const ToolUse& tool :
         plain_tools(script.survey(), script.tool_policy(), kMostTriedTools)) {
      if (refused >= kMostTrials || Clock::now() >= deadline) break;
      if (StepUp(script, call_trial(script, tool), deadline).judge(least)) ++refused;
    }
    was_refused = was_refused || refused > 0;
  }
  if (was_refused) return;
  for (const RequirementId rule : {kNeeded, kStrategy}) {
    script.not_exercised(rule, "no request was refused with 403 and error=\"insufficient_scope\"",
                         "name scopes in the metadata that some tool needs beyond those of the "
                         "challenge");
  }
}

}  // namespace
}  // namespace assay::scenarios
