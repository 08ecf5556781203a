#include "reference/server/prompts.h"

#include <vector>

#include "reference/model/formats.h"
#include "reference/server/call.h"
#include "reference/server/content.h"
#include "reference/server/handlers.h"
#include "reference/server/inputs.h"
#include "reference/server/pagination.h"
#include "reference/server/session.h"

namespace assay::server {
namespace {

constexpr std::array kTwoArguments = {
    PromptArgument{"arg1", "First argument", "The first test argument"},
    PromptArgument{"arg2", "Second argument", "The second test argument"}};
constexpr std::array kUriArgument = {
    PromptArgument{"resourceUri", "Resource URI", "The URI of the resource to embed"}};

Json user_message(Json content) {
  return {{"role", "user"}, {"content", std::move(content)}};
}

std::string argument(const Json& arguments, const char* name) {
  return string_member(arguments, name).value_or("");
}

Json simple_messages(const Json&) {
  return Json::array({user_message(text_content("This is a simple prompt for testing."))});
}

Json messages_with_arguments(const Json& arguments) {
  return Json::array(
      {user_message(text_content("Prompt with arguments: arg1='" + argument(arguments, "arg1") +
                                 "', arg2='" + argument(arguments, "arg2") + "'"))});
}

Json messages_with_resource(const Json& arguments) {
  return Json::array({user_message(embedded_text(argument(arguments, "resourceUri"), "text/plain",
                                                 "Embedded resource content for testing.")),
                      user_message(text_content("Please process the embedded resource above."))});
}

Json messages_with_image(const Json&) {
  return Json::array({user_message(image_content()),
                      user_message(text_content("Please analyze the image above."))});
}

Json messages_with_audio(const Json&) {
  return Json::array({user_message(audio_content()),
                      user_message(text_content("Please transcribe the audio above."))});
}

std::optional<Answer> gather_context(const Context& context, Json& arguments) {
  InputRound round(context);
  const Json* const answer = round.elicit("user_context", "What context should the prompt use?",
                                          {{"type", "object"},
                                           {"properties", {{"context", {{"type", "string"}}}}},
                                           {"required", Json::array({"context"})}});
  if (auto unfinished = round.unfinished()) return unfinished;
  arguments["context"] =
      string_member(member(*answer, "content"), "context").value_or("none was given");
  return std::nullopt;
}

Json messages_with_context(const Json& arguments) {
  return Json::array(
      {user_message(text_content("Use the following context: " + argument(arguments, "context")))});
}

Json extra_messages(const Json&) {
  return Json::array({user_message(text_content("This prompt is not always here."))});
}

const std::array kPrompts = {
    Prompt{"test_simple_prompt", "Simple prompt", "One message", {}, simple_messages},
    Prompt{"test_prompt_with_arguments", "Prompt with arguments", "Shows both of its arguments",
           kTwoArguments, messages_with_arguments},
    Prompt{"test_prompt_with_embedded_resource", "Prompt with embedded resource",
           "Embeds the resource that it is given", kUriArgument, messages_with_resource},
    Prompt{
        "test_prompt_with_image", "Prompt with image", "Shows an image", {}, messages_with_image},
    Prompt{"test_prompt_with_audio",
           "Prompt with audio",
           "Plays a sound",
           {},
           messages_with_audio,
           &model::Revision::has_audio},
    Prompt{"test_input_required_result_prompt",
           "Prompt that asks",
           "Asks the user for a context, and shows it",
           {},
           messages_with_context,
           &model::Revision::asks_in_results,
           gather_context},
};

const Prompt kExtraPrompt = {"test_extra_prompt",
                             "Extra prompt",
                             "Comes and goes with test_trigger_prompt_change",
                             {},
                             extra_messages};

std::vector<const Prompt*> prompts_of(const Context& context) {
  std::vector<const Prompt*> prompts;
  for (const Prompt& prompt : kPrompts) {
    if (context.speaks().satisfies(prompt.exists)) prompts.push_back(&prompt);
  }
  if (context.has_extra(Context::Extra::kPrompt)) prompts.push_back(&kExtraPrompt);
  return prompts;
}

Json describe(const Context& context, const Prompt& prompt) {
  const bool has_titles = context.speaks().has_titles();
  Json json = {{"name", prompt.name}, {"description", prompt.description}};
  if (has_titles) json["title"] = prompt.title;
  if (context.speaks().has_icons()) json["icons"] = sample_icons();
  for (const PromptArgument& argument : prompt.arguments) {
    Json described = {
        {"name", argument.name}, {"description", argument.description}, {"required", true}};
    if (has_titles) described["title"] = argument.title;
    json["arguments"].push_back(std::move(described));
  }
  return json;
}

}  // namespace

const Prompt* find_prompt(const Context& context, std::string_view name) {
  for (const Prompt* prompt : prompts_of(context)) {
    if (prompt->name == name) return prompt;
  }
  return nullptr;
}

Answer list_prompts(Context& context, Call& call) {
  const std::vector<const Prompt*> prompts = prompts_of(context);
  return paginate(context, call.params(), "prompts", prompts.size(),
                  [&](std::size_t i) { return describe(context, *prompts[i]); });
}

Answer get_prompt(Context& context, Call& call) {
  const std::optional<std::string> name = string_member(call.params(), "name");
  if (!name) return invalid_params("name must be a string");
  const Prompt* prompt = find_prompt(context, *name);
  if (!prompt) return invalid_params("Unknown prompt");
  const Json& arguments = member(call.params(), "arguments");
  if (!arguments.is_null() && !arguments.is_object()) {
    return invalid_params("arguments must be an object");
  }
  for (const PromptArgument& argument : prompt->arguments) {
    if (!string_member(arguments, argument.name.data())) {
      return invalid_params("Missing argument: " + std::string(argument.name));
    }
  }
  // What is embedded is told back as a URI, and must be one.
  const std::optional<std::string> uri = string_member(arguments, kUriArgument[0].name.data());
  if (prompt->messages == messages_with_resource && !model::has_format(model::Format::kUri, *uri)) {
    return invalid_params("resourceUri must be a URI");
  }
  if (!prompt->gather) {
    return Json{{"description", prompt->description}, {"messages", prompt->messages(arguments)}};
  }
  Json gathered = arguments.is_null() ? Json::object() : arguments;
  if (auto unfinished = prompt->gather(context, gathered)) return *std::move(unfinished);
  return Json{{"description", prompt->description}, {"messages", prompt->messages(gathered)}};
}

}  // namespace assay::server
