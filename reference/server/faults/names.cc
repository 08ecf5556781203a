// Faults of who reads names and arguments less exactly than they are written, or looks at the first
// of them only. Specification: server/tools, server/prompts, server/utilities/completion.
#include <string>
#include <string_view>

#include "reference/server/faults/fault.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

// The params of a request for that method, or null.
Json* params_of(Json& request, std::string_view method) {
  const bool is_it = request.value("method", "") == method && request.contains("params") &&
                     request["params"].is_object();
  return is_it ? &request["params"] : nullptr;
}

// The arguments of a prompt of that name that is asked for, or null.
Json* prompt_arguments(Json& request, std::string_view prompt) {
  Json* params = params_of(request, "prompts/get");
  if (!params || params->value("name", Json()) != prompt || !params->contains("arguments")) {
    return nullptr;
  }
  Json& arguments = (*params)["arguments"];
  return arguments.is_object() ? &arguments : nullptr;
}

// Serves the name of another thing, which begins with this, like the thing itself.
void read_by_prefix(Json& request, std::string_view method, std::string_view prefix) {
  Json* params = params_of(request, method);
  if (!params || !params->contains("name") || !(*params)["name"].is_string()) return;
  if ((*params)["name"].get_ref<const std::string&>().starts_with(prefix)) {
    (*params)["name"] = prefix;
  }
}

// Supplies what is missing in a request for completion.
void supply(Json& request, const char* path, const Json& value) {
  Json* params = params_of(request, "completion/complete");
  const Json::json_pointer place(path);
  if (!params || !params->contains(place.parent_pointer()) || params->contains(place)) return;
  (*params)[place] = value;
}

std::vector<Fault> tool_and_prompt_faults() {
  return {
      {.id = "tool-by-beginning-of-name",
       .description = "Calls the tool whose name the asked for one begins with",
       .breaks = {"tools.unknown-tool-error"},
       .departure =
           [](Departure& d) {
             const bool is_it =
                 d.is_error_of("tools/call", wire::kInvalidParams) &&
                 d.json()["error"].value("message", "").starts_with("Unknown tool: test_");
             if (!is_it) return;
             d.json().erase("error");
             d.json()["result"] = {
                 {"content", Json::array({{{"type", "text"}, {"text", "Done"}}})}};
           }},
      {.id = "tool-without-name-called",
       .description = "Calls its first tool where the name is empty",
       .breaks = {"tools.unknown-tool-error"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* params = params_of(request, "tools/call");
             if (params && params->value("name", Json()) == "") {
               (*params)["name"] = "test_simple_text";
             }
           }},
      {.id = "prompt-by-beginning-of-name",
       .description = "Makes the prompt whose name the asked for one begins with",
       .breaks = {"prompts.unknown-name-error"},
       .intake =
           [](Json& request, FaultMemory&) {
             read_by_prefix(request, "prompts/get", "test_simple_prompt");
           }},
      {.id = "prompt-arguments-half-checked",
       .description = "Wants the first of the arguments that a prompt requires, and no other",
       .breaks = {"prompts.missing-argument-error", "prompts.arguments-validated"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* arguments = prompt_arguments(request, "test_prompt_with_arguments");
             if (arguments && arguments->contains("arg1")) arguments->emplace("arg2", "");
           }},
      {.id = "prompt-arguments-may-be-empty",
       .description = "Makes a prompt with an empty object for the arguments that it requires",
       .breaks = {"prompts.missing-argument-error", "prompts.arguments-validated"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* arguments = prompt_arguments(request, "test_prompt_with_arguments");
             if (arguments && arguments->empty()) *arguments = {{"arg1", ""}, {"arg2", ""}};
           }},
      {.id = "later-prompt-arguments-unchecked",
       .description = "Makes one of its prompts without the argument that it requires",
       .breaks = {"prompts.missing-argument-error", "prompts.arguments-validated"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* params = params_of(request, "prompts/get");
             if (params && params->value("name", Json()) == "test_prompt_with_embedded_resource") {
               (*params)["arguments"].emplace("resourceUri", "test://nothing");
             }
           }},
      {.id = "prompt-argument-lists-taken",
       .description = "Takes an object for the text of a prompt's second argument",
       .breaks = {"prompts.arguments-validated"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* arguments = prompt_arguments(request, "test_prompt_with_arguments");
             if (arguments && arguments->value("arg2", Json()).is_object()) {
               (*arguments)["arg2"] = "[object Object]";
             }
           }},
  };
}

std::vector<Fault> completion_faults() {
  return {
      {.id = "completion-without-value",
       .description = "Completes an argument whose value is missing",
       .breaks = {"completion.missing-argument-error"},
       .intake = [](Json& request, FaultMemory&) { supply(request, "/argument/value", ""); }},
      {.id = "completion-without-type",
       .description = "Completes where the type of the reference is missing",
       .breaks = {"completion.missing-argument-error"},
       .intake = [](Json& request, FaultMemory&) { supply(request, "/ref/type", "ref/prompt"); }},
      {.id = "completion-without-prompt",
       .description = "Completes where the reference does not name its prompt",
       .breaks = {"completion.missing-argument-error"},
       .intake = [](Json& request,
                    FaultMemory&) { supply(request, "/ref/name", "test_prompt_with_arguments"); }},
      {.id = "completion-of-numbers",
       .description = "Takes a number for the text that it is to complete",
       .breaks = {"completion.server-validates", "completion.inputs-validated"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* params = params_of(request, "completion/complete");
             const Json::json_pointer value("/argument/value");
             if (params && params->contains(value) && params->at(value).is_number()) {
               params->at(value) = "";
             }
           }},
      {.id = "completion-by-beginning-of-prompt",
       .description = "Completes for the prompt whose name the asked for one begins with",
       .breaks = {"completion.unknown-prompt-error"},
       .intake =
           [](Json& request, FaultMemory&) {
             Json* params = params_of(request, "completion/complete");
             const Json::json_pointer name("/ref/name");
             constexpr std::string_view kPrompt = "test_prompt_with_arguments";
             if (!params || !params->contains(name) || !params->at(name).is_string()) return;
             if (params->at(name).get_ref<const std::string&>().starts_with(kPrompt)) {
               params->at(name) = kPrompt;
             }
           }},
  };
}

}  // namespace

std::vector<Fault> name_faults() {
  std::vector<Fault> all = tool_and_prompt_faults();
  for (Fault& fault : completion_faults()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::server
