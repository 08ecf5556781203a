#include "scenarios/mrtr_calls.h"

#include <utility>

#include "harness/script/json_member.h"
#include "harness/script/polite_client.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {

using namespace harness;
using catalogue::RequirementId;

Json good_responses(Script& script, const Json& requests) {
  const auto handlers = polite_handlers(script.revision());
  Json responses = Json::object();
  for (const auto& [key, request] : requests.items()) {
    const auto handler = handlers.find(text_member(request, "method"));
    if (handler == handlers.end()) continue;
    const Answer answer = handler->second(member(request, "params"));
    if (const Json* response = std::get_if<Json>(&answer)) responses[key] = *response;
  }
  return responses;
}

const Json& Questioned::requests() const {
  return member(reply.result(), "inputRequests");
}

const Json& Questioned::state() const {
  return member(reply.result(), "requestState");
}

Json call_of(Script& script, const ToolUse& tool, std::optional<Json> capabilities) {
  return request_as_sent(script.session(), "tools/call",
                         {{"name", tool.name}, {"arguments", tool.arguments}},
                         std::move(capabilities));
}

Json retry_of(Script& script, const Questioned& asked, const Json& responses) {
  Json retry = call_of(script, asked.tool);
  if (!responses.is_null()) retry["params"]["inputResponses"] = responses;
  if (asked.state().is_string()) retry["params"]["requestState"] = asked.state();
  return retry;
}

bool wants_input(const Reply& reply) {
  return reply.is_result() && text_member(reply.result(), "resultType") == "input_required";
}

std::optional<Questioned> ask_questions(Script& script, std::initializer_list<RequirementId> rules,
                                        bool needs_state) {
  for (const Ability ability : kAskingAbilities) {
    for (const ToolUse& tool : script.tools_with(ability)) {
      const Reply reply = ask(script.session(), call_of(script, tool));
      if (!wants_input(reply)) continue;
      Questioned asked{tool, reply};
      if (!asked.requests().is_object() || asked.requests().empty()) continue;
      if (needs_state && !asked.state().is_string()) continue;
      return asked;
    }
  }
  for (const RequirementId rule : rules) {
    script.not_exercised(rule,
                         needs_state ? "no call was answered with questions and a requestState"
                                     : "no call was answered with questions",
                         hint(Ability::kElicits));
  }
  return std::nullopt;
}

std::optional<Questioned> ask_fixture(Script& script, std::string_view name) {
  if (!script.may_call(name)) return std::nullopt;
  const ToolUse tool{std::string(name), Json::object()};
  Questioned asked{tool, ask(script.session(), call_of(script, tool))};
  if (!wants_input(asked.reply) || !asked.requests().is_object() || !asked.state().is_string()) {
    return std::nullopt;
  }
  return asked;
}

}  // namespace assay::scenarios
