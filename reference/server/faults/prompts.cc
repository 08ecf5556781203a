// Faults of prompts and completion. Specification: server.
#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

void spoil_prompts(Departure& d, const char* type, void (*spoil)(Json&)) {
  if (!d.is_result_of("prompts/get")) return;
  for (Json& message : d.result()["messages"]) {
    if (message["content"].value("type", "") == type) spoil(message["content"]);
  }
}

bool refuses_completion(Departure& d, std::string_view words) {
  return d.is_error_of("completion/complete", wire::kInvalidParams) &&
         d.json()["error"].value("message", "").find(words) != std::string::npos;
}

void suggest(Departure& d, const std::vector<std::string>& values) {
  d.json().erase("error");
  d.json()["result"] = {{"completion", {{"values", values}}}};
}

}  // namespace

std::vector<Fault> prompt_faults() {
  return {
      {.id = "prompt-image-type-invalid",
       .description = "Gives an image in a prompt a MIME type that is none",
       .breaks = {"prompts.image-encoded"},
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "image", [](Json& content) { content["mimeType"] = "picture"; });
           }},
      {.id = "prompt-audio-type-invalid",
       .description = "Gives audio in a prompt a MIME type that is none",
       .breaks = {"prompts.audio-encoded"},
       .concerns = &Revision::has_audio,
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "audio", [](Json& content) { content["mimeType"] = "sound"; });
           }},
      {.id = "prompt-audio-not-base64",
       .description = "Gives audio in a prompt that is not base64",
       .breaks = {"prompts.audio-encoded"},
       .concerns = &Revision::has_audio,
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "audio", [](Json& content) { content["data"] = "RIFF, raw"; });
           }},
      {.id = "prompt-image-type-with-blank",
       .description = "Gives an image in a prompt a MIME type with a blank in it",
       .breaks = {"prompts.image-encoded"},
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "image", [](Json& content) { content["mimeType"] = "image/ png"; });
           }},
      {.id = "prompt-audio-called-text",
       .description = "Gives audio in a prompt the MIME type of a text",
       .breaks = {"prompts.audio-encoded"},
       .concerns = &Revision::has_audio,
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "audio", [](Json& content) { content["mimeType"] = "text/plain"; });
           }},
      {.id = "prompt-image-called-sound",
       .description = "Gives an image in a prompt the MIME type of a sound",
       .breaks = {"prompts.image-encoded"},
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "image", [](Json& content) { content["mimeType"] = "audio/wav"; });
           }},
      {.id = "prompt-resource-called-sound",
       .description = "Embeds a text in a prompt with the MIME type of a sound",
       .breaks = {"prompts.embedded-mime-type"},
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "resource",
                           [](Json& content) { content["resource"]["mimeType"] = "audio/wav"; });
           }},
      {.id = "prompt-resource-uri-invalid",
       .description = "Embeds a resource with no valid URI in a prompt",
       .breaks = {"prompts.embedded-uri-valid", "schema.prompts-get-result"},
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "resource",
                           [](Json& content) { content["resource"]["uri"] = "no uri"; });
           }},
      {.id = "prompt-resource-without-mime-type",
       .description = "Embeds a resource without a MIME type in a prompt",
       .breaks = {"prompts.embedded-mime-type"},
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "resource",
                           [](Json& content) { content["resource"].erase("mimeType"); });
           }},
      {.id = "prompt-resource-without-contents",
       .description = "Embeds a resource without contents in a prompt",
       .breaks = {"prompts.embedded-contents", "schema.prompts-get-result"},
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "resource", [](Json& content) { content["resource"].erase("text"); });
           }},
      {.id = "prompt-argument-types-unchecked",
       .description = "Makes prompts with arguments that are not text",
       .breaks = {"prompts.arguments-validated"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("prompts/get", wire::kInvalidParams)) return;
             for (const Json& value : d.request()->params().value("arguments", Json::object())) {
               if (value.is_string()) continue;
               d.json().erase("error");
               d.json()["result"] = {{"messages", Json::array()}};
               return;
             }
           }},
      {.id = "prompt-blob-not-base64",
       .description = "Embeds a resource in a prompt whose binary data are not base64",
       .breaks = {"prompts.embedded-contents"},
       .may_break = {"schema.prompts-get-result"},
       .departure =
           [](Departure& d) {
             spoil_prompts(d, "resource", [](Json& content) {
               content["resource"].erase("text");
               content["resource"]["blob"] = "raw, and no base64!";
             });
           }},
      {.id = "prompt-arguments-unchecked",
       .description = "Makes prompts without arguments that they require",
       .breaks = {"prompts.missing-argument-error", "prompts.arguments-validated"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("prompts/get", wire::kInvalidParams)) return;
             if (d.json()["error"].value("message", "") == "Unknown prompt") return;
             d.json().erase("error");
             d.json()["result"] = {{"messages", Json::array()}};
           }},
      {.id = "completion-unchecked",
       .description = "Completes whatever it is asked for",
       .breaks = {"completion.server-validates", "completion.inputs-validated",
                  "completion.unknown-prompt-error", "completion.missing-argument-error"},
       .departure =
           [](Departure& d) {
             if (d.is_error_of("completion/complete", wire::kInvalidParams)) suggest(d, {});
           }},
      {.id = "completion-of-any-argument",
       .description = "Suggests values for arguments that a prompt lacks",
       .breaks = {"completion.server-validates", "completion.inputs-validated"},
       .departure =
           [](Departure& d) {
             if (refuses_completion(d, "no such")) suggest(d, {"a value"});
           }},
      {.id = "completion-of-any-template",
       .description = "Suggests values for resource templates that it does not have",
       .breaks = {"completion.server-validates", "completion.inputs-validated"},
       .departure =
           [](Departure& d) {
             if (refuses_completion(d, "Unknown resource template")) suggest(d, {"a value"});
           }},
      {.id = "completion-without-name",
       .description = "Completes an argument whose name is missing",
       .breaks = {"completion.missing-argument-error"},
       .concerns = &Revision::has_completions_capability,
       .departure =
           [](Departure& d) {
             if (!refuses_completion(d, "must have a name")) return;
             const Json& argument = d.request()->params().value("argument", Json());
             if (argument.is_object() && !argument.contains("name")) suggest(d, {});
           }},
      {.id = "unknown-prompt-other-code",
       .description = "Refuses unknown prompts, and missing arguments, with -32603",
       .breaks = {"prompts.unknown-name-error", "prompts.missing-argument-error"},
       .departure =
           [](Departure& d) {
             if (d.is_error_of("prompts/get", wire::kInvalidParams)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
      {.id = "prompt-message-without-role",
       .description = "Leaves the role out of the messages of prompts",
       .breaks = {"schema.prompts-get-result"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("prompts/get")) return;
             for (Json& message : d.result()["messages"]) message.erase("role");
           }},
      {.id = "completion-too-long",
       .description = "Completes with more than 100 values",
       .breaks = {"schema.completion-result"},
       .concerns = &Revision::has_completions_capability,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("completion/complete")) return;
             Json& values = d.result()["completion"]["values"];
             while (values.size() <= 100) values.push_back("more");
           }},
      {.id = "unknown-completion-other-code",
       .description = "Refuses completion for unknown prompts with -32603",
       .breaks = {"completion.unknown-prompt-error", "completion.missing-argument-error"},
       .concerns = &Revision::has_completions_capability,
       .departure =
           [](Departure& d) {
             if (d.is_error_of("completion/complete", wire::kInvalidParams)) {
               d.set_error_code(wire::kInternalError);
             }
           }},
  };
}

}  // namespace assay::server
