// Tools that ask the client: sampling, elicitation, roots.
// Specification: client/sampling, client/elicitation, client/roots.
#include <optional>
#include <string>

#include "reference/model/schema_check.h"
#include "reference/model/validate.h"
#include "reference/server/content.h"
#include "reference/server/offered_tool.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"
#include "reference/transport/random_id.h"
#include "reference/wire/compose.h"

namespace assay::server {
namespace {

using model::Revision;

// What is wrong with what the client answered, by the schema of the protocol; nothing if nothing
// is.
std::optional<std::string> defect_of(ToolDialogue& conversation, std::string_view type,
                                     const Json& answer) {
  const Session& session = conversation.session();
  if (session.options().has(Switch::kTrustsAnswers)) return std::nullopt;
  for (const model::Deviation& deviation : model::validate(session.speaks(), type, answer)) {
    if (deviation.strength == model::Strength::kMust) return model::to_text(deviation);
  }
  return std::nullopt;
}

Answer sampling(ToolDialogue& conversation, const Json& arguments) {
  const Json message = {{"role", "user"}, {"content", text_content(arguments.value("prompt", ""))}};
  const ClientAnswer reply = conversation.ask(
      "sampling/createMessage", {{"messages", Json::array({message})}, {"maxTokens", 100}});
  if (!reply.is_result()) return tool_error("Sampling failed: " + reply.trouble());
  if (const auto defect = defect_of(conversation, "CreateMessageResult", reply.value)) {
    return tool_error("Sampling failed: " + *defect);
  }
  return tool_text("LLM response: " + sampled_text(reply.value));
}

Answer sampling_with_tools(ToolDialogue& conversation, const Json& arguments) {
  constexpr int kMostRounds = 4;  // a model may use its tools for ever
  Json messages =
      Json::array({{{"role", "user"}, {"content", text_content(arguments.value("prompt", ""))}}});
  for (int round = 0; round < kMostRounds; ++round) {
    const ClientAnswer reply = conversation.ask(
        "sampling/createMessage",
        {{"messages", messages}, {"maxTokens", 100}, {"tools", Json::array({offered_tool()})}});
    if (!reply.is_result()) return tool_error("Sampling failed: " + reply.trouble());
    if (const auto defect = defect_of(conversation, "CreateMessageResult", reply.value)) {
      return tool_error("Sampling failed: " + *defect);
    }
    const Json results = tool_results(reply.value);
    if (results.empty()) return tool_text("LLM response: " + sampled_text(reply.value));
    messages.push_back({{"role", "assistant"}, {"content", reply.value["content"]}});
    messages.push_back({{"role", "user"}, {"content", results}});
  }
  return tool_error("Sampling failed: the model used its tools again and again");
}

// Asks with a form and tells what came back.
Answer elicit(ToolDialogue& conversation, std::string_view message, const Json& schema,
              std::string_view introduction) {
  Json params = {{"message", message}, {"requestedSchema", schema}};
  const Session& session = conversation.session();
  if (session.speaks().has_url_elicitation()) params["mode"] = "form";
  const ClientAnswer reply = conversation.ask("elicitation/create", std::move(params));
  if (!reply.is_result()) return tool_error("Elicitation failed: " + reply.trouble());
  const Json& action = reply.value.contains("action") ? reply.value["action"] : Json("?");
  if (const auto defect = defect_of(conversation, "ElicitResult", reply.value)) {
    return tool_error("Elicitation failed: " + *defect);
  }
  const Json content = reply.value.value("content", Json::object());
  if (action == "accept" && !session.options().has(Switch::kTrustsAnswers)) {
    const model::SchemaVerdict verdict = model::check_against_schema(schema, content);
    if (verdict.outcome == model::SchemaOutcome::kInvalid) {
      return tool_error("Elicitation failed: " + model::to_text(verdict.deviations.front()));
    }
  }
  return tool_text(std::string(introduction) + ": action=" +
                   (action.is_string() ? action.get<std::string>() : wire::encode(action)) +
                   ", content=" + wire::encode(content));
}

Answer elicitation(ToolDialogue& conversation, const Json& arguments) {
  return elicit(conversation, arguments.value("message", "Please answer"),
                required_arguments(
                    {{"username", {{"type", "string"}, {"description", "User's response"}}},
                     {"email", {{"type", "string"}, {"description", "User's email address"}}}}),
                "User response");
}

Answer elicitation_defaults(ToolDialogue& conversation, const Json&) {
  return elicit(conversation, "Please confirm these values",
                optional_arguments({{"name", {{"type", "string"}, {"default", "John Doe"}}},
                                    {"age", {{"type", "integer"}, {"default", 30}}},
                                    {"score", {{"type", "number"}, {"default", 95.5}}},
                                    {"status",
                                     {{"type", "string"},
                                      {"enum", {"active", "inactive", "pending"}},
                                      {"default", "active"}}},
                                    {"verified", {{"type", "boolean"}, {"default", true}}}}),
                "Elicitation completed");
}

Json titled(std::string_view value, std::string_view title) {
  return {{"const", value}, {"title", title}};
}

Answer elicitation_enums(ToolDialogue& conversation, const Json&) {
  const Json options = {"option1", "option2", "option3"};
  const Json choices =
      Json::array({titled("value1", "First Option"), titled("value2", "Second Option"),
                   titled("value3", "Third Option")});
  const Json schema = optional_arguments(
      {{"untitledSingle", {{"type", "string"}, {"enum", options}}},
       {"titledSingle", {{"type", "string"}, {"oneOf", choices}}},
       {"legacyEnum",
        {{"type", "string"},
         {"enum", {"opt1", "opt2", "opt3"}},
         {"enumNames", {"Option One", "Option Two", "Option Three"}}}},
       {"untitledMulti", {{"type", "array"}, {"items", {{"type", "string"}, {"enum", options}}}}},
       {"titledMulti", {{"type", "array"}, {"items", {{"anyOf", choices}}}}}});
  return elicit(conversation, "Please choose", schema, "Elicitation completed");
}

Answer elicitation_url(ToolDialogue& conversation, const Json&) {
  const std::string id = transport::random_id();
  const ClientAnswer reply =
      conversation.ask("elicitation/create", {{"mode", "url"},
                                              {"message", "Please enter your API key on this page"},
                                              {"url", "https://example.com/elicit?id=" + id},
                                              {"elicitationId", id}});
  if (!reply.is_result()) return tool_error("Elicitation failed: " + reply.trouble());
  const std::string action = string_member(reply.value, "action").value_or("?");
  if (action == "accept") {
    conversation.notify("notifications/elicitation/complete", {{"elicitationId", id}});
  }
  return tool_text("Elicitation by URL: action=" + action);
}

Answer elicitation_required(ToolDialogue&, const Json&) {
  const std::string id = transport::random_id();
  return Refusal{wire::kUrlElicitationRequired,
                 "This tool needs you to visit a page first",
                 {{"elicitations", Json::array({{{"mode", "url"},
                                                 {"message", "Please visit this page"},
                                                 {"url", "https://example.com/elicit?id=" + id},
                                                 {"elicitationId", id}}})}}};
}

Answer roots(ToolDialogue& conversation, const Json&) {
  const ClientAnswer reply = conversation.ask("roots/list", nullptr);
  if (!reply.is_result()) return tool_error("Roots could not be listed: " + reply.trouble());
  return tool_text("Roots: " + wire::encode(reply.value.value("roots", Json::array())));
}

}  // namespace

std::vector<Tool> client_tools() {
  return {
      {.name = "test_sampling",
       .title = "Sampling",
       .description = "Asks the client's model",
       .input_schema = required_arguments({{"prompt", {{"type", "string"}}}}),
       .run = sampling,
       .is_slow = true,
       .exists = &Revision::has_server_requests},
      {.name = "test_sampling_with_tools",
       .title = "Sampling with tools",
       .description = "Asks the client's model, and offers it a tool",
       .input_schema = required_arguments({{"prompt", {{"type", "string"}}}}),
       .run = sampling_with_tools,
       .is_slow = true,
       .exists = &Revision::has_sampling_tool_requests},
      {.name = "test_elicitation",
       .title = "Elicitation",
       .description = "Asks the user",
       .input_schema = required_arguments({{"message", {{"type", "string"}}}}),
       .run = elicitation,
       .is_slow = true,
       .exists = &Revision::has_elicitation_requests},
      {.name = "test_elicitation_sep1034_defaults",
       .title = "Elicitation with defaults",
       .description = "Asks the user, with a default for each type",
       .input_schema = no_arguments(),
       .run = elicitation_defaults,
       .is_slow = true,
       .exists = &Revision::has_rich_elicitation_requests},
      {.name = "test_elicitation_sep1330_enums",
       .title = "Elicitation with choices",
       .description = "Asks the user, with each form of enum",
       .input_schema = no_arguments(),
       .run = elicitation_enums,
       .is_slow = true,
       .exists = &Revision::has_rich_elicitation_requests},
      {.name = "test_elicitation_url",
       .title = "Elicitation by URL",
       .description = "Asks the user to visit a page",
       .input_schema = no_arguments(),
       .run = elicitation_url,
       .is_slow = true,
       .exists = &Revision::has_url_elicitation_requests},
      {.name = "test_url_elicitation_required",
       .title = "Elicitation required",
       .description = "Fails until the user has visited a page",
       .input_schema = no_arguments(),
       .run = elicitation_required,
       .exists = &Revision::has_url_elicitation_requests},
      {.name = "test_roots",
       .title = "Roots",
       .description = "Lists the client's roots",
       .input_schema = no_arguments(),
       .run = roots,
       .is_slow = true,
       .exists = &Revision::has_server_requests},
  };
}

}  // namespace assay::server
