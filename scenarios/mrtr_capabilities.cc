// Scenarios about what servers ask for of clients that have not declared it.
//
// Specification of 2026-07-28: basic/index, "Per-request protocol fields"; basic/patterns/mrtr.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/polite_client.h"
#include "reference/transport/observer.h"
#include "reference/wire/message.h"
#include "scenarios/mrtr_calls.h"
#include "scenarios/stateless_calls.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using catalogue::RequirementId;

const char* capability_of(std::string_view method) {
  if (method == "elicitation/create") return "elicitation";
  return method == "sampling/createMessage" ? "sampling" : "roots";
}

bool asks_something(const Reply& reply) {
  return wants_input(reply) && member(reply.result(), "inputRequests").is_object() &&
         !member(reply.result(), "inputRequests").empty();
}

bool asks(const Reply& reply, std::string_view method) {
  if (!asks_something(reply)) return false;
  const Json& questions = member(reply.result(), "inputRequests");
  return std::any_of(questions.begin(), questions.end(), [&](const Json& question) {
    return text_member(question, "method") == method;
  });
}

// The server was asked by a client without capabilities, after one that had them all. Whether it
// took them from the request before shows on a connection that never saw them.
void judge_inference(Script& script, const ToolUse& tool, const Reply& undeclared) {
  constexpr RequirementId kRule("meta.capabilities-not-inferred");
  if (!asks_something(undeclared)) return script.check(kRule, true, undeclared);
  Connection& fresh = script.open_connection();
  const Reply reply = ask(
      fresh, request_as_sent(fresh, "tools/call",
                             {{"name", tool.name}, {"arguments", tool.arguments}}, Json::object()));
  // Who asks there, too, looks at no capabilities at all.
  if (!reply.is_error(kMissingCapability) && !is_complete(reply)) return;
  script.check(kRule, false, undeclared,
               fmt::format("a call of {} by a client without capabilities was answered with "
                           "questions, because an earlier request had declared them",
                           tool.name));
}

// Whether it lists what the question needs: of elicitation also its mode, if it names any.
bool lists_need_of(const Json& missing, const Json& question) {
  const std::string_view method = text_member(question, "method");
  if (!missing.contains(capability_of(method))) return false;
  const Json& modes = member(missing, "elicitation");
  if (method != "elicitation/create" || !modes.is_object() || modes.empty()) return true;
  const std::string_view mode = text_member(member(question, "params"), "mode");
  return modes.contains(mode.empty() ? "form" : mode);
}

// Whether the error lists one of the capabilities that the questions of the tool need.
bool lists_one_of(const Json& missing, const Questioned& asked) {
  const Json& questions = asked.requests();
  return std::any_of(questions.begin(), questions.end(),
                     [&](const Json& question) { return lists_need_of(missing, question); });
}

// The result of a tool that failed, and says itself that it did for want of a capability which its
// questions need.
bool fails_for_want(const Reply& reply, const Questioned& asked) {
  if (member(reply.result(), "isError") != true) return false;
  const std::string words = transport::lower_case(member(reply.result(), "content").dump());
  const bool is_about_client =
      words.find("client") != std::string::npos && (words.find("capabilit") != std::string::npos ||
                                                    words.find("not support") != std::string::npos);
  const Json& questions = asked.requests();
  return is_about_client &&
         std::any_of(questions.begin(), questions.end(), [&](const Json& question) {
           return words.find(capability_of(text_member(question, "method"))) != std::string::npos;
         });
}

void judge_missing_capability(Script& script, const Questioned& asked, const Reply& reply) {
  if (fails_for_want(reply, asked)) {
    return script.check(
        "meta.missing-capability-error", false, reply,
        fmt::format("{} failed because a capability is missing, and says so in its result and "
                    "not by the error for it",
                    asked.tool.name),
        "/result/content");
  }
  // A tool may do without what it would rather ask for; and why others say that they failed, nobody
  // can tell.
  if (is_complete(reply)) return;
  const std::string what =
      fmt::format("a call of {} by a client without capabilities", asked.tool.name);
  script.check("meta.missing-capability-error", reply.is_error(kMissingCapability), reply,
               fmt::format("{} was answered with {}", what, reply.describe()));
  if (!reply.is_error(kMissingCapability)) return;
  const Json& missing = member(member(reply.message()->error(), "data"), "requiredCapabilities");
  script.check(
      "meta.missing-capability-error", missing.is_object() && !missing.empty(), reply,
      fmt::format("{} was answered with an error that does not list what is missing", what),
      "/error/data/requiredCapabilities");
  if (missing.is_object() && !missing.empty()) {
    script.check("meta.missing-capability-error", lists_one_of(missing, asked), reply,
                 fmt::format("{} was answered with an error that lists none of the capabilities "
                             "that the tool's questions need",
                             what),
                 "/error/data/requiredCapabilities");
  }
  if (!script.transport().is_streamable_http()) return;
  script.check("meta.missing-capability-400", reply.http_status() == kBadRequest, reply,
               fmt::format("{} was answered with HTTP {}", what, reply.http_status()));
}

// What was asked for without the capability, in the words of each rule about it.
void judge_questions(Script& script, const Questioned& asked, const Reply& reply,
                     const std::string& what, const Json& declared) {
  bool is_all_declared = true;
  for (const char* method : {"elicitation/create", "sampling/createMessage", "roots/list"}) {
    const bool is_declared = declared.contains(capability_of(method));
    const bool is_sound = is_declared || !asks(reply, method);
    is_all_declared = is_all_declared && is_sound;
    const bool is_about = !is_sound || asks(asked.reply, method);
    if (!is_about || is_declared) continue;
    const std::string detail = fmt::format("{} was answered with a {}", what, method);
    if (std::string_view(method) == "elicitation/create") {
      script.check("mrtr.no-elicitation-undeclared", is_sound, reply, detail);
    } else if (std::string_view(method) == "roots/list") {
      script.check("roots.capability-checked", is_sound, reply, detail);
    }
  }
  for (const RequirementId rule : {RequirementId("mrtr.only-declared-inputs"),
                                   RequirementId("meta.undeclared-capabilities")}) {
    script.check(rule, is_all_declared, reply,
                 fmt::format("{} was answered with questions for more", what));
  }
}

void judge_undeclared(Script& script, const Questioned& asked) {
  const Reply reply = ask(script.session(), call_of(script, asked.tool, Json::object()));
  if (!reply.is_answered()) return;
  judge_questions(script, asked, reply,
                  fmt::format("a call of {} by a client without capabilities", asked.tool.name),
                  Json::object());
  judge_inference(script, asked.tool, reply);
  if (!asks_something(reply)) judge_missing_capability(script, asked, reply);
}

// A client that declares just what the tool asked for is asked for nothing else.
void judge_barely_declared(Script& script, const Questioned& asked) {
  const Json all = full_client_capabilities(script.revision());
  Json declared = Json::object();
  for (const auto& [key, question] : asked.requests().items()) {
    const char* capability = capability_of(text_member(question, "method"));
    declared[capability] = all[capability];
  }
  const Reply reply = ask(script.session(), call_of(script, asked.tool, declared));
  if (!reply.is_answered()) return;
  judge_questions(
      script, asked, reply,
      fmt::format("a call of {} by a client that declares only what it asks for", asked.tool.name),
      declared);
}

// A client that opens URLs and shows no forms is asked for no form, as the monitor judges.
void judge_without_forms(Script& script, const Questioned& asked) {
  const Json& questions = asked.requests();
  const bool has_form = std::any_of(questions.begin(), questions.end(), [](const Json& question) {
    return text_member(question, "method") == "elicitation/create" &&
           member(member(question, "params"), "mode") != "url";
  });
  if (!has_form) return;
  Json declared = full_client_capabilities(script.revision());
  declared["elicitation"] = {{"url", Json::object()}};
  ask(script.session(), call_of(script, asked.tool, declared));
}

// What a client declared with one request it has not declared with the next.
SCENARIO(mrtr_undeclared_capabilities_are_not_used, stateless(), in_turn(),
         judges({"mrtr.only-declared-inputs", "mrtr.no-elicitation-undeclared",
                 "roots.capability-checked", "meta.undeclared-capabilities",
                 "meta.capabilities-not-inferred", "meta.missing-capability-error",
                 "meta.missing-capability-400", "elicitation.undeclared-mode-not-sent"})) {
  bool is_any = false;
  for (const Ability ability : kAskingAbilities) {
    for (const ToolUse& tool : script.tools_with(ability)) {
      const Reply question = ask(script.session(), call_of(script, tool));
      if (!wants_input(question)) continue;
      const Questioned asked{tool, question};
      if (!asked.requests().is_object() || asked.requests().empty()) continue;
      is_any = true;
      judge_undeclared(script, asked);
      judge_barely_declared(script, asked);
      judge_without_forms(script, asked);
    }
  }
  if (is_any) return;
  for (const RequirementId rule :
       {RequirementId("mrtr.only-declared-inputs"), RequirementId("mrtr.no-elicitation-undeclared"),
        RequirementId("roots.capability-checked"), RequirementId("meta.undeclared-capabilities"),
        RequirementId("meta.capabilities-not-inferred"),
        RequirementId("meta.missing-capability-error"),
        RequirementId("meta.missing-capability-400")}) {
    script.not_exercised(rule, "no call was answered with questions", hint(Ability::kElicits));
  }
}

}  // namespace
}  // namespace assay::scenarios
