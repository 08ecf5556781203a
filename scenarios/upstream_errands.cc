#include "scenarios/upstream_errands.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "reference/wire/form.h"

namespace assay::scenarios {

using namespace harness;

namespace {

constexpr std::size_t kMostErrands = 64;

// "GET /user"
std::string request_of(const Seen& seen) {
  const auto& head = *seen.visit.event->observation.http();
  return fmt::format("{} {}", head.method, wire::path_in(head.target));
}

}  // namespace

std::vector<Errand> idle_errands(const Connection& session) {
  return {
      {"a request that every server answers", std::string(session.fence_method()), Json::object()},
      {"a list of tools", "tools/list", Json::object()},
      {"a call of no tool",
       "tools/call",
       {{"name", "assay-no-such-tool"}, {"arguments", Json::object()}}}};
}

std::vector<Errand> errands_for(const Script& script) {
  std::vector<ToolUse> uses = plain_tools(script.survey(), script.tool_policy(), kMostErrands);
  for (const KnownTool& known : script.tool_policy().known.tools) {
    const bool is_there = std::any_of(uses.begin(), uses.end(),
                                      [&](const ToolUse& use) { return use.name == known.name; });
    if (!is_there && !known.uses.empty() && script.may_call(known.name)) {
      uses.push_back(known.uses.front());
    }
  }
  // Who has little time comes to those first that say they ask others.
  std::stable_partition(uses.begin(), uses.end(), [&](const ToolUse& use) {
    return member(member(*script.survey().tool(use.name), "annotations"), "openWorldHint") == true;
  });
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

std::size_t take_visits(const Upstream& upstream, std::size_t from, const Errand& errand,
                        std::vector<EventPtr> asked, std::vector<Seen>& all) {
  if (asked.size() > 1) asked.resize(1);
  std::vector<Upstream::Visit> visits = upstream.visits(from);
  for (Upstream::Visit& visit : visits) all.push_back({&errand, asked, std::move(visit)});
  return visits.size();
}

std::vector<Seen> run_errands(Connection& session, const Upstream& upstream,
                              std::span<const Errand> errands, std::chrono::milliseconds quiet) {
  const auto deadline = Clock::now() + kLongestCalls;
  const auto patience = std::min(session.patience().request, kLongestCall);
  std::vector<Seen> all;
  std::size_t taken = upstream.count();
  for (const Errand& errand : errands) {
    if (Clock::now() >= deadline) break;
    const Reply reply = session.await(session.start(errand.method, errand.params), patience);
    taken += take_visits(upstream, taken, errand, reply.events(), all);
    if (reply.kind() == Reply::Kind::kGone) break;
  }
  if (errands.empty() || !upstream.await_more(taken, quiet)) return all;
  take_visits(upstream, taken, errands.back(), {}, all);
  return all;
}

std::vector<Errand> fruitful_among(std::span<const Errand> errands, const std::vector<Seen>& all) {
  std::vector<Errand> fruitful;
  for (const Errand& errand : errands) {
    const bool is_fruitful = std::any_of(all.begin(), all.end(),
                                         [&](const Seen& seen) { return seen.errand == &errand; });
    if (is_fruitful) fruitful.push_back(errand);
  }
  return fruitful;
}

void mark_repeated(std::vector<Seen>& all, const std::vector<Seen>& again) {
  for (Seen& seen : all) {
    seen.is_repeated = std::any_of(again.begin(), again.end(), [&](const Seen& other) {
      return other.errand->what == seen.errand->what && request_of(other) == request_of(seen) &&
             other.visit.token == seen.visit.token;
    });
  }
}

void Checks::learn(const std::vector<Seen>& all, const std::string& token) {
  for (const Seen& seen : all) {
    if (seen.visit.token == token) known_.insert(request_of(seen));
  }
}

void Checks::learn_repeated(const std::vector<std::vector<Seen>>& rounds) {
  std::map<std::pair<const Errand*, std::string>, std::set<std::size_t>> drawn;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    for (const Seen& seen : rounds[round]) {
      drawn[{seen.errand, request_of(seen)}].insert(round);
    }
  }
  for (const auto& [what, in_rounds] : drawn) {
    if (in_rounds.size() == rounds.size()) known_.insert(what.second);
  }
}

void Checks::mark(std::vector<Seen>& all) const {
  for (Seen& seen : all) {
    if (known_.contains(request_of(seen))) seen.visit.is_about_tokens = true;
  }
}

std::vector<Seen> plain_showings(const std::vector<Seen>& all, const std::string& token) {
  std::vector<Seen> shown;
  std::copy_if(all.begin(), all.end(), std::back_inserter(shown), [&](const Seen& seen) {
    return seen.visit.token == token && seen.is_plain_showing();
  });
  return shown;
}

CheckedSession open_checked_session(Script& script, const Upstream& upstream,
                                    const UserToken& token, Checks& checks) {
  const std::size_t before = upstream.count();
  CheckedSession checked{script.open_session(token), {}};
  checked.idle = idle_errands(checked.session);
  const std::size_t count = checked.idle.size();
  checked.idle.push_back({"the opening of a session", "", Json::object()});
  std::vector<std::vector<Seen>> rounds;
  std::vector<Seen> all;
  while (rounds.size() < kIdleRounds) {
    rounds.push_back(run_errands(checked.session, upstream, std::span(checked.idle).first(count)));
    all.insert(all.end(), rounds.back().begin(), rounds.back().end());
  }
  checks.learn_repeated(rounds);
  // What came before them, and what came between them, too.
  take_visits(upstream, before, checked.idle.back(), {}, all);
  if (script.issuer() != nullptr) checks.learn(all, token.text);
  checked.shown = plain_showings(all, token.text);
  return checked;
}

}  // namespace assay::scenarios
