// Scenarios about prompts.
//
// Specification: server/prompts.
#include <fmt/format.h>

#include <string>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/usable.h"

namespace assay::scenarios {
namespace {

using namespace harness;

// The most prompts of a stranger's server that are fetched.
constexpr std::size_t kMostPrompts = 8;

// A server that answers prompts/list with prompts has declared that it has them.
SCENARIO(prompts_are_declared, in_both_eras(), judges({"prompts.capability-declared"})) {
  if (script.survey().prompts().is_declared) {
    script.check("prompts.capability-declared", true, {}, "");
    return;
  }
  if (!script.session().server().contains("capabilities")) {
    script.unclear("prompts.capability-declared", "the server declared no capabilities at all");
    return;
  }
  const Reply reply = script.request("prompts/list");
  if (array_member(reply.result(), "prompts").empty()) {
    script.not_applicable("prompts.capability-declared", "the server has no prompts");
  } else {
    script.check("prompts.capability-declared", false, reply,
                 "prompts/list gives prompts, but the capability is not declared");
  }
}

// Listed prompts are fetched, so that monitors see their messages.
SCENARIO(prompts_can_be_fetched, in_both_eras(), judges({})) {
  std::size_t fetched = 0;
  for (const Json& prompt : script.survey().prompts().items) {
    if (!is_named(prompt)) continue;
    if (++fetched > kMostPrompts) break;
    script.request("prompts/get", {{"name", member(prompt, "name")},
                                   {"arguments", prompt_arguments(script.profile(), prompt)}});
  }
}

// The arguments of a prompt are texts: one that is a number is not taken for any.
SCENARIO(prompts_refuse_arguments_that_are_no_texts, in_both_eras(),
         judges({"prompts.arguments-validated"})) {
  const auto on_purpose = script.session().malformed_on_purpose();
  for (const Json& prompt : script.survey().prompts().items) {
    const auto required = required_arguments(prompt);
    if (required.empty() || !is_named(prompt)) continue;
    Json arguments = prompt_arguments(script.profile(), prompt);
    arguments[required[0]] = 7;
    const Reply reply = script.request(
        "prompts/get", {{"name", member(prompt, "name")}, {"arguments", std::move(arguments)}});
    if (!reply.is_answered()) return;
    script.check("prompts.arguments-validated", reply.is_error(), reply,
                 fmt::format("a prompt was made with a number for its argument {}", required[0]));
    return;
  }
}

// A prompt that does not exist is refused as invalid params.
SCENARIO(prompts_refuse_unknown_names, in_both_eras(), judges({"prompts.unknown-name-error"})) {
  if (!script.survey().prompts().is_declared) return;
  const Reply reply = script.request("prompts/get", {{"name", "assay-no-such-prompt"}});
  script.check("prompts.unknown-name-error", reply.is_error(wire::kInvalidParams), reply,
               fmt::format("a prompt that does not exist was answered with {}", reply.describe()));
}

// A prompt without an argument that it requires is refused as invalid params.
SCENARIO(prompts_refuse_missing_arguments, in_both_eras(),
         judges({"prompts.missing-argument-error", "prompts.arguments-validated"})) {
  if (!script.survey().prompts().is_declared) return;
  for (const Json& prompt : script.survey().prompts().items) {
    const auto required = required_arguments(prompt);
    if (required.empty() || !is_named(prompt)) continue;
    const Reply reply = script.request("prompts/get", {{"name", member(prompt, "name")}});
    script.check("prompts.missing-argument-error", reply.is_error(wire::kInvalidParams), reply,
                 fmt::format("a prompt without its required argument {} was answered with {}",
                             required[0], reply.describe()));
    if (!reply.is_answered()) return;
    script.check("prompts.arguments-validated", reply.is_error(), reply,
                 fmt::format("a prompt was made without its required argument {}", required[0]));
    return;
  }
  script.not_exercised("prompts.missing-argument-error", "no prompt requires an argument",
                       "a prompt with a required argument");
  script.not_exercised("prompts.arguments-validated", "no prompt requires an argument",
                       "a prompt with a required argument");
}

}  // namespace
}  // namespace assay::scenarios
