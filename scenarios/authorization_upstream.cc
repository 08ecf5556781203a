// Scenarios about a server that asks an API on behalf of its clients, where we play the API
// (--upstream): the token of a client stays with the server.
//
// The server may show its own credentials there, none, or a token that it got for itself. What it
// asks an authorization server, which may be shown a token, is no such request.
//
// Specification: basic/authorization, "Token Handling", "Access Token Privilege Restriction".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/http_script.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/token_issuer.h"
#include "harness/script/upstream.h"
#include "reference/wire/form.h"
#include "scenarios/token_door.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;
using model::Revision;
using Standing = UserToken::Standing;

constexpr RequirementId kPassedOn("authorization.no-token-passthrough");
constexpr RequirementId kForwarded("authorization.other-tokens-not-forwarded");
constexpr const char* kHint =
    "let a tool that may be called (--tools) ask an API whose URL is put for {upstream} in its "
    "command, or stands in MCP_CONFORMANCE_UPSTREAM_URL";
constexpr const char* kNobodysServer = "https://another-server.assay.invalid/mcp";

constexpr std::size_t kMostErrands = 64;
// For one answer, and for all of them: a tool that takes its time is let be.
constexpr std::chrono::milliseconds kLongestCall{3'000};
constexpr std::chrono::seconds kLongestCalls{10};

// A request of ours that may make the server ask the API.
struct Errand {
  std::string what;  // "a call of weather"
  std::string method;
  Json params;
};

// What needs no API: whatever the server asks it even then is about the token that we show.
std::vector<Errand> idle_errands(const Connection& session) {
  return {
      {"a request that every server answers", std::string(session.fence_method()), Json::object()},
      {"a list of tools", "tools/list", Json::object()},
      {"a call of no tool",
       "tools/call",
       {{"name", "assay-no-such-tool"}, {"arguments", Json::object()}}}};
}

// The tools that do nothing but answer come first, then the others, each once.
std::vector<Errand> errands_for(const Script& script) {
  std::vector<ToolUse> uses = plain_tools(script.survey(), script.tool_policy(), kMostErrands);
  for (const KnownTool& known : script.tool_policy().known.tools) {
    const bool is_there = std::any_of(uses.begin(), uses.end(),
                                      [&](const ToolUse& use) { return use.name == known.name; });
    if (!is_there && !known.uses.empty() && script.may_call(known.name)) {
      uses.push_back(known.uses.front());
    }
  }
  if (uses.size() > kMostErrands) uses.resize(kMostErrands);
  std::vector<Errand> errands;
  for (ToolUse& use : uses) {
    const bool is_task =
        member(member(*script.survey().tool(use.name), "execution"), "taskSupport") == "required";
    if (is_task) continue;
    errands.push_back({"a call of " + use.name,
                       "tools/call",
                       {{"name", use.name}, {"arguments", std::move(use.arguments)}}});
  }
  constexpr std::size_t kMostReads = 8;
  const std::vector<Json>& resources = script.survey().resources().items;
  for (std::size_t i = 0; i < std::min(kMostReads, resources.size()); ++i) {
    const std::string uri(text_member(resources[i], "uri"));
    if (!uri.empty()) errands.push_back({"a read of " + uri, "resources/read", {{"uri", uri}}});
  }
  return errands;
}

// What reached the API by an errand.
struct Seen {
  const Errand* errand;
  std::vector<EventPtr> asked;  // our request
  Upstream::Visit visit;

  // Who checks or exchanges tokens may be shown one.
  bool is_plain_showing() const { return !visit.is_about_tokens && !visit.is_in_body; }
};

// What the server asks the API though it was asked for nothing that needs it, told by method and
// path: that checks the token, whatever the path is called ("GET /user").
class Checks {
 public:
  // What carried a token that nobody shows but we.
  void learn(const std::vector<Upstream::Visit>& visits, const std::string& token) {
    for (const Upstream::Visit& visit : visits) {
      if (visit.token == token) known_.insert(request_of(visit));
    }
  }

  // What the same errand drew each time: others may ask the server for things, too, but hardly each
  // time just then.
  void learn_repeated(const std::vector<std::vector<Seen>>& rounds) {
    std::map<std::pair<const Errand*, std::string>, std::set<std::size_t>> drawn;
    for (std::size_t round = 0; round < rounds.size(); ++round) {
      for (const Seen& seen : rounds[round]) {
        drawn[{seen.errand, request_of(seen.visit)}].insert(round);
      }
    }
    for (const auto& [what, in_rounds] : drawn) {
      if (in_rounds.size() == rounds.size()) known_.insert(what.second);
    }
  }

  void mark(std::vector<Seen>& all) const {
    for (Seen& seen : all) {
      if (known_.contains(request_of(seen.visit))) seen.visit.is_about_tokens = true;
    }
  }

 private:
  static std::string request_of(const Upstream::Visit& visit) {
    const auto& head = *visit.event->observation.http();
    return fmt::format("{} {}", head.method, wire::path_in(head.target));
  }

  std::set<std::string> known_;
};

void take_visits(const Upstream& upstream, std::size_t from, const Errand& errand,
                 std::vector<EventPtr> asked, std::vector<Seen>& all) {
  if (asked.size() > 1) asked.resize(1);
  for (Upstream::Visit& visit : upstream.visits(from)) {
    all.push_back({&errand, asked, std::move(visit)});
  }
}

std::vector<Seen> run_errands(Connection& session, const Upstream& upstream,
                              std::span<const Errand> errands) {
  const auto deadline = Clock::now() + kLongestCalls;
  const auto patience = std::min(session.patience().request, kLongestCall);
  std::vector<Seen> all;
  for (const Errand& errand : errands) {
    if (Clock::now() >= deadline) break;
    const std::size_t before = upstream.count();
    const Reply reply = session.await(session.start(errand.method, errand.params), patience);
    take_visits(upstream, before, errand, reply.events(), all);
    if (reply.kind() == Reply::Kind::kGone) break;
  }
  return all;
}

constexpr std::size_t kIdleRounds = 3;

// A session that shows the token, of which is known what the server checks it by.
Connection& open_checked_session(Script& script, const Upstream& upstream, const UserToken& token,
                                 Checks& checks) {
  const std::size_t before = upstream.count();
  Connection& session = script.open_session(token);
  const std::vector<Errand> idle = idle_errands(session);
  std::vector<std::vector<Seen>> rounds;
  while (rounds.size() < kIdleRounds) rounds.push_back(run_errands(session, upstream, idle));
  checks.learn_repeated(rounds);
  if (script.issuer() != nullptr) checks.learn(upstream.visits(before), token.text);
  return session;
}

std::vector<EventPtr> proof_of(const Seen& seen) {
  std::vector<EventPtr> events = seen.asked;
  events.push_back(seen.visit.event);
  return events;
}

const Seen* showing_of(const std::string& token, const std::vector<Seen>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Seen& seen) {
    return seen.visit.token == token && seen.is_plain_showing();
  });
  return found == all.end() ? nullptr : &*found;
}

std::string detail_of(const Seen& seen, std::string_view whose) {
  return fmt::format("during {}, a request to the API that we play carried {} in {}",
                     seen.errand->what, whose, seen.visit.place);
}

// Where nobody has shown the token plainly.
void judge_the_rest(Script& script, RequirementId rule, const std::vector<Seen>& all,
                    const std::string& token, std::string_view whose) {
  const auto first = [&](const std::string& text) {
    return std::find_if(all.begin(), all.end(), [&](const Seen& seen) {
      return seen.visit.token == text && (!text.empty() || seen.is_plain_showing());
    });
  };
  if (const auto seen = first(token); seen != all.end()) {
    return script.unclear(
        rule,
        detail_of(*seen, whose) + (seen->visit.is_about_tokens
                                       ? "; it reads like one to an authorization server, which "
                                         "may be shown a token"
                                       : "; whoever checks or exchanges tokens may be sent one so"),
        proof_of(*seen));
  }
  if (const auto plain = first(""); plain != all.end()) {
    return script.check(rule, true, proof_of(*plain), "");
  }
  script.not_exercised(rule, "no request reached the API that we play", kHint);
}

// A token that no other scenario shows, where we can make one; else the one that was given.
UserToken own_token(const Script& script) {
  UserToken token = tokens_of(script, Standing::kGood).front();
  if (script.issuer() != nullptr) {
    token.text = script.issuer()->sign(script.issuer()->claims(token.user));
  }
  return token;
}

std::optional<UserToken> foreign_token(const Script& script) {
  if (script.issuer() != nullptr) {
    Json claims = script.issuer()->claims();
    claims["aud"] = kNobodysServer;
    return UserToken{std::string(kForeignName), script.issuer()->sign(claims), Standing::kForeign};
  }
  const std::vector<UserToken> given = tokens_of(script, Standing::kForeign);
  return given.empty() ? std::nullopt : std::optional(given.front());
}

// Another token that the server takes, if possible of another user.
std::optional<UserToken> second_token(const Script& script, const UserToken& first) {
  std::optional<UserToken> second;
  for (UserToken& token : tokens_of(script, Standing::kGood)) {
    if (token.text == first.text) continue;
    if (token.user != first.user) return std::move(token);
    if (!second) second = std::move(token);
  }
  return second;
}

// A token of ours reaches the API only from its client. One that was given may also be what the
// server itself asks the API with, whoever its client is: nobody is blamed for that unless another
// token arrives in its place when it is shown. Given tokens are shown by other scenarios too, so
// that is tried again while nothing else runs.
void judge_own(Script& script, Upstream& upstream, const std::vector<Seen>& all,
               const UserToken& token, Checks& checks) {
  constexpr std::string_view kWhose = "the access token of our request";
  const Seen* const seen = showing_of(token.text, all);
  if (seen == nullptr) return judge_the_rest(script, kPassedOn, all, token.text, kWhose);
  const std::string detail = detail_of(*seen, kWhose);
  std::vector<EventPtr> proof = proof_of(*seen);
  if (script.issuer() != nullptr) return script.check(kPassedOn, false, proof, detail);
  const std::optional<UserToken> second = second_token(script, token);
  if (!second) {
    return script.unclear(kPassedOn,
                          detail +
                              "; it may be the server's own key as well, which the token of a "
                              "second user would tell (--auth-token bob=TOKEN)",
                          proof);
  }
  upstream.look_for(second->text);
  Connection& session = open_checked_session(script, upstream, *second, checks);
  std::vector<Seen> more = run_errands(session, upstream, std::span(seen->errand, 1));
  checks.mark(more);
  const Seen* const in_turn = showing_of(second->text, more);
  if (in_turn == nullptr) {
    return script.unclear(kPassedOn,
                          detail +
                              "; it may be the server's own key as well: when we showed another "
                              "token, that one did not arrive",
                          proof);
  }
  const std::vector<EventPtr> further = proof_of(*in_turn);
  proof.insert(proof.end(), further.begin(), further.end());
  script.check(kPassedOn, false, proof, detail + ", and another token when we showed that", true);
}

// The requests that have made the server ask the API, with the token of somebody else's server: it
// has to go by our own session's, or refuse them.
std::vector<Seen> show_foreign_token(Connection& session, const Upstream& upstream,
                                     std::span<const Errand> errands, const UserToken& token) {
  const auto deadline = Clock::now() + kLongestCalls;
  std::vector<Seen> all;
  for (const Errand& errand : errands) {
    if (Clock::now() >= deadline) break;
    const std::size_t before = upstream.count();
    Json request = session.fence_request(session.next_id());
    request["method"] = errand.method;
    request["params"].update(errand.params);
    const HttpAnswer answer = post(session, request, shown(token));
    take_visits(upstream, before, errand, answer.events, all);
  }
  return all;
}

bool is_full(Script& script, const Upstream& upstream, std::initializer_list<RequirementId> rules) {
  if (!upstream.is_full()) return false;
  for (const RequirementId rule : rules) {
    script.unclear(rule, "more requests reached the API that we play than we keep");
  }
  return true;
}

// `before` is what reached the API while we showed our own token.
void judge_foreign(Script& script, Connection& session, const Upstream& upstream,
                   std::span<const Errand> errands, const std::vector<Seen>& before,
                   const UserToken& token, Checks& checks) {
  constexpr std::string_view kWhose =
      "an access token that was issued for another server, and that we showed";
  std::vector<Errand> fruitful;
  for (const Errand& errand : errands) {
    const bool is_fruitful = std::any_of(before.begin(), before.end(),
                                         [&](const Seen& seen) { return seen.errand == &errand; });
    if (is_fruitful) fruitful.push_back(errand);
  }
  const std::vector<Errand> idle = idle_errands(session);
  std::vector<std::vector<Seen>> rounds;
  while (rounds.size() < kIdleRounds) {
    rounds.push_back(show_foreign_token(session, upstream, idle, token));
  }
  checks.learn_repeated(rounds);
  std::vector<Seen> all = show_foreign_token(session, upstream, fruitful, token);
  checks.mark(all);
  if (is_full(script, upstream, {kForwarded})) return;
  const Seen* const seen = showing_of(token.text, all);
  if (seen == nullptr) {
    all.insert(all.end(), before.begin(), before.end());
    return judge_the_rest(script, kForwarded, all, token.text, kWhose);
  }
  const bool came_before = std::any_of(before.begin(), before.end(), [&](const Seen& each) {
    return each.visit.token == token.text;
  });
  const std::string detail = detail_of(*seen, kWhose);
  if (came_before) {
    return script.unclear(kForwarded,
                          detail +
                              "; it may be the server's own key as well: it arrived before we "
                              "showed it, too",
                          proof_of(*seen));
  }
  script.check(kForwarded, false, proof_of(*seen), detail, script.issuer() == nullptr);
}

// The server keeps the token of its client to itself, and passes on none that it should not take.
SCENARIO(authorization_tokens_stay_with_the_server, in_both_eras(), own_session(), lengthy(),
         over_http(), in_revisions(&Revision::has_resource_metadata),
         judges({"authorization.no-token-passthrough",
                 "authorization.other-tokens-not-forwarded"})) {
  Upstream* const upstream = script.upstream();
  if (upstream == nullptr || tokens_of(script, Standing::kGood).empty()) return;
  if (!is_shut(script, try_door(script), {kPassedOn, kForwarded})) return;
  const UserToken token = own_token(script);
  const std::optional<UserToken> foreign = foreign_token(script);
  upstream->look_for(token.text);
  if (foreign) upstream->look_for(foreign->text);
  Checks checks;
  Connection& session = open_checked_session(script, *upstream, token, checks);
  const std::vector<Errand> errands = errands_for(script);
  std::vector<Seen> all = run_errands(session, *upstream, errands);
  checks.mark(all);
  if (is_full(script, *upstream, {kPassedOn, kForwarded})) return;
  if (foreign) judge_foreign(script, session, *upstream, errands, all, *foreign, checks);
  judge_own(script, *upstream, all, token, checks);
}

}  // namespace
}  // namespace assay::scenarios
