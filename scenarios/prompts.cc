// Scenarios about prompts.
//
// Specification: server/prompts.
#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/usable.h"
#include "reference/wire/compose.h"

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
  std::size_t tried = 0;
  const auto on_purpose = script.session().malformed_on_purpose();
  for (const Json& prompt : script.survey().prompts().items) {
    const auto required = required_arguments(prompt);
    if (required.empty() || !is_named(prompt)) continue;
    if (++tried > kMostPrompts) return;
    for (const auto& [argument, value] : {std::pair(required.front(), Json(7)),
                                          std::pair(required.back(), Json{{"assay", true}})}) {
      Json arguments = prompt_arguments(script.profile(), prompt);
      arguments[argument] = value;
      const Reply reply = script.request(
          "prompts/get", {{"name", member(prompt, "name")}, {"arguments", std::move(arguments)}});
      if (!reply.is_answered()) return;
      script.check(
          "prompts.arguments-validated", reply.is_error(), reply,
          fmt::format("a prompt was made with {} for its argument {}", value.dump(), argument));
    }
  }
}

// A prompt that does not exist is refused as invalid params.
SCENARIO(prompts_refuse_unknown_names, in_both_eras(), judges({"prompts.unknown-name-error"})) {
  if (!script.survey().prompts().is_declared) return;
  const Reply reply = script.request("prompts/get", {{"name", "assay-no-such-prompt"}});
  script.check("prompts.unknown-name-error", reply.is_error(wire::kInvalidParams), reply,
               fmt::format("a prompt that does not exist was answered with {}", reply.describe()));
  // Nor does one whose name only begins like that of another.
  for (const Json& prompt : script.survey().prompts().items) {
    if (!is_named(prompt)) continue;
    const std::string name = std::string(text_member(prompt, "name")) + "-assay-no-such-prompt";
    const Reply other = script.request(
        "prompts/get", {{"name", name}, {"arguments", prompt_arguments(script.profile(), prompt)}});
    script.check("prompts.unknown-name-error", other.is_error(wire::kInvalidParams), other,
                 fmt::format("{}, a prompt that does not exist, was answered with {}", name,
                             other.describe()));
    return;
  }
}

// What a prompt is asked for with, when one of the arguments that it requires is missing.
struct Lacking {
  Json params;
  std::string argument;
};

// Without any arguments, with none, and without each that is required.
std::vector<Lacking> lacking_arguments(const Script& script, const Json& prompt) {
  const auto required = required_arguments(prompt);
  const Json& name = member(prompt, "name");
  std::vector<Lacking> all;
  if (required.empty() || !is_named(prompt)) return all;
  all.push_back({{{"name", name}}, required[0]});
  all.push_back({{{"name", name}, {"arguments", Json::object()}}, required[0]});
  for (const std::string& argument : required) {
    Json arguments = prompt_arguments(script.profile(), prompt);
    arguments.erase(argument);
    all.push_back({{{"name", name}, {"arguments", std::move(arguments)}}, argument});
  }
  return all;
}

// A prompt without an argument that it requires is refused as invalid params.
SCENARIO(prompts_refuse_missing_arguments, in_both_eras(),
         judges({"prompts.missing-argument-error", "prompts.arguments-validated"})) {
  if (!script.survey().prompts().is_declared) return;
  std::size_t tried = 0;
  for (const Json& prompt : script.survey().prompts().items) {
    const std::vector<Lacking> all = lacking_arguments(script, prompt);
    if (all.empty()) continue;
    if (++tried > kMostPrompts) break;
    for (const Lacking& lacking : all) {
      const Reply reply = script.request("prompts/get", lacking.params);
      script.check("prompts.missing-argument-error", reply.is_error(wire::kInvalidParams), reply,
                   fmt::format("a prompt without its required argument {} was answered with {}",
                               lacking.argument, reply.describe()));
      if (!reply.is_answered()) return;
      script.check(
          "prompts.arguments-validated", reply.is_error(), reply,
          fmt::format("a prompt was made without its required argument {}", lacking.argument));
    }
  }
  if (tried > 0) return;
  script.not_exercised("prompts.missing-argument-error", "no prompt requires an argument",
                       "a prompt with a required argument");
  script.not_exercised("prompts.arguments-validated", "no prompt requires an argument",
                       "a prompt with a required argument");
}

}  // namespace
}  // namespace assay::scenarios
