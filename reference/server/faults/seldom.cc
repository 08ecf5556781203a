// Faults of sessions that show in one place out of many, or only later: the second ping, errors
// alone, a task that has ended. Specification: basic, basic/lifecycle, basic/transports,
// basic/utilities/ping and tasks, server/prompts, server/resources, server/utilities/logging.
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/overlooked.h"
#include "reference/server/faults/rows.h"
#include "reference/server/handlers.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using model::Revision;

// --- Messages ---

void fill_later_pings(Departure& d, FaultMemory& memory) {
  if (!d.is_result_of("ping")) return;
  const int pings = memory.of_connection.value("pings", 0);
  memory.of_connection["pings"] = pings + 1;
  if (pings > 0) d.result()["pings"] = pings;
}

std::string* text_id_in(Departure& d) {
  const bool is_answer = d.is_result() || d.is_error();
  if (!is_answer || !d.json().contains("id") || !d.json()["id"].is_string()) return nullptr;
  return d.json()["id"].get_ptr<std::string*>();
}

void cut_id(Departure& d) {
  constexpr std::size_t kLongest = 24;
  std::string* const id = text_id_in(d);
  if (id != nullptr && id->size() > kLongest) id->resize(kLongest);
}

void spoil_text_of_tool(Departure& d) {
  if (!d.is_result_of("tools/call")) return;
  std::string text = d.text();
  text.insert(text.size() - 1, ",\"note\":\"caf\xe9\"");
  d.set_bytes(std::move(text));
}

std::vector<Fault> seldom_messages() {
  return {
      {.id = "later-pings-with-content",
       .description = "Answers its first ping with nothing, and counts the others",
       .breaks = {"ping.empty-result"},
       .recollection = fill_later_pings},
      {.id = "ids-cut",
       .description = "Answers with the first letters of a long id",
       .breaks = {"jsonrpc.response-id", "jsonrpc.result-response-id", "jsonrpc.error-response-id"},
       .may_break = {"jsonrpc.request-answered-once"},
       .departure = cut_id},
      {.id = "newline-in-errors",
       .description = "Writes errors over several lines",
       .breaks = {"stdio.no-embedded-newlines"},
       .seen_over = SeenOver::kStdioOnly,
       .departure =
           [](Departure& d) {
             if (d.is_error()) d.set_bytes(d.json().dump(2));
           }},
      {.id = "latin-1-in-calls",
       .description = "Writes what its tools say in Latin-1",
       .breaks = {"jsonrpc.utf8"},
       .may_break = {"jsonrpc.request-answered-once"},
       .departure = spoil_text_of_tool},
      {.id = "no-jsonrpc-in-errors",
       .description = "Leaves \"jsonrpc\" out of errors",
       .breaks = {"jsonrpc.version-2-messages"},
       .departure = erases<any_error, "/jsonrpc">},
      {.id = "log-with-null-id",
       .description = "Gives its log messages a null id",
       .breaks = {"jsonrpc.notification-no-id"},
       .may_break = {"jsonrpc.request-id-not-null", "schema.server-notifications",
                     "schema.server-requests", "jsonrpc.request-id-type"},
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/message")) d.json()["id"] = nullptr;
           }},
  };
}

// --- Openings and header fields ---

void echo_words(Departure& d) {
  if (!d.is_result_of("initialize")) return;
  const Json& asked = member(asked_params(d), "protocolVersion");
  if (!asked.is_string()) return;
  const auto& version = asked.get_ref<const std::string&>();
  if (version.empty() || std::isdigit(static_cast<unsigned char>(version.front())) != 0) return;
  d.result()["protocolVersion"] = version;
}

std::vector<Fault> seldom_openings() {
  return {
      {.id = "unknown-words-echoed",
       .description = "Answers with the version that it was asked for where that is not a date",
       .breaks = {"lifecycle.version-unsupported-other"},
       .departure = echo_words},
      unchecked_origin_of<"initialize">("origin-of-initialize-unchecked",
                                        "Begins sessions for pages of any origin",
                                        &Revision::has_http_sessions),
      unchecked_origin_of<"tools/list">("origin-of-session-lists-unchecked",
                                        "Lists tools in a session of any origin",
                                        &Revision::has_http_sessions),
      unchecked_origin_of<"tools/call">("origin-of-session-calls-unchecked",
                                        "Calls tools in a session of any origin",
                                        &Revision::has_http_sessions),
      {.id = "session-id-with-umlaut",
       .description = "Makes session ids with a letter that ASCII does not have",
       .breaks = {"http.session-id-visible-ascii"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &Revision::has_streamable_http,
       .session_id = [](std::string id) { return id.insert(id.size() / 2, "\xc3\xbc"); }},
  };
}

// --- Features ---

void add_odd_resource(Departure& d) {
  if (!d.is_result_of("resources/list") || d.result().contains("nextCursor")) return;
  d.result()["resources"].push_back({{"uri", "my_app://notes/1"}, {"name", "notes-of-my-app"}});
}

void make_prompt_without_arguments(Departure& d) {
  const bool is_it = d.is_error_of("prompts/get", wire::kInvalidParams) &&
                     !asked_params(d).contains("arguments") &&
                     d.json()["error"].value("message", "") != "Unknown prompt";
  if (!is_it) return;
  d.json().erase("error");
  d.json()["result"] = {{"messages", Json::array()}};
}

void spoil_later_content(Departure& d, FaultMemory& memory) {
  if (!d.is_result_of("tools/call") || !d.result().contains("structuredContent")) return;
  const std::string tool = member(asked_params(d), "name").dump();
  const int calls =
      memory.of_server["calls"].is_object() ? memory.of_server["calls"].value(tool, 0) : 0;
  memory.of_server["calls"][tool] = calls + 1;
  if (calls > 0) d.result()["structuredContent"] = {{"unheard-of", nullptr}};
}

std::vector<Fault> seldom_features() {
  return {
      {.id = "resource-scheme-with-underscore",
       .description = "Lists a resource whose scheme has an underscore",
       .breaks = {"resources.custom-scheme-rfc3986"},
       .may_break = {"schema.resources-list-result", "resources.list-changed-notified"},
       .departure = add_odd_resource},
      {.id = "prompt-without-arguments-made",
       .description = "Makes a prompt for a request without arguments, though it requires them",
       .breaks = {"prompts.missing-argument-error"},
       .may_break = {"prompts.arguments-validated"},
       .departure = make_prompt_without_arguments},
      {.id = "log-level-warn-accepted",
       .description = "Takes \"warn\" for a log level",
       .breaks = {"logging.invalid-level-error"},
       .departure =
           [](Departure& d) {
             if (!d.is_error_of("logging/setLevel", wire::kInvalidParams)) return;
             if (member(asked_params(d), "level") != "warn") return;
             d.json().erase("error");
             d.json()["result"] = Json::object();
           }},
      {.id = "later-structured-content-spoiled",
       .description =
           "Gives structured content that its outputSchema allows in the first call only",
       .breaks = {"tools.structured-content-conforms"},
       .may_break = {"tools.structured-content-as-text"},
       .concerns = &Revision::has_structured_content,
       .recollection = spoil_later_content},
  };
}

// --- Tasks ---

// Of tasks whose end it has told, and which are cancelled later.
void cancel_what_is_complete(Departure& d, FaultMemory& memory) {
  const Json& id = member(asked_params(d), "taskId");
  if (!id.is_string()) return;
  const auto& key = id.get_ref<const std::string&>();
  if (d.is_result_of("tasks/get") && d.result().value("status", "") == "completed") {
    memory.of_server["complete"][key] = d.result();
  }
  if (!d.is_error_of("tasks/cancel", wire::kInvalidParams)) return;
  const Json& task = member(memory.of_server["complete"], key.c_str());
  if (!task.is_object()) return;
  d.json().erase("error");
  d.json()["result"] = task;
}

std::vector<Fault> seldom_tasks() {
  return {
      {.id = "task-cancelled-once-complete",
       .description = "Takes the cancellation of a task that is complete",
       .breaks = {"tasks.cancel-terminal-refused"},
       .may_break = {"tasks.cancel-status-first"},
       .concerns = &Revision::has_core_tasks,
       .recollection = cancel_what_is_complete},
      {.id = "task-failure-unrelated",
       .description = "Does not say which task a result with isError belongs to",
       .breaks = {"tasks.related-task-in-result"},
       .concerns = &Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (!d.is_result_of("tasks/result") || !d.result().value("isError", false)) return;
             d.result().erase("_meta");
           }},
      {.id = "task-result-error-code-404",
       .description = "Refuses the results of unknown tasks with the code of HTTP",
       .breaks = {"tasks.standard-errors"},
       .may_break = {"tasks.unknown-task-error"},
       .concerns = &Revision::has_core_tasks,
       .departure =
           [](Departure& d) {
             if (d.is_error_of("tasks/result", wire::kInvalidParams)) d.set_error_code(-404);
           }},
  };
}

}  // namespace

std::vector<Fault> seldom_faults() {
  std::vector<Fault> all;
  for (const auto table : {seldom_messages, seldom_openings, seldom_features, seldom_tasks}) {
    for (Fault& fault : table()) {
      if (fault.concerns == nullptr) fault.concerns = &Revision::has_handshake;
      all.push_back(std::move(fault));
    }
  }
  return all;
}

}  // namespace assay::server
