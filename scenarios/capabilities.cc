// Scenarios about what is declared and what is served.
//
// Specification: basic/lifecycle, "Capability Negotiation" and "Operation".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/clues.h"
#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/usable.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// Of a stranger's tools, prompts and resources, this many are looked at for one that can be used
// plainly.
constexpr std::size_t kMostItems = 4;
// Who refuses a request that says nothing wrong may have its reasons once, or twice.
constexpr std::size_t kRefusals = 3;

constexpr RequirementId kServed = "lifecycle.declared-capabilities-served";

// Errors that speak of what was asked for: the method is there, and looked at it.
bool is_about_request(const Reply& reply) {
  constexpr std::array<std::int64_t, 4> kCodes = {wire::kInvalidParams, wire::kResourceNotFound,
                                                  wire::kUrlElicitationRequired,
                                                  kMissingCapability};
  return reply.is_error() &&
         std::find(kCodes.begin(), kCodes.end(), reply.error_code()) != kCodes.end();
}

std::string_view error_words(const Reply& reply) {
  return text_member(reply.message()->error(), "message");
}

// Errors that speak of what the server lacks for now, or of who may use it: what it declares is
// there for others, and at other times.
bool speaks_of_a_lack(const Reply& reply) {
  return mentions(
      error_words(reply),
      {"auth",        "credential",   "api key",   "api_key",    "apikey",    "token",
       "log in",      "login",        "sign in",   "permission", "forbidden", "access denied",
       "unavailable", "unreachable",  "not ready", "time out",   "timed out", "timeout",
       "connect",     "fetch failed", "offline",   "disabled",   "not found", "not exist",
       "initializ",   "configur",     "not set",   "set up",     "create"});
}

// What a declared method answers, until it is known whether it is served: who knows the method and
// refuses all that is asked of it serves it no more than who does not know it.
class UseTrial {
 public:
  UseTrial(Script& script, std::string_view capability, std::string_view method)
      : script_(script), capability_(capability), method_(method) {}

  // False once nothing more needs to be asked.
  bool is_open() const { return !is_known_; }
  void ask(Json params) {
    if (is_open()) take(script_.session().request(method_, std::move(params)));
  }
  // True for what is not sure to be right, such as the name of something that may be gone: an error
  // that speaks of it shows that the method is served.
  void let_requests_be_wrong() { may_be_wrong_ = true; }
  void take(const Reply& reply) {
    if (is_known_ || !reply.is_answered()) return;
    if (reply.is_error(wire::kMethodNotFound)) {
      is_known_ = true;
      script_.check(kServed, false, reply,
                    fmt::format("{} is declared, but {} is answered with method not found",
                                capability_, method_));
    } else if (reply.is_result() || (may_be_wrong_ && is_about_request(reply))) {
      is_known_ = true;
      script_.check(kServed, true, reply);
    } else {
      refused_.push_back(reply);
    }
  }
  // Asks what was refused again, in these words, and says so if it is refused each time.
  void judge_refusals(const Json& params) {
    ask_again(params, kRefusals);
    if (is_open() && refused_.size() >= kRefusals) tell_refusals();
  }
  // The same where the requests may be wrong: a server that serves the method refuses what there is
  // in other words than what there is not.
  void judge_refusals_beside(const Json& params, Json nonsense) {
    ask_again(params, kRefusals - 1);
    if (!is_open() || refused_.size() + 1 < kRefusals) return;
    const Reply odd = script_.session().request(method_, std::move(nonsense));
    if (!odd.is_error()) return;
    const bool is_same = std::all_of(refused_.begin(), refused_.end(), [&](const Reply& each) {
      return each.error_code() == odd.error_code() && error_words(each) == error_words(odd);
    });
    refused_.push_back(odd);
    if (is_same) tell_refusals();
  }

 private:
  // Until it was refused so many times; nothing where nothing was refused.
  void ask_again(const Json& params, std::size_t times) {
    while (is_open() && !refused_.empty() && refused_.size() < times) {
      const std::size_t before = refused_.size();
      ask(params);
      if (refused_.size() == before) return;  // not answered at all
    }
  }
  void tell_refusals() {
    const Reply& last = refused_.back();
    if (std::any_of(refused_.begin(), refused_.end(), speaks_of_a_lack)) {
      script_.unclear(
          kServed,
          fmt::format(
              "the server refuses {} because it lacks something, or permits it to others only",
              method_),
          last.events());
      return;
    }
    std::vector<EventPtr> events;
    for (const Reply& each : refused_) {
      events.insert(events.end(), each.events().begin(), each.events().end());
    }
    script_.check(
        kServed, false, std::move(events),
        fmt::format("{} is declared, but each of {} requests for {} was refused, the last "
                    "with {}",
                    capability_, refused_.size(), method_, last.describe()),
        Awaited{fmt::format("a result of {}", method_)});
  }

  Script& script_;
  std::string capability_;
  std::string method_;
  bool may_be_wrong_ = false;
  bool is_known_ = false;
  std::vector<Reply> refused_;
};

// What is declared can be asked for plainly, with nothing in the request that could be wrong.
void judge_plain(Script& script, std::string_view capability, std::string_view method,
                 const Json& params) {
  UseTrial trial(script, capability, method);
  trial.ask(params);
  trial.judge_refusals(params);
}

// What is listed can be used: `wanted` are params for some of the things that the list gives.
void judge_listed(Script& script, std::string_view capability, std::string_view method,
                  const std::vector<Json>& wanted, Json nonsense) {
  if (wanted.empty()) return;
  UseTrial trial(script, capability, method);
  trial.let_requests_be_wrong();
  for (const Json& params : wanted) trial.ask(params);
  // One thing alone may be out of order.
  if (wanted.size() > 1) trial.judge_refusals_beside(wanted.front(), std::move(nonsense));
}

std::vector<Json> calls_of_tools(Script& script) {
  std::vector<Json> wanted;
  for (const ToolUse& tool : plain_tools(script.survey(), script.tool_policy(), kMostItems)) {
    // A call of one that has to be a task is refused with the same code.
    const Json& listed = *script.survey().tool(tool.name);
    if (member(member(listed, "execution"), "taskSupport") == "required") continue;
    wanted.push_back({{"name", tool.name}, {"arguments", tool.arguments}});
  }
  return wanted;
}

std::vector<Json> uses_of_prompts(Script& script) {
  std::vector<Json> wanted;
  for (const Json& prompt : script.survey().prompts().items) {
    if (!is_named(prompt) || wanted.size() == kMostItems) continue;
    wanted.push_back({{"name", member(prompt, "name")},
                      {"arguments", prompt_arguments(script.profile(), prompt)}});
  }
  return wanted;
}

std::vector<Json> listed_uris(Script& script) {
  std::vector<Json> wanted;
  for (const Json& resource : script.survey().resources().items) {
    if (!is_readable(resource) || wanted.size() == kMostItems) continue;
    wanted.push_back({{"uri", member(resource, "uri")}});
  }
  return wanted;
}

// Requests to complete the arguments of listed prompts.
std::vector<Json> completions_of_prompts(Script& script) {
  std::vector<Json> wanted;
  for (const Json& prompt : script.survey().prompts().items) {
    if (!is_named(prompt)) continue;
    for (const Json& argument : array_member(prompt, "arguments")) {
      if (!is_named(argument) || wanted.size() == kMostItems) continue;
      wanted.push_back({{"ref", {{"type", "ref/prompt"}, {"name", member(prompt, "name")}}},
                        {"argument", {{"name", member(argument, "name")}, {"value", ""}}}});
    }
  }
  return wanted;
}

void judge_completions(Script& script) {
  if (!script.session().has_capability("completions")) return;
  const Json nonsense = {{"ref", {{"type", "ref/prompt"}, {"name", "assay"}}},
                         {"argument", {{"name", "assay"}, {"value", ""}}}};
  const std::vector<Json> wanted = completions_of_prompts(script);
  if (!wanted.empty()) {
    judge_listed(script, "completions", "completion/complete", wanted, nonsense);
    return;
  }
  // Only whether the method is known.
  UseTrial trial(script, "completions", "completion/complete");
  trial.let_requests_be_wrong();
  trial.ask(nonsense);
}

void judge_subscriptions(Script& script) {
  if (!script.session().has_capability("resources.subscribe")) return;
  const std::vector<Json> wanted = listed_uris(script);
  if (wanted.empty()) return;
  judge_listed(script, "resources.subscribe", "resources/subscribe", wanted,
               {{"uri", "assay://nowhere/no-such-thing"}});
  const Reply subscribed = script.request("resources/subscribe", wanted.front());
  UseTrial trial(script, "resources.subscribe", "resources/unsubscribe");
  trial.ask(wanted.front());
  // To give up a subscription that there is cannot be wrong.
  if (subscribed.is_result()) trial.judge_refusals(wanted.front());
}

// A task that there is not is no reason to say that there is no such method.
void judge_tasks_served(Script& script) {
  Connection& session = script.session();
  const auto ask = [&](std::string_view capability, std::string_view method) {
    if (!session.has_capability(capability)) return;
    UseTrial trial(script, capability, method);
    trial.let_requests_be_wrong();
    trial.ask({{"taskId", "assay-no-such-task"}});
  };
  ask("tasks.requests", "tasks/get");
  ask("tasks.requests", "tasks/result");
  ask("tasks.cancel", "tasks/cancel");
  if (session.has_capability("tasks.list"))
    judge_plain(script, "tasks.list", "tasks/list", nullptr);
}

void judge_lists(Script& script) {
  for (const Listing& listing : script.survey().listings()) {
    // Templates are one of the things that `resources` may offer, and no part of every server.
    if (!listing.last_reply || !listing.last_reply->is_answered() ||
        listing.method == "resources/templates/list") {
      continue;
    }
    UseTrial trial(script, listing.capability, listing.method);
    // What a later page is answered with is judged as such.
    if (listing.pages == 0) trial.take(*listing.last_reply);
    if (listing.pages != 0) script.check(kServed, true, *listing.last_reply);
    trial.judge_refusals(nullptr);
  }
}

// The methods of every declared capability are known to the server, and do not refuse everything.
SCENARIO(capabilities_declared_are_served, in_both_eras(), in_turn(),
         judges({"lifecycle.declared-capabilities-served"})) {
  judge_lists(script);
  judge_listed(script, "tools", "tools/call", calls_of_tools(script),
               {{"name", "assay-no-such-tool"}, {"arguments", Json::object()}});
  judge_listed(script, "prompts", "prompts/get", uses_of_prompts(script),
               {{"name", "assay-no-such-prompt"}});
  judge_listed(script, "resources", "resources/read", listed_uris(script),
               {{"uri", "assay://nowhere/no-such-thing"}});
  judge_completions(script);
  // Without sessions each request says its own log level, and subscriptions are judged as such.
  if (script.revision().is_stateless()) return;
  if (script.session().has_capability("logging")) {
    judge_plain(script, "logging", "logging/setLevel", {{"level", "error"}});
  }
  judge_subscriptions(script);
  if (script.revision().has_core_tasks()) judge_tasks_served(script);
}

}  // namespace
}  // namespace assay::scenarios
