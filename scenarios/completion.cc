// Scenarios about the completion of arguments.
//
// Specification: server/utilities/completion.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "harness/runner/scenario.h"
#include "harness/script/json_member.h"
#include "harness/script/usable.h"
#include "reference/wire/compose.h"

namespace assay::scenarios {
namespace {

using namespace harness;

Json reference_to(std::string_view prompt) {
  return {{"type", "ref/prompt"}, {"name", prompt}};
}

bool is_listed(const Survey& survey, const Json& reference) {
  if (reference.contains("name")) return survey.prompt(text_member(reference, "name")) != nullptr;
  const auto& templates = survey.resource_templates().items;
  return std::any_of(templates.begin(), templates.end(), [&](const Json& each) {
    return member(each, "uriTemplate") == member(reference, "uri");
  });
}

// What asks for an argument that the profile names, or else for the first argument of the first
// prompt that has one; for an unknown prompt if none has.
Json honest_params(const Script& script) {
  for (const KnownCompletion& known : script.profile().completions) {
    if (!is_listed(script.survey(), known.reference)) continue;
    return {{"ref", known.reference},
            {"argument", {{"name", known.argument}, {"value", known.value}}}};
  }
  for (const Json& prompt : script.survey().prompts().items) {
    if (!is_named(prompt)) continue;
    for (const Json& argument : array_member(prompt, "arguments")) {
      if (!is_named(argument)) continue;
      return {{"ref", reference_to(text_member(prompt, "name"))},
              {"argument", {{"name", member(argument, "name")}, {"value", ""}}}};
    }
  }
  return {{"ref", reference_to("assay-no-such-prompt")},
          {"argument", {{"name", "argument"}, {"value", ""}}}};
}

// Before there was the capability, whoever completes shows it by doing so.
bool is_served(Script& script) {
  if (script.revision().has_completions_capability()) {
    return script.session().has_capability("completions");
  }
  return script.request("completion/complete", honest_params(script)).is_result();
}

bool gives_values(const Reply& reply) {
  return !array_member(member(reply.result(), "completion"), "values").empty();
}

// Whoever completes arguments declares it, and whoever does not refuses to.
SCENARIO(completion_is_declared_or_refused, in_both_eras(),
         in_revisions(&model::Revision::has_completions_capability),
         judges({"completion.capability-declared", "completion.unsupported-error"})) {
  if (!script.session().server().contains("capabilities")) {
    script.unclear("completion.capability-declared", "the server declared no capabilities at all");
    return;
  }
  const Reply reply = script.request("completion/complete", honest_params(script));
  if (is_served(script)) {
    if (reply.is_result()) script.check("completion.capability-declared", true, reply);
    return;
  }
  if (gives_values(reply)) {
    script.check("completion.capability-declared", false, reply,
                 "arguments are completed, but the capability is not declared");
    return;
  }
  script.not_applicable("completion.capability-declared", "the server completes nothing");
  script.check("completion.unsupported-error", reply.is_error(wire::kMethodNotFound), reply,
               fmt::format("without the capability the answer is {}", reply.describe()));
}

// Completion for a prompt that does not exist is refused as invalid params.
SCENARIO(completion_refuses_unknown_prompts, in_both_eras(),
         judges({"completion.unknown-prompt-error"})) {
  if (!is_served(script)) return;
  const Reply reply =
      script.request("completion/complete", {{"ref", reference_to("assay-no-such-prompt")},
                                             {"argument", {{"name", "a"}, {"value", ""}}}});
  script.check(
      "completion.unknown-prompt-error", reply.is_error(wire::kInvalidParams), reply,
      fmt::format("completion for an unknown prompt was answered with {}", reply.describe()));
  // Nor is a prompt known that only begins like another.
  Json params = honest_params(script);
  if (!params["ref"].contains("name") || !is_listed(script.survey(), params["ref"])) return;
  params["ref"]["name"] = params["ref"]["name"].get<std::string>() + "-assay-no-such-prompt";
  const Reply other = script.request("completion/complete", std::move(params));
  script.check("completion.unknown-prompt-error", other.is_error(wire::kInvalidParams), other,
               fmt::format("completion for a prompt whose name begins like that of another was "
                           "answered with {}",
                           other.describe()));
}

// Completion without the argument, its name or what it belongs to is refused as invalid params.
SCENARIO(completion_refuses_missing_arguments, in_both_eras(),
         judges({"completion.missing-argument-error"})) {
  if (!is_served(script)) return;
  const auto on_purpose = script.session().malformed_on_purpose();
  const Json honest = honest_params(script);
  const bool is_of_prompt = honest.at("ref").contains("name");
  for (const char* path : {"/argument", "/argument/name", "/argument/value", "/ref", "/ref/type",
                           is_of_prompt ? "/ref/name" : "/ref/uri"}) {
    const Json::json_pointer missing(path);
    Json params = honest;
    params.at(missing.parent_pointer()).erase(missing.back());
    const Reply reply = script.request("completion/complete", std::move(params));
    script.check("completion.missing-argument-error", reply.is_error(wire::kInvalidParams), reply,
                 fmt::format("completion without {} was answered with {}", missing.back(),
                             reply.describe()));
  }
}

void judge_input(Script& script, const Reply& reply, bool is_validated, const std::string& detail) {
  script.check("completion.server-validates", is_validated, reply, detail);
  script.check("completion.inputs-validated", is_validated, reply, detail);
}

// What is no reference, and what is no value, is refused.
SCENARIO(completion_validates_its_input, in_both_eras(),
         judges({"completion.server-validates", "completion.inputs-validated"})) {
  if (!is_served(script)) return;
  const auto on_purpose = script.session().malformed_on_purpose();
  Json no_reference = honest_params(script);
  no_reference["ref"] = {{"type", "ref/assay"}, {"name", "x"}};
  Json no_value = honest_params(script);
  no_value["argument"]["value"] = {{"not", "a string"}};
  Json number = honest_params(script);
  number["argument"]["value"] = 7;
  for (const Json& params : {no_reference, no_value, number}) {
    const Reply reply = script.request("completion/complete", params);
    if (!reply.is_answered()) continue;
    judge_input(script, reply, reply.is_error(),
                "a malformed completion request was answered with a result");
  }
}

// Nothing is suggested for what there is not: an argument that the prompt, or the template, lacks,
// and a template that is not listed. To suggest nothing is as good as to refuse.
SCENARIO(completion_suggests_nothing_for_what_there_is_not, in_both_eras(),
         judges({"completion.server-validates", "completion.inputs-validated"})) {
  if (!is_served(script)) return;
  const Json honest = honest_params(script);
  if (!gives_values(script.request("completion/complete", honest))) return;
  Json other_argument = honest;
  other_argument["argument"]["name"] = "assay_no_such_argument";
  Json other_template = honest;
  other_template["ref"] = {{"type", "ref/resource"}, {"uri", "assay://nowhere/{thing}"}};
  other_template["argument"]["name"] = "thing";
  for (const auto& [params, what] :
       {std::pair(other_argument, "an argument that is not there"),
        std::pair(other_template, "a resource template that is not there")}) {
    const Reply reply = script.request("completion/complete", params);
    if (!reply.is_answered()) continue;
    judge_input(script, reply, !gives_values(reply),
                fmt::format("values were suggested for {}", what));
  }
}

}  // namespace
}  // namespace assay::scenarios
