// Scenarios about lists that are the same for whoever asks, whatever was asked before.
//
// Specification of 2026-07-28: server/tools, server/resources and server/prompts, "Capabilities".
#include <fmt/format.h>

#include <algorithm>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/usable.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

Json names_of(const Listing& listing) {
  Json names = Json::array();
  for (const Json& item : listing.items) {
    names.push_back(item.is_object() ? item.value("uri", item.value("name", Json())) : Json());
  }
  return names;
}

struct ListRules {
  const char* method;
  RequirementId same;
  RequirementId free;
  RequirementId answered;
};

// One of each kind of request that may have a side effect.
void use_what_is_offered(Script& script) {
  for (const Listing& listing : script.survey().listings()) {
    if (listing.is_declared) script.request(listing.method);
  }
  if (auto params = completion_of_prompt(script)) {
    script.request("completion/complete", std::move(*params));
  }
  constexpr std::size_t kMostCalls = 2;
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostCalls)) {
    script.call(tool);
  }
  for (const Json& prompt : script.survey().prompts().items) {
    if (!is_named(prompt)) continue;
    script.request("prompts/get", {{"name", prompt["name"]},
                                   {"arguments", prompt_arguments(script.profile(), prompt)}});
    break;
  }
  for (const Json& resource : script.survey().resources().items) {
    if (!is_readable(resource)) continue;
    script.request("resources/read", {{"uri", resource["uri"]}});
    break;
  }
}

// What the list holds by now, in no order; null where it cannot be read whole.
Json items_now(Connection& connection, const ListRules& rules) {
  const Listing listing = Survey::read(connection, rules.method);
  if (!listing.is_complete) return nullptr;
  Json names = names_of(listing);
  std::sort(names.begin(), names.end());
  return names;
}

// A list may change over time, for everybody: two connections are told apart where each is told the
// same twice in turn, and where that shows again when nobody else asks. True unless they are.
bool judge_connection(Script& script, const ListRules& rules, Connection& other) {
  constexpr int kMostTries = 5;
  Connection& one = script.session();
  for (int i = 0; i < kMostTries; ++i) {
    const std::size_t from = other.mark();
    const Json first = items_now(one, rules);
    const Json second = items_now(other, rules);
    const bool is_stable = items_now(one, rules) == first && items_now(other, rules) == second;
    if (!is_stable || first.is_null() || second.is_null()) continue;
    script.check(rules.same, first == second, other.transcript().events(from),
                 fmt::format("{} lists other items on another connection", rules.method),
                 Crossed{});
    return first == second;
  }
  return true;
}

// Who tells one of two connections something else is not found by each second one. Over stdio
// another connection is another process, and dear.
void judge_connections(Script& script, const ListRules& rules) {
  const int others = script.transport().has_process() ? 1 : 4;
  for (int i = 0; i < others; ++i) {
    if (!judge_connection(script, rules, script.open_session())) return;
  }
}

// What the list holds, where it is told the same twice in turn; null where it changes by itself, or
// cannot be read whole.
Json items_at_rest(Connection& connection, const ListRules& rules) {
  const Json items = items_now(connection, rules);
  return items_now(connection, rules) == items ? items : Json();
}

// What other requests on the connection do not change is compared before and after them.
void judge_side_effects(Script& script, const ListRules& rules) {
  Connection& session = script.session();
  const std::size_t from = session.mark();
  const Json before = items_at_rest(session, rules);
  use_what_is_offered(script);
  const Json after = items_at_rest(session, rules);
  if (before.is_null() || after.is_null()) {
    return script.unclear(rules.free,
                          fmt::format("{} lists other items each time, or is not read whole, "
                                      "whatever else is asked",
                                      rules.method),
                          session.transcript().events(from));
  }
  script.check(rules.free, before == after, session.transcript().events(from),
               fmt::format("{} lists other items once other requests were made on the connection",
                           rules.method),
               Crossed{});
}

// What a list holds depends neither on the connection nor on what was asked on it before.
void judge_list(Script& script, const ListRules& rules) {
  const auto& listings = script.survey().listings();
  const auto found = std::find_if(listings.begin(), listings.end(), [&](const Listing& listing) {
    return listing.method == rules.method;
  });
  if (found == listings.end() || !found->is_declared) {
    for (const RequirementId rule : {rules.same, rules.free, rules.answered}) {
      script.not_applicable(rule, fmt::format("the server does not offer {}", rules.method));
    }
    return;
  }
  if (!found->last_reply) {
    return script.unclear(rules.answered, fmt::format("{} could not be asked for", rules.method));
  }
  const Reply& last = *found->last_reply;
  script.check(rules.answered, last.is_result(), last,
               fmt::format("{} was answered with {}", rules.method, last.describe()));
  if (!found->is_complete) return;
  judge_connections(script, rules);
  judge_side_effects(script, rules);
}

SCENARIO(stateless_tools_are_the_same_everywhere, stateless(), own_session(),
         judges({"tools.list-same-on-every-connection", "tools.list-free-of-side-effects",
                 "tools.list-answered"})) {
  judge_list(script, {"tools/list", "tools.list-same-on-every-connection",
                      "tools.list-free-of-side-effects", "tools.list-answered"});
}

SCENARIO(stateless_resources_are_the_same_everywhere, stateless(), own_session(),
         judges({"resources.list-same-on-every-connection", "resources.list-free-of-side-effects",
                 "resources.list-answered"})) {
  judge_list(script, {"resources/list", "resources.list-same-on-every-connection",
                      "resources.list-free-of-side-effects", "resources.list-answered"});
}

SCENARIO(stateless_prompts_are_the_same_everywhere, stateless(), own_session(),
         judges({"prompts.list-same-on-every-connection", "prompts.list-free-of-side-effects",
                 "prompts.list-answered"})) {
  judge_list(script, {"prompts/list", "prompts.list-same-on-every-connection",
                      "prompts.list-free-of-side-effects", "prompts.list-answered"});
}

// As long as the tools stay the same, so does their order.
SCENARIO(stateless_tools_keep_their_order, stateless(),
         judges({"tools.list-order-deterministic"})) {
  constexpr RequirementId kRule("tools.list-order-deterministic");
  const Listing& known = script.survey().tools();
  if (!known.is_complete || known.items.size() < 2) {
    script.not_exercised(kRule, "the server lists fewer than two tools");
    return;
  }
  const Json before = names_of(known);
  const Listing again = Survey::read(script.session(), "tools/list");
  if (!again.is_complete) return;
  Json sorted_before = before;
  Json now = names_of(again);
  Json sorted_now = now;
  std::sort(sorted_before.begin(), sorted_before.end());
  std::sort(sorted_now.begin(), sorted_now.end());
  if (sorted_before != sorted_now) return;
  // It takes both lists to see it.
  std::vector<EventPtr> both = known.last_reply->events();
  both.insert(both.end(), again.last_reply->events().begin(), again.last_reply->events().end());
  script.check(kRule, before == now, std::move(both),
               "tools/list gives the same tools in another order");
}

}  // namespace
}  // namespace assay::scenarios
