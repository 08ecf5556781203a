// Scenarios about the scopes that a challenge names: whoever gets them is served.
//
// They take an authorization server of ours, which gives tokens of any scopes. A token of all
// scopes that the server names is served with the same request, before and afterwards, so that
// scopes are all that the other tokens lack.
//
// Specification: basic/authorization, "Runtime Insufficient Scope Errors" (2025-11-25 and later).
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/means.h"
#include "harness/script/token_issuer.h"
#include "reference/transport/random_id.h"
#include "scenarios/scope_trials.h"
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
// Of scopes that a challenge may have kept back.
constexpr std::size_t kMostHelpers = 8;
// For all of them: tools that take their time are let be.
constexpr std::chrono::seconds kLongestTrials{10};

Scopes parts_between_commas(const Scopes& scopes) {
  std::string text = joined(scopes);
  std::replace(text.begin(), text.end(), ',', ' ');
  return scopes_in(text);
}

class StepUp {
 public:
  // `known`: all scopes that were heard of; what the trial hears is added.
  StepUp(Script& script, const ScopeTrial& trial, Scopes& known,
         Clock::time_point deadline = Clock::time_point::max())
      : script_(script), trial_(trial), known_(known), deadline_(deadline) {}

  // False where a token of these scopes is not refused for want of others, or that was not seen in
  // time.
  bool judge(const Scopes& granted) {
    const UserToken narrow = token_with(script_, granted);
    const HttpAnswer refusal = trial_.once(narrow);
    const Scopes named = scopes_asked_for(refusal);
    known_.insert(named.begin(), named.end());
    if (named.empty() || !is_served()) return false;
    const std::vector<HttpAnswer> again = trial_.ask(narrow, kRepeats);
    Scopes both = granted;
    both.insert(named.begin(), named.end());
    const UserToken wider = token_with(script_, both);
    const HttpAnswer second = trial_.once(wider);
    const HttpAnswer third = is_let_in(second) ? second : trial_.once(wider);
    // Who asks again for what the token has, asks for what does not help.
    const Scopes next = scopes_asked_for(second);
    const bool asks_for_held = !is_let_in(second) && !next.empty() &&
                               std::includes(both.begin(), both.end(), next.begin(), next.end()) &&
                               scopes_asked_for(third) == next;
    const std::string unnamed = asks_for_held ? unnamed_help(both, named) : "";
    if (!is_served()) return false;
    judge_strategy(again);
    judge_named({refusal, second, third, both, unnamed});
    return true;
  }

 private:
  struct Steps {
    const HttpAnswer& first;
    const HttpAnswer& second;  // with the scopes that the first one named
    const HttpAnswer& third;   // the same in another session
    const Scopes& granted;     // of the second and the third
    const std::string& unnamed;
  };

  bool is_served() { return is_served_with_all(script_, trial_, known_, deadline_); }

  // A scope that was not named, and with which the request is served; empty if no single one is
  // known. One that reads like one that was named may be the same by another name.
  std::string unnamed_help(const Scopes& granted, const Scopes& named) const {
    // What stands between commas may be several scopes, which one asks for between blanks.
    const Scopes parts = parts_between_commas(named);
    Scopes with_parts = granted;
    with_parts.insert(parts.begin(), parts.end());
    if (parts != named && is_let_in(trial_.once(token_with(script_, with_parts)))) {
      return joined(parts);
    }
    std::size_t tried = 0;
    for (const std::string& scope : known_) {
      const bool is_named = std::any_of(named.begin(), named.end(), [&](const std::string& each) {
        return each.ends_with(scope) || scope.ends_with(each);
      });
      if (is_named || granted.contains(scope) || ++tried > kMostHelpers) continue;
      Scopes with = granted;
      with.insert(scope);
      if (is_let_in(trial_.once(token_with(script_, with)))) return scope;
    }
    return "";
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

  void judge_named(const Steps& steps) const {
    const bool is_served = is_let_in(steps.second);
    std::vector<EventPtr> events = steps.first.events;
    events.insert(events.end(), steps.second.events.begin(), steps.second.events.end());
    const Scopes next = scopes_asked_for(steps.second);
    const std::string detail = fmt::format(
        "the refusal of {} names the scopes \"{}\"; with a token that has them as well it was "
        "answered with {}{}{}",
        trial_.what, joined(scopes_asked_for(steps.first)), steps.second.describe(),
        next.empty() ? "" : fmt::format(" and scope=\"{}\"", joined(next)),
        steps.unnamed.empty() ? "" : fmt::format("; with {} besides it is served", steps.unnamed));
    // Only who then asks for further scopes, and each time for the same, or is content with one
    // that he did not name, had more to name. Otherwise something else is lacking, tokens name the
    // same scopes in another way than challenges do, or scopes are made on the fly.
    const Scopes& granted = steps.granted;
    const bool asks_for_more =
        !std::includes(granted.begin(), granted.end(), next.begin(), next.end()) &&
        scopes_asked_for(steps.third) == next;
    const bool is_clear = is_served || asks_for_more || !steps.unnamed.empty();
    for (const RequirementId rule : {kNeeded, kAtOnce}) {
      if (!catalogue::holds(rule, script_.revision())) continue;
      if (is_clear) {
        script_.check(rule, is_served, events, detail);
      } else {
        script_.unclear(rule, detail, events);
      }
    }
  }

  Script& script_;
  const ScopeTrial& trial_;
  Scopes& known_;
  const Clock::time_point deadline_;
};

// The scopes that a challenge names are all that the request lacks, and the same each time.
SCENARIO(authorization_challenges_name_what_is_needed, in_both_eras(), own_session(), lengthy(),
         over_http(), in_revisions(&Revision::has_resource_metadata),
         judges({"authorization.needed-scopes-included", "authorization.all-scopes-at-once",
                 "authorization.scope-strategy-consistent"})) {
  if (!script.revision().has_scope_challenges()) return;
  const TokenIssuer* const issuer = script.issuer();
  if (issuer == nullptr || !is_shut(script, try_door(script), {kNeeded, kStrategy})) return;
  Scopes known = scopes_in(issuer->scope());
  const ScopeTrial opening = opening_trial(script);
  bool was_refused = StepUp(script, opening, known).judge({"assay:unheard-of"});
  const Scopes least = scopes_in(issuer->least_scope());
  const auto deadline = Clock::now() + kLongestTrials;
  std::size_t refused = 0;
  // Without a session no tool can be called.
  const bool may_begin = is_let_in(opening.once(token_with(script, least)));
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostTriedTools)) {
    if (!may_begin || refused >= kMostTrials || Clock::now() >= deadline) break;
    const ScopeTrial trial = call_trial(script, tool);
    if (StepUp(script, trial, known, deadline).judge(least)) ++refused;
  }
  was_refused = was_refused || refused > 0;
  if (was_refused) return;
  for (const RequirementId rule : {kNeeded, kStrategy}) {
    script.not_exercised(rule, "no request was refused with 403 and error=\"insufficient_scope\"",
                         "name scopes in the metadata that some tool needs beyond those of the "
                         "challenge");
  }
}

// --- Scopes whose names are near ---

constexpr RequirementId kWantedScope("authorization.insufficient-permission-403");

// What a careless comparison takes for the scope. What might be a broader one is left out.
std::vector<std::string> near_names(const std::string& scope) {
  std::string upper = scope;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::vector<std::string> names = {scope + "r", "x" + scope, scope + ",assay:another"};
  if (upper != scope) names.push_back(upper);
  return names;
}

// A scope is needed where all others do not suffice; then what is written nearly like it does not
// suffice either.
void judge_near_names(Script& script, const ScopeTrial& opening, const ScopeTrial& trial,
                      const Scopes& known) {
  const bool is_opening = &trial == &opening;
  for (const std::string& scope : known) {
    Scopes others = known;
    others.erase(scope);
    others.insert("assay:unheard-of");
    // Without a session no tool can be called.
    if (!is_opening && !is_let_in(opening.once(token_with(script, others)))) continue;
    const HttpAnswer refusal = trial.once(token_with(script, others));
    if (refusal.status != kForbidden) continue;
    for (const std::string& name : near_names(scope)) {
      Scopes near = others;
      near.insert(name);
      const HttpAnswer answer = trial.once(token_with(script, near));
      if (says_nothing(answer)) continue;
      script.check(kWantedScope, !is_let_in(answer), answer.events,
                   fmt::format("{} needs the scope {}, and was answered with {} to a token that "
                               "has {} in its place",
                               trial.what, scope, answer.describe(), name));
    }
  }
}

// Scopes are words, and compared as such: what begins or ends like one, or is written in other
// letters, is another scope.
SCENARIO(authorization_near_scopes_do_not_suffice, in_both_eras(), own_session(), lengthy(),
         over_http(), in_revisions(&Revision::has_authorization),
         judges({"authorization.insufficient-permission-403"})) {
  const TokenIssuer* const issuer = script.issuer();
  if (issuer == nullptr || try_door(script).state != Door::State::kShut) return;
  const auto deadline = Clock::now() + kLongestTrials;
  Scopes known = scopes_in(issuer->scope());
  const ScopeTrial opening = opening_trial(script);
  if (!is_served_with_all(script, opening, known, deadline)) return;
  judge_near_names(script, opening, opening, known);
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostTrials)) {
    const ScopeTrial trial = call_trial(script, tool);
    if (!is_served_with_all(script, trial, known, deadline)) continue;
    judge_near_names(script, opening, trial, known);
  }
}

// --- Scopes that the profile says a tool needs ---

// Whether a token with the scope does what `scope` allows, for all that the profile says.
bool includes(const Profile& profile, const std::string& held, const std::string& scope) {
  if (held == scope) return true;
  return std::any_of(profile.scopes.begin(), profile.scopes.end(), [&](const BroadScope& broad) {
    const auto& narrower = broad.includes;
    return broad.name == held &&
           std::find(narrower.begin(), narrower.end(), scope) != narrower.end();
  });
}

// What the user says that a tool needs is asked for, one scope as well as the other: a server that
// forgets it shows no challenge by which that would be seen.
SCENARIO(authorization_tools_want_their_scopes, in_both_eras(), own_session(), lengthy(),
         over_http(), in_revisions(&Revision::has_authorization),
         judges({"authorization.insufficient-permission-403"})) {
  const TokenIssuer* const issuer = script.issuer();
  if (issuer == nullptr || try_door(script).state != Door::State::kShut) return;
  const auto deadline = Clock::now() + kLongestTrials;
  const ScopeTrial opening = opening_trial(script);
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostTriedTools)) {
    if (tool.scopes.empty()) continue;
    const ScopeTrial trial = call_trial(script, tool);
    Scopes known = scopes_in(issuer->scope());
    known.insert(tool.scopes.begin(), tool.scopes.end());
    if (!is_served_with_all(script, trial, known, deadline)) continue;
    for (const std::string& needed : tool.scopes) {
      Scopes others = known;
      std::erase_if(others, [&](const std::string& held) {
        return includes(script.profile(), held, needed);
      });
      others.insert("assay:unheard-of");
      if (!is_let_in(opening.once(token_with(script, others)))) continue;
      const HttpAnswer answer = trial.once(token_with(script, others));
      if (says_nothing(answer)) continue;
      script.check(kWantedScope, !is_let_in(answer), answer.events,
                   fmt::format("the profile says that {} needs the scope {}, and it was answered "
                               "with {} to a token that lacks it",
                               trial.what, needed, answer.describe()));
    }
  }
}

// --- Scopes of another token of the same user ---

// False where the request is not refused for want of a scope, or not served with all.
bool judge_other_token(Script& script, const ScopeTrial& trial, const Scopes& few,
                       const Scopes& all) {
  // The server has not seen this user before.
  const std::string user = "assay-" + transport::random_id();
  if (trial.once(token_with(script, few, user)).status != kForbidden) return false;
  if (!is_let_in(trial.once(token_with(script, all, user)))) return false;
  const HttpAnswer again = trial.once(token_with(script, few, user));
  if (says_nothing(again)) return false;
  script.check(kWantedScope, !is_let_in(again), again.events,
               fmt::format("{} was refused to a token that lacks a scope, and answered with {} to "
                           "another one like it, once the same user had shown a token that has "
                           "the scope",
                           trial.what, again.describe()));
  return true;
}

// What one token allows, another one of the same user does not: scopes do not add up.
SCENARIO(authorization_scopes_are_of_each_token, in_both_eras(), own_session(), lengthy(),
         over_http(), in_revisions(&Revision::has_authorization),
         judges({"authorization.insufficient-permission-403"})) {
  const TokenIssuer* const issuer = script.issuer();
  if (issuer == nullptr || try_door(script).state != Door::State::kShut) return;
  const Scopes all = scopes_in(issuer->scope());
  if (judge_other_token(script, opening_trial(script), {"assay:unheard-of"}, all)) return;
  const Scopes least = scopes_in(issuer->least_scope());
  const auto deadline = Clock::now() + kLongestTrials;
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostTriedTools)) {
    if (Clock::now() >= deadline) return;
    if (judge_other_token(script, call_trial(script, tool), least, all)) return;
  }
}

// --- Scopes that include others ---

// A token with the broader scope in place of a narrower one does what the narrower one allows.
// Which scope includes which, only the profile says.
SCENARIO(authorization_broad_scopes_include_narrow_ones, stateless(), own_session(), lengthy(),
         over_http(), judges({"authorization.scope-hierarchy"})) {
  constexpr RequirementId kHierarchy("authorization.scope-hierarchy");
  if (script.issuer() == nullptr) return;
  if (try_door(script).state != Door::State::kShut) return;
  const auto deadline = Clock::now() + kLongestTrials;
  const ScopeTrial opening = opening_trial(script);
  bool was_tried = false;
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostTriedTools)) {
    const ScopeTrial trial = call_trial(script, tool);
    Scopes known = scopes_in(script.issuer()->scope());
    // What the call needs besides is known first: then the narrower scopes are all that is lacking.
    if (!is_served_with_all(script, trial, known, deadline)) continue;
    for (const BroadScope& broad : script.profile().scopes) {
      Scopes others = known;
      for (const std::string& narrow : broad.includes) others.erase(narrow);
      if (others == known || !is_let_in(opening.once(token_with(script, others)))) continue;
      if (trial.once(token_with(script, others)).status != kForbidden) continue;
      others.insert(broad.name);
      const HttpAnswer answer = trial.once(token_with(script, others));
      if (says_nothing(answer)) continue;
      was_tried = true;
      script.check(
          kHierarchy, answer.status != kForbidden, answer.events,
          fmt::format("{} was answered with {} to a token of the scope {}, which includes "
                      "{} as the profile says",
                      trial.what, answer.describe(), broad.name, fmt::join(broad.includes, ", ")));
    }
  }
  if (was_tried) return;
  script.not_exercised(kHierarchy, "it is not known which scope includes which",
                       "say so in a --profile file (scopes: {files: ['files:read']})");
}

}  // namespace
}  // namespace assay::scenarios
