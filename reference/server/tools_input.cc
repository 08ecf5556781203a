// Tools that cannot be completed at once: they ask the client in their result.
// Specification: basic/patterns/mrtr, and the pages of what they ask for.
#include <chrono>
#include <optional>
#include <string>

#include "reference/server/content.h"
#include "reference/server/handlers.h"
#include "reference/server/inputs.h"
#include "reference/server/offered_tool.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

Json sampling_request(std::string_view text) {
  const Json message = {{"role", "user"}, {"content", text_content(text)}};
  return {{"messages", Json::array({message})}, {"maxTokens", 100}};
}

Json text_form(const char* field) {
  return required_arguments({{field, {{"type", "string"}}}});
}

Json confirmation_form() {
  return required_arguments({{"ok", {{"type", "boolean"}}}});
}

// What the user has filled into that field; or what he did instead.
std::string filled_in(const Json& answer, const char* field) {
  const Json& value = member(member(answer, "content"), field);
  if (value.is_null()) return "(" + string_member(answer, "action").value_or("nothing") + ")";
  return value.is_string() ? value.get<std::string>() : wire::encode(value);
}

Answer ask_user(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  const Json* const answer = round.elicit("user_name", "What is your name?", text_form("name"));
  if (auto unfinished = round.unfinished()) return *std::move(unfinished);
  return tool_text("Hello, " + filled_in(*answer, "name") + "!");
}

Answer ask_model(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  const Json* const answer = round.ask("sample_request", "sampling/createMessage",
                                       sampling_request("What is the capital of France?"));
  if (auto unfinished = round.unfinished()) return *std::move(unfinished);
  return tool_text("LLM response: " + sampled_text(*answer));
}

// A model that uses its tool is given the result, and asked again.
Answer ask_model_with_tool(ToolDialogue& conversation, const Json&) {
  constexpr std::size_t kMostRounds = 4;  // a model may use its tools for ever
  InputRound round(conversation.context());
  Json messages = member(round.state(), "messages");
  if (!messages.is_array()) {
    messages = sampling_request("How long is the word elephant?")["messages"];
  }
  for (std::size_t number = messages.size() / 2 + 1; number <= kMostRounds; ++number) {
    const Json* const said = round.ask(
        "sample_" + std::to_string(number), "sampling/createMessage",
        {{"messages", messages}, {"maxTokens", 100}, {"tools", Json::array({offered_tool()})}});
    if (auto unfinished = round.unfinished({{"messages", messages}})) return *std::move(unfinished);
    const Json results = tool_results(*said);
    if (results.empty()) return tool_text("LLM response: " + sampled_text(*said));
    messages.push_back({{"role", "assistant"}, {"content", (*said)["content"]}});
    messages.push_back({{"role", "user"}, {"content", results}});
  }
  return tool_error("The model used its tool again and again");
}

Answer ask_roots(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  const Json* const answer = round.ask("roots_request", "roots/list");
  if (auto unfinished = round.unfinished()) return *std::move(unfinished);
  return tool_text("Roots: " + wire::encode(member(*answer, "roots")));
}

// The answer counts only beside the state that its question came with, within `ttl`.
Answer ask_to_confirm(ToolDialogue& conversation, std::optional<std::chrono::milliseconds> ttl) {
  InputRound round(conversation.context());
  if (ttl) round.set_ttl(*ttl);
  const Json state = {{"question", "confirm"}};
  if (round.state() != state) round.forget_answers();
  const Json* const answer = round.elicit("confirm", "Please confirm", confirmation_form());
  if (auto unfinished = round.unfinished(state)) return *std::move(unfinished);
  return tool_text("state-ok: confirmed " + filled_in(*answer, "ok"));
}

Answer ask_with_state(ToolDialogue& conversation, const Json&) {
  return ask_to_confirm(conversation, std::nullopt);
}

Answer ask_with_short_state(ToolDialogue& conversation, const Json&) {
  return ask_to_confirm(conversation, std::chrono::milliseconds(200));
}

Answer ask_for_all(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  const Json* const name = round.elicit("user_name", "What is your name?", text_form("name"));
  const Json* const greeting =
      round.ask("greeting", "sampling/createMessage", sampling_request("Generate a greeting"));
  const Json* const roots = round.ask("client_roots", "roots/list");
  if (auto unfinished = round.unfinished({{"question", "all"}})) return *std::move(unfinished);
  return tool_text(sampled_text(*greeting) + ", " + filled_in(*name, "name") + ": " +
                   std::to_string(member(*roots, "roots").size()) + " roots");
}

Answer ask_twice(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  std::optional<std::string> name = string_member(round.state(), "name");
  if (!name) {
    const Json* const first =
        round.elicit("step1", "Step 1: What is your name?", text_form("name"));
    if (auto unfinished = round.unfinished({{"step", 1}})) return *std::move(unfinished);
    name = filled_in(*first, "name");
  }
  const Json* const second =
      round.elicit("step2", "Step 2: What is your favourite colour?", text_form("color"));
  if (auto unfinished = round.unfinished({{"step", 2}, {"name", *name}})) {
    return *std::move(unfinished);
  }
  return tool_text(*name + " likes " + filled_in(*second, "color") + ".");
}

Answer ask_what_is_declared(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  const Json sampling = sampling_request("Say something");
  if (round.can_ask("elicitation/create", Json::object())) {
    round.elicit("user_name", "What is your name?", text_form("name"));
  }
  if (round.can_ask("sampling/createMessage", sampling)) {
    round.ask("greeting", "sampling/createMessage", sampling);
  }
  if (round.can_ask("roots/list", nullptr)) round.ask("client_roots", "roots/list");
  if (auto unfinished = round.unfinished()) return *std::move(unfinished);
  return tool_text("Whatever the client supports was asked for.");
}

// The page that the user visits is on a server of ours, which would tell us that he has been there;
// that he says so has to do.
Answer ask_to_visit(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  const Json* const answer = round.ask("visit", "elicitation/create",
                                       {{"mode", "url"},
                                        {"message", "Please enter your API key on this page"},
                                        {"url", "https://example.com/elicit"}});
  if (auto unfinished = round.unfinished({{"question", "visit"}})) return *std::move(unfinished);
  return tool_text("Elicitation by URL: " + filled_in(*answer, "none"));
}

Answer ask_with_defaults(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  const Json* const answer = round.elicit(
      "values", "Please confirm these values",
      optional_arguments(
          {{"name", {{"type", "string"}, {"default", "John Doe"}}},
           {"age", {{"type", "integer"}, {"default", 30}}},
           {"verified", {{"type", "boolean"}, {"default", true}}},
           {"status",
            {{"type", "string"}, {"enum", {"active", "inactive"}}, {"default", "active"}}}}));
  if (auto unfinished = round.unfinished()) return *std::move(unfinished);
  return tool_text("Confirmed: " + wire::encode(member(*answer, "content")));
}

// Asks for nothing, but to be called again: the work goes on elsewhere.
Answer come_back(ToolDialogue& conversation, const Json&) {
  InputRound round(conversation.context());
  if (round.state().is_null()) return round.come_back({{"round", 1}});
  return tool_text("Welcome back.");
}

// What it tells on its way goes out ahead of the question.
Answer ask_on_stream(ToolDialogue& conversation, const Json& arguments) {
  conversation.progress(1, 2, "About to ask");
  return ask_user(conversation, arguments);
}

Tool asking(const char* name, const char* title, const char* description,
            Answer (*run)(ToolDialogue&, const Json&)) {
  return {.name = name,
          .title = title,
          .description = description,
          .input_schema = no_arguments(),
          .run = run,
          .exists = &model::Revision::asks_in_results};
}

}  // namespace

std::vector<Tool> input_tools() {
  return {
      asking("test_missing_capability", "Missing capability", "Needs the client's sampling",
             ask_model),
      asking("test_input_required_result_elicitation", "Asks the user", "Asks for a name",
             ask_user),
      asking("test_input_required_result_sampling", "Asks the model", "Asks the client's model",
             ask_model),
      asking("test_input_required_result_sampling_tools", "Asks the model with a tool",
             "Offers the client's model a tool, and gives it the result", ask_model_with_tool),
      asking("test_input_required_result_list_roots", "Asks for roots", "Lists the client's roots",
             ask_roots),
      asking("test_input_required_result_request_state", "Asks with state",
             "Asks, and knows its state again", ask_with_state),
      asking("test_input_required_result_multiple_inputs", "Asks for everything",
             "Asks the user, the model and for roots at once", ask_for_all),
      asking("test_input_required_result_multi_round", "Asks twice", "Asks again when answered",
             ask_twice),
      asking("test_input_required_result_tampered_state", "Signed state",
             "Refuses state that was altered", ask_with_state),
      asking("test_input_required_result_short_state", "State that expires",
             "Asks, and refuses its state when 200 ms have passed", ask_with_short_state),
      asking("test_input_required_result_capabilities", "Asks what it may",
             "Asks for what the client declared", ask_what_is_declared),
      asking("test_input_required_result_url", "Asks for a visit", "Asks the user to visit a page",
             ask_to_visit),
      asking("test_input_required_result_defaults", "Asks with defaults",
             "Asks with a form that has a default for each type", ask_with_defaults),
      asking("test_input_required_result_state_only", "Comes back",
             "Asks to be called again with its state", come_back),
      asking("test_streaming_elicitation", "Asks on a stream", "Reports progress, and asks",
             ask_on_stream),
  };
}

}  // namespace assay::server
