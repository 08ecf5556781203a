// Scenarios about requests that need input of the client: asked for by a result, and sent again
// with it.
//
// Specification of 2026-07-28: basic/patterns/mrtr; basic/index, "Per-request protocol fields".
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "scenarios/mrtr_calls.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

// What is asked for is answered, and the call comes to its end; nobody is kept waiting for an
// answer.
SCENARIO(mrtr_answered_questions_lead_on, stateless(),
         judges({"mrtr.retry-not-assumed", "mrtr.unexpected-ignored"})) {
  constexpr RequirementId kNotAssumed("mrtr.retry-not-assumed");
  constexpr RequirementId kIgnored("mrtr.unexpected-ignored");
  const Reply before = script.session().probe();
  const auto asked = ask_questions(script, {kNotAssumed, kIgnored});
  if (!asked) return;
  // Nobody has answered yet, and somebody else asks for something.
  const Reply other = script.session().probe();
  const Json responses = good_responses(script, asked->requests());
  const Reply sane = ask(script.session(), retry_of(script, *asked, responses));
  const bool is_sane = before.is_result() && script.session().probe().is_result();
  const std::string detail = fmt::format(
      "while a question was open, another request was answered with {}", other.describe());
  if (other.is_result() || is_sane) {
    script.check(kNotAssumed, other.is_result(), other, detail);
  } else {
    script.unclear(kNotAssumed, detail + ", as it is without one", other.events());
  }
  if (!sane.is_result()) return;
  // A state may serve but once: the questions are asked anew.
  const auto anew = ask_questions(script, {kIgnored});
  if (!anew) return;
  Json more = good_responses(script, anew->requests());
  more["assay-unexpected"] = {{"action", "accept"}};
  const Reply reply = ask(script.session(), retry_of(script, *anew, more));
  script.check(kIgnored, reply.is_result(), reply,
               fmt::format("a retry with an answer that was not asked for was answered with {}",
                           reply.describe()));
}

// The same call once more, if it is answered with questions again.
std::optional<Questioned> ask_again(Script& script, const ToolUse& tool) {
  Questioned asked{tool, ask(script.session(), call_of(script, tool))};
  if (!wants_input(asked.reply) || !asked.requests().is_object()) return std::nullopt;
  return asked;
}

Reply answer_questions(Script& script, const Questioned& asked) {
  return ask(script.session(), retry_of(script, asked, good_responses(script, asked.requests())));
}

bool is_served_well(const Reply& reply) {
  return is_complete(reply) && member(reply.result(), "isError") != true;
}

bool is_failure(const Reply& reply) {
  return reply.is_result() && member(reply.result(), "isError") == true;
}

Reply answer_nothing(Script& script, const Questioned& asked) {
  return ask(script.session(), retry_of(script, asked, Json::object()));
}

// Whether a tool that failed without the answers fails for want of them: with them it serves, and
// without them it fails again.
bool needs_answers(Script& script, const ToolUse& tool) {
  const auto asked = ask_again(script, tool);
  if (!asked || !is_served_well(answer_questions(script, *asked))) return false;
  const auto anew = ask_again(script, tool);
  return anew && is_failure(answer_nothing(script, *anew));
}

// An answer that is missing is asked for again.
SCENARIO(mrtr_missing_answers_are_asked_for_again, stateless(),
         judges({"mrtr.missing-asked-again"})) {
  constexpr RequirementId kRule("mrtr.missing-asked-again");
  const auto asked = ask_questions(script, {kRule});
  if (!asked) return;
  const Reply reply = answer_nothing(script, *asked);
  const bool is_failed = is_failure(reply);
  const std::string detail = fmt::format("a retry without the answers was answered with {}{}",
                                         reply.describe(), is_failed ? " that says isError" : "");
  if (is_failed && !needs_answers(script, asked->tool)) {
    return script.unclear(kRule, detail + ", which may have another reason", reply.events());
  }
  // Without the answer a server may be able to go on.
  script.check(kRule, reply.is_result() && !is_failed, reply, detail);
}

// What is no answer at all is not taken for one.
SCENARIO(mrtr_malformed_answers_are_noticed, stateless(),
         judges({"mrtr.responses-validated", "mrtr.protocol-errors-reported"})) {
  constexpr RequirementId kValidated("mrtr.responses-validated");
  constexpr RequirementId kReported("mrtr.protocol-errors-reported");
  const auto asked = ask_questions(script, {kValidated, kReported});
  if (!asked) return;
  Json numbers = Json::object();
  for (const auto& [key, request] : asked->requests().items()) numbers[key] = 42;
  for (const Json& responses : {numbers, Json("assay")}) {
    const Reply reply = ask(script.session(), retry_of(script, *asked, responses));
    const std::string detail =
        fmt::format("a retry with {} for the answers was answered with {}",
                    responses.is_string() ? "a text" : "numbers", reply.describe());
    const bool is_noticed = reply.is_error() || wants_input(reply) || is_failure(reply);
    script.check(kValidated, is_noticed, reply, detail);
    if (is_noticed) script.check(kReported, reply.is_error() || wants_input(reply), reply, detail);
  }
}

// Who declines or gives up is answered as well.
SCENARIO(mrtr_refused_elicitations_are_handled, stateless(),
         judges({"elicitation.failure-handled", "elicitation.success-not-assumed"})) {
  constexpr RequirementId kHandled("elicitation.failure-handled");
  constexpr RequirementId kAssumed("elicitation.success-not-assumed");
  const auto tool = script.tool_with(Ability::kElicits);
  if (!tool) {
    script.lacks(kHandled, Ability::kElicits);
    script.lacks(kAssumed, Ability::kElicits);
    return;
  }
  for (const char* action : {"decline", "cancel"}) {
    const Reply question = ask(script.session(), call_of(script, *tool));
    if (!wants_input(question)) continue;
    const Questioned asked{*tool, question};
    Json responses = Json::object();
    if (!asked.requests().is_object()) continue;
    for (const auto& [key, request] : asked.requests().items()) {
      responses[key] = {{"action", action}};
    }
    const Reply reply = ask(script.session(), retry_of(script, asked, responses));
    const std::string detail = fmt::format("a retry whose elicitation says {} was answered with {}",
                                           action, reply.describe());
    script.check(kHandled, reply.is_answered(), reply, detail);
    script.check(kAssumed, reply.is_answered(), reply, detail);
  }
}

// Who has no roots to name, or one that is gone, is answered as well.
SCENARIO(mrtr_roots_may_be_gone, stateless(), judges({"roots.unavailable-handled"})) {
  constexpr RequirementId kRule("roots.unavailable-handled");
  const auto tool = script.tool_with(Ability::kAsksRoots);
  if (!tool) return script.lacks(kRule, Ability::kAsksRoots);
  for (const Json& roots :
       {Json::array(), Json::array({{{"uri", "file:///assay/gone"}, {"name", "gone"}}})}) {
    const Questioned asked{*tool, ask(script.session(), call_of(script, *tool))};
    if (!wants_input(asked.reply) || !asked.requests().is_object()) continue;
    Json responses = good_responses(script, asked.requests());
    bool is_about_roots = false;
    for (const auto& [key, request] : asked.requests().items()) {
      if (text_member(request, "method") != "roots/list") continue;
      responses[key] = {{"roots", roots}};
      is_about_roots = true;
    }
    if (!is_about_roots) continue;
    const Reply reply = ask(script.session(), retry_of(script, asked, responses));
    script.check(kRule, reply.is_answered(), reply,
                 fmt::format("a retry of {} with {} was answered with {}", tool->name,
                             roots.empty() ? "no roots" : "a root that is gone", reply.describe()));
  }
}

// What the client sends again tells which call it is: by a state, or by keys that are new for each
// call.
bool tells_the_call(const Questioned& one, const Questioned& other) {
  const auto keys = [](const Questioned& asked) {
    std::set<std::string> names;
    for (const auto& [key, request] : asked.requests().items()) names.insert(key);
    return names;
  };
  return one.state().is_string() || other.state().is_string() || keys(one) != keys(other);
}

// State that outlives a request is referenced by what the client passes. Where two calls wait for
// input at once, and nothing that is sent again tells which of the two is meant, a server that
// serves one and not the other goes by something that was not passed.
SCENARIO(mrtr_open_questions_are_told_apart, stateless(), in_turn(),
         judges({"stateless.explicit-state-id"})) {
  constexpr RequirementId kRule("stateless.explicit-state-id");
  const auto alone = ask_questions(script, {kRule});
  if (!alone) return;
  const ToolUse tool = alone->tool;
  if (!is_served_well(answer_questions(script, *alone))) {
    return script.unclear(kRule, "a call that was given its input asks for more, or is refused");
  }
  const auto first = ask_again(script, tool);
  const auto second = ask_again(script, tool);
  if (!first || !second) {
    return script.unclear(kRule, fmt::format("{} does not ask each time it is called", tool.name));
  }
  const Reply earlier = answer_questions(script, *first);
  const Reply later = answer_questions(script, *second);
  const bool is_first_served = is_served_well(earlier);
  if (is_first_served && is_served_well(later)) return script.check(kRule, true, later);
  const Reply& refused = is_first_served ? later : earlier;
  const std::string detail = fmt::format(
      "{} was called twice before its questions were answered; the {} of the calls was "
      "then answered with {}",
      tool.name, is_first_served ? "second" : "first", refused.describe());
  // A state, or a key, may be used up or run out, and a question may be put again.
  const bool is_open_matter = tells_the_call(*first, *second) || wants_input(refused);
  const auto control = ask_again(script, tool);
  if (is_open_matter || !control || !is_served_well(answer_questions(script, *control))) {
    return script.unclear(kRule, detail, refused.events());
  }
  script.check(kRule, false, refused, detail);
}

// --- requestState ---

// Another character, which differs in hex and in base64, also where only the upper bits count.
char another(char c) {
  if (c >= 'A' && c <= 'Z') return 'z';
  if (c >= 'w' && c <= 'z') return 'A';
  return c >= 'a' && c <= 'v' ? '0' : 'a';
}

std::string changed_at(std::string state, std::size_t from_end) {
  char& c = state[state.size() - std::min(state.size(), from_end)];
  c = another(c);
  return state;
}

// What a server that issued `state` did not issue: what it holds may be changed, and the mark that
// protects it, which mostly stands at an end; and it may be cut. The very last characters are left
// alone: in base64 they may mean nothing.
std::vector<std::string> tampered(const std::string& state) {
  return {changed_at(state, state.size() / 2 + 1),
          changed_at(state, state.size()),
          changed_at(state, 4),
          changed_at(state, 24),
          "assay-invented",
          state.substr(0, state.size() / 2),
          state.substr(0, state.size() - std::min<std::size_t>(state.size(), 4))};
}

// The official fixture whose state has to be protected, whatever it bears on.
constexpr std::string_view kTamperFixture = "test_input_required_result_tampered_state";

SCENARIO(mrtr_tampered_state_is_rejected, stateless(),
         judges({"mrtr.tampered-state-rejected", "mrtr.state-distrusted",
                 "mrtr.state-integrity-protected"})) {
  constexpr RequirementId kRejected("mrtr.tampered-state-rejected");
  constexpr RequirementId kDistrusted("mrtr.state-distrusted");
  constexpr RequirementId kProtected("mrtr.state-integrity-protected");
  auto asked = ask_fixture(script, kTamperFixture);
  if (!asked) asked = ask_questions(script, {kRejected, kDistrusted, kProtected}, true);
  if (!asked) return;
  const std::string state = asked->state().get<std::string>();
  if (state.empty()) return;
  const Json responses = good_responses(script, asked->requests());
  const std::vector<std::string> changed = tampered(state);
  for (const std::string& other : changed) {
    Json retry = retry_of(script, *asked, responses);
    retry["params"]["requestState"] = other;
    const Reply reply = ask(script.session(), retry);
    script.check(
        kDistrusted, reply.is_answered(), reply,
        fmt::format("a retry with a changed requestState was answered with {}", reply.describe()));
    if (reply.is_error()) {
      script.check(kRejected, true, reply);
      script.check(kProtected, true, reply);
    } else if (is_complete(reply) && asked->tool.name == kTamperFixture) {
      const std::string detail =
          "a changed requestState was taken by the fixture that must refuse it";
      script.check(kRejected, false, reply, detail);
      script.check(kProtected, false, reply, detail);
    } else if (is_complete(reply)) {
      // Where tampering can cause no harm, nothing need be protected: nobody can tell from outside.
      const std::string why =
          "a changed requestState was taken; only the server's author knows whether that can do "
          "harm";
      script.unclear(kRejected, why, reply.events());
      script.unclear(kProtected, why, reply.events());
    }
  }
  script.tried({kRejected, kDistrusted, kProtected}, changed.size(), "changed states");
}

Reply answer_with_state(Script& script, const Questioned& asked, const Json& state) {
  Json retry = retry_of(script, asked, good_responses(script, asked.requests()));
  retry["params"]["requestState"] = state;
  return ask(script.session(), retry);
}

bool has_state(const std::optional<Questioned>& asked) {
  return asked && asked->state().is_string() && asked->state() != "";
}

// Whether it refuses its own states once they are changed, and states that it did not issue.
bool protects_its_state(Script& script, const ToolUse& tool) {
  const auto first = ask_again(script, tool);
  if (!has_state(first)) return false;
  const std::size_t count = tampered(first->state().get<std::string>()).size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto asked = ask_again(script, tool);  // a state may serve but once
    if (!has_state(asked)) return false;
    const auto changed = tampered(asked->state().get<std::string>());
    const Reply reply = answer_with_state(script, *asked, changed[i]);
    if (!reply.is_answered() || is_served_well(reply)) return false;
  }
  return true;
}

void judge_state_of_another(Script& script, const Questioned& asked, const Questioned& other) {
  constexpr RequirementId kRule("mrtr.state-bound-to-request");
  const Reply reply = answer_with_state(script, other, asked.state());
  const bool is_taken = is_served_well(reply);
  const std::string detail = fmt::format("a requestState of {} was taken in a call of {}",
                                         asked.tool.name, other.tool.name);
  // What such a payload holds is of no use where any other state serves as well.
  if (is_taken && !protects_its_state(script, other.tool)) {
    return script.unclear(kRule, detail + ", which takes other states, too", reply.events());
  }
  script.check(kRule, !is_taken, reply, detail);
}

SCENARIO(mrtr_state_of_another_request_is_rejected, stateless(),
         judges({"mrtr.state-bound-to-request"})) {
  constexpr RequirementId kRule("mrtr.state-bound-to-request");
  const auto asked = ask_questions(script, {kRule}, true);
  if (!asked) return;
  for (const Ability ability : kAskingAbilities) {
    for (const ToolUse& other : script.tools_with(ability)) {
      if (other.name == asked->tool.name) continue;
      const auto question = ask_again(script, other);
      if (!question || !question->state().is_string()) continue;
      return judge_state_of_another(script, *asked, *question);
    }
  }
  script.not_exercised(kRule, "only one tool asks its client and gives a requestState",
                       hint(Ability::kElicits));
}

}  // namespace
}  // namespace assay::scenarios
