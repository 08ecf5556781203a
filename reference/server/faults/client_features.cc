// Faults of what the server asks its client for: sampling, roots; and of `_meta`.
// Specification: client; basic, "_meta".
#include <string>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

bool is_sampling(Departure& d) {
  return d.is_request("sampling/createMessage");
}

Json message(const char* role, Json content) {
  return {{"role", role}, {"content", std::move(content)}};
}
Json text(const char* words) {
  return {{"type", "text"}, {"text", words}};
}
Json tool_use(const char* id) {
  return {{"type", "tool_use"}, {"id", id}, {"name", "a"}, {"input", Json::object()}};
}
Json tool_result(const char* id) {
  return {{"type", "tool_result"}, {"toolUseId", id}, {"content", Json::array({text("done")})}};
}

void say(Departure& d, std::initializer_list<Json> messages) {
  for (const Json& one : messages) d.params()["messages"].push_back(one);
}

void add_meta(Departure& d, const char* key) {
  if (d.is_result_of("tools/list")) d.result()["_meta"][key] = 1;
}

std::vector<Fault> sampling_faults() {
  return {
      {.id = "sampling-with-undeclared-tools",
       .description = "Offers tools for sampling to clients that do not take them",
       .breaks = {"sampling.tools-only-if-declared"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (is_sampling(d)) d.params()["tools"] = Json::array();
           }},
      {.id = "sampling-with-tool-choice",
       .description = "Gives clients that take no tools for sampling a choice of tools",
       .breaks = {"sampling.tools-only-if-declared"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (is_sampling(d)) d.params()["toolChoice"] = {{"mode", "auto"}};
           }},
      {.id = "sampling-with-context",
       .description = "Asks to include context that the client does not offer",
       .breaks = {"sampling.context-values-avoided", "sampling.context-only-if-declared"},
       .concerns = &Revision::has_sampling_tools,
       .departure = sets<is_sampling, "/params/includeContext", "thisServer">},
      {.id = "tool-results-mixed",
       .description = "Mixes tool results with text",
       .breaks = {"sampling.tool-results-alone", "sampling.tool-use-answered"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (!is_sampling(d)) return;
             say(d, {message("assistant", tool_use("use")),
                     message("user", Json::array({tool_result("use"), text("There.")}))});
           }},
      {.id = "tool-use-unanswered",
       .description = "Leaves a tool use without its result",
       .breaks = {"sampling.tool-use-answered"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (!is_sampling(d)) return;
             say(d, {message("assistant", tool_use("use")), message("user", text("Go on."))});
           }},
      {.id = "tool-use-half-answered",
       .description = "Gives the result of one of two tool uses",
       .breaks = {"sampling.tool-use-answered"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (!is_sampling(d)) return;
             Json& content = d.params()["messages"].back()["content"];
             if (content.is_array() && content.size() > 1) content.erase(content.size() - 1);
           }},
      {.id = "tool-result-renamed",
       .description = "Gives the result of a tool use under an id of its own",
       .breaks = {"sampling.tool-result-id", "sampling.tool-use-answered"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (!is_sampling(d)) return;
             Json& content = d.params()["messages"].back()["content"];
             if (content.is_array()) content[0]["toolUseId"] = "my-own";
           }},
      {.id = "tool-result-of-nothing",
       .description = "Gives the result of a tool use that never was",
       .breaks = {"sampling.tool-result-id"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (is_sampling(d)) say(d, {message("user", tool_result("never"))});
           }},
      {.id = "tool-result-against-schema",
       .description = "Gives a tool result that its own outputSchema forbids",
       .breaks = {"sampling.tool-result-conforms", "sampling.tools-only-if-declared"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (!is_sampling(d)) return;
             d.params()["tools"] = Json::array(
                 {{{"name", "a"},
                   {"inputSchema", {{"type", "object"}}},
                   {"outputSchema", {{"type", "object"}, {"required", Json::array({"sum"})}}}}});
             Json result = tool_result("use");
             result["structuredContent"] = {{"product", 7}};
             say(d, {message("assistant", tool_use("use")), message("user", std::move(result))});
           }},
      {.id = "answers-trusted",
       .description = "Takes whatever the client answers as it comes",
       .breaks = {"elicitation.server-validates", "sampling.content-validated"},
       .inside = Switch::kTrustsAnswers},
      {.id = "file-outside-roots",
       .description = "Reads files outside the roots",
       .breaks = {"roots.boundaries-respected", "roots.paths-validated"},
       .departure =
           [](Departure& d) {
             if (!d.is_error() || !d.answers("resources/read")) return;
             const std::string uri = d.request()->params().value("uri", std::string());
             if (!uri.starts_with("file:///") || !uri.ends_with("/hosts")) return;
             d.json().erase("error");
             d.json()["result"]["contents"] =
                 Json::array({{{"uri", uri}, {"text", "127.0.0.1 localhost"}}});
           }},
      {.id = "own-progress-token-fraction",
       .description = "Asks for progress with a token that is a fraction",
       .breaks = {"progress.token-type", "schema.server-requests"},
       .departure =
           [](Departure& d) {
             if (is_sampling(d)) d.params()["_meta"]["progressToken"] = 1.5;
           }},
      {.id = "own-progress-token-twice",
       .description = "Gives two requests at once the same progress token",
       .breaks = {"progress.token-unique"},
       .departure =
           [](Departure& d) {
             if (!is_sampling(d)) return;
             d.params()["_meta"]["progressToken"] = "same";
             // So many in a row that no client can have answered each before the next one comes.
             for (int i = 0; i < 32; ++i) {
               const auto id = "twin-" + std::to_string(i) + "-" + d.json()["id"].dump();
               d.before(wire::encode(wire::make_request(wire::Id::of_string(id), "ping",
                                                        {{"_meta", {{"progressToken", "same"}}}})));
             }
           }},
  };
}

std::vector<Fault> cancelling_faults() {
  return {
      {.id = "cancels-what-never-was",
       .description = "Cancels a request that it never sent",
       .breaks = {"cancellation.same-direction"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/call")) return;
             d.before(wire::encode(wire::make_notification("notifications/cancelled",
                                                           {{"requestId", "never-sent"}})));
           }},
      {.id = "cancels-what-was-answered",
       .description = "Cancels its first request long after it was answered",
       .breaks = {"cancellation.still-in-progress", "cancellation.same-direction"},
       .may_break = {"cancellation.not-for-tasks", "cancellation.tasks-use-tasks-cancel"},
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("ping")) return;
             d.after(wire::encode(
                 wire::make_notification("notifications/cancelled", {{"requestId", 1}})));
           }},
      {.id = "cancels-nothing",
       .description = "Cancels without saying what",
       .breaks = {"cancellation.request-id-given"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           precedes<result_of<"tools/call">,
                    R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})">},
      {.id = "cancels-task-by-request",
       .description = "Cancels a task by the id of its request",
       .breaks = {"cancellation.tasks-use-tasks-cancel", "cancellation.not-for-tasks",
                  "tasks.none-without-capability"},
       // The answer may come in between the request and its cancellation.
       .may_break = {"cancellation.still-in-progress"},
       .concerns = &Revision::has_sampling_tools,
       .departure =
           [](Departure& d) {
             if (!is_sampling(d)) return;
             d.params()["task"] = {{"ttl", 1000}};
             d.after(wire::encode(wire::make_notification("notifications/cancelled",
                                                          {{"requestId", d.json()["id"]}})));
           }},
      {.id = "roots-change-refused",
       .description = "Answers the notification of changed roots with an error",
       .breaks = {"roots.list-changes-handled"},
       .arrival =
           [](Arrival& a) {
             if (a.is_notification() &&
                 a.message().method() == "notifications/roots/list_changed") {
               a.send(wire::make_error(std::nullopt, wire::kInternalError, "Not now"));
             }
           }},
      {.id = "missing-roots-refused",
       .description = "Answers an error about roots with an error",
       .breaks = {"roots.unavailable-handled"},
       .arrival =
           [](Arrival& a) {
             if (a.message().kind() == wire::MessageKind::kError) {
               a.send(wire::make_error(std::nullopt, wire::kInternalError, "I need roots"));
             }
           }},
  };
}

std::vector<Fault> meta_faults() {
  return {
      {.id = "meta-reserved-presumed-in-lists",
       .description =
           "Lists tools only where the value of a key of _meta that MCP reserves is text",
       .breaks = {"meta.no-assumptions"},
       .concerns = &Revision::has_meta_key_rules,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tools/list") || !d.request()->has_params()) return;
             const Json meta = d.request()->params().value("_meta", Json::object());
             for (const auto& [key, value] : meta.items()) {
               if (key.find("mcp") == std::string::npos || value.is_string()) continue;
               d.json().erase("result");
               d.json()["error"] = {{"code", wire::kInvalidParams}, {"message", "Unknown value"}};
             }
           }},
      {.id = "meta-reserved-presumed",
       .description = "Refuses a key of _meta that MCP reserves unless its value is an object",
       .breaks = {"meta.no-assumptions"},
       .concerns = &Revision::has_meta_key_rules,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("ping") || !d.request()->has_params()) return;
             const Json& params = d.request()->params();
             const Json meta = params.value("_meta", Json::object());
             for (const auto& [key, value] : meta.items()) {
               if (key.find("mcp") == std::string::npos || value.is_object()) continue;
               d.json().erase("result");
               d.json()["error"] = {{"code", wire::kInvalidParams}, {"message", "Unknown value"}};
               return;
             }
           }},
      {.id = "meta-prefix-empty",
       .description = "Uses a key of _meta with an empty prefix",
       .breaks = {"meta.prefix-form"},
       .concerns = &Revision::has_meta_key_rules,
       .departure = [](Departure& d) { add_meta(d, "/page"); }},
      {.id = "meta-label-digit",
       .description = "Uses a key of _meta with a label that begins with a digit",
       .breaks = {"meta.label-form"},
       .concerns = &Revision::has_meta_key_rules,
       .departure = [](Departure& d) { add_meta(d, "com.1example/page"); }},
      {.id = "meta-name-hyphen",
       .description = "Uses a key of _meta that ends with a hyphen",
       .breaks = {"meta.name-form"},
       .concerns = &Revision::has_meta_key_rules,
       .departure = [](Departure& d) { add_meta(d, "com.example/page-"); }},
      {.id = "meta-prefix-forwards",
       .description = "Uses a key of _meta whose prefix is a domain written forwards",
       .breaks = {"meta.prefix-reverse-dns"},
       .concerns = &Revision::has_url_elicitation_requests,
       .departure = [](Departure& d) { add_meta(d, "example.com/page"); }},
  };
}

}  // namespace

std::vector<Fault> client_feature_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() : {sampling_faults, cancelling_faults, meta_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
