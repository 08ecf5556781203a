// Faults of clients that show in some messages only: in answers, in notifications, in the fields of
// one method. Specification: basic, "Messages"; basic/transports; client/roots;
// server/utilities/pagination.
#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "reference/client/faults/fault.h"
#include "reference/client/faults/fields.h"
#include "reference/transport/request_headers.h"

namespace assay::client {
namespace {

using model::Revision;

bool is_answer_json(const Json& json) {
  return json.is_object() && (json.contains("result") || json.contains("error"));
}

bool is_notification_json(const Json& json) {
  return json.is_object() && json.contains("method") && !json.contains("id");
}

std::string* text_id_of_answer(Departure& d) {
  Json& json = d.json();
  if (!is_answer_json(json) || !json.contains("id") || !json["id"].is_string()) return nullptr;
  return json["id"].get_ptr<std::string*>();
}

// A server that takes none of its messages waits in every scenario: one revision is enough.
constexpr Revision::Question kOneRevision = &Revision::has_core_tasks;

std::vector<Fault> seldom_answers() {
  const std::vector<std::string_view> wrong_id = {"jsonrpc.response-id",
                                                  "jsonrpc.result-response-id"};
  const std::vector<std::string_view> follow = {"jsonrpc.error-response-id",
                                                "jsonrpc.request-answered-once", "ping.answered",
                                                "jsonrpc.unknown-method-refused"};
  return {
      {.id = "answers-in-lower-case",
       .description = "Answers a request whose id is a text with that text in lower case",
       .breaks = wrong_id,
       .may_break = follow,
       .concerns = &Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             std::string* const id = text_id_of_answer(d);
             if (id == nullptr) return;
             std::transform(id->begin(), id->end(), id->begin(),
                            [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
           }},
      {.id = "answers-of-32-bits",
       .description = "Answers a request with no more than 32 bits of its id",
       .breaks = wrong_id,
       .may_break = follow,
       .concerns = &Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             constexpr std::int64_t kLargest = 2'147'483'647;
             Json& json = d.json();
             if (!is_answer_json(json) || !json.contains("id")) return;
             if (json["id"].is_number_integer() && json["id"].get<std::int64_t>() > kLargest) {
               json["id"] = kLargest;
             }
           }},
      {.id = "error-code-fraction",
       .description = "Sends an error whose code is a fraction",
       .breaks = {"jsonrpc.error-code-integer"},
       .may_break = {"jsonrpc.unknown-method-code"},
       .concerns = kOneRevision,
       .departure =
           [](Departure& d) {
             if (d.is_error()) d.json()["error"]["code"] = -32601.5;
           }},
      {.id = "answers-without-jsonrpc",
       .description = "Leaves \"jsonrpc\" out of what it answers",
       .breaks = {"jsonrpc.version-2-messages"},
       .concerns = kOneRevision,
       .departure =
           [](Departure& d) {
             if (is_answer_json(d.json())) d.json().erase("jsonrpc");
           }},
      {.id = "notifications-without-jsonrpc",
       .description = "Leaves \"jsonrpc\" out of its notifications",
       .breaks = {"jsonrpc.version-2-messages"},
       .may_break = {"lifecycle.initialized-notification"},
       .concerns = kOneRevision,
       .departure =
           [](Departure& d) {
             if (is_notification_json(d.json())) d.json().erase("jsonrpc");
           }},
      {.id = "initialized-with-null-id",
       .description = "Sends notifications/initialized with a null id",
       .breaks = {"jsonrpc.notification-no-id"},
       .may_break = {"lifecycle.initialized-notification"},
       .concerns = kOneRevision,
       .departure =
           [](Departure& d) {
             if (d.is_notification("notifications/initialized")) d.json()["id"] = nullptr;
           }},
      {.id = "second-root-of-http",
       .description = "Lists a root that is a file, and one that is not",
       .breaks = {"roots.uri-is-file"},
       .concerns = &Revision::has_server_requests,
       .departure =
           [](Departure& d) {
             if (!d.answers("roots/list") || d.is_error()) return;
             d.json()["result"]["roots"].push_back({{"uri", "vscode-remote://host/folder"}});
           }},
      {.id = "cursor-in-lower-case",
       .description = "Writes cursors in lower case",
       .breaks = {"pagination.opaque-cursor", "pagination.cursor-not-parsed"},
       .departure =
           [](Departure& d) {
             const Json cursor = d.part("cursor");
             if (!cursor.is_string()) return;
             auto text = cursor.get<std::string>();
             for (char& c : text)
               c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
             d.params()["cursor"] = text;
           }},
  };
}

Fault field_fault(std::string_view id, std::string_view description, std::string_view breaks,
                  void (*fields)(std::string_view, const Json&, transport::Headers&)) {
  return {.id = id,
          .description = description,
          .breaks = {breaks},
          .may_break = {"lifecycle.initialize-first", "lifecycle.initialized-notification"},
          .seen_over = SeenOver::kHttpOnly,
          .concerns = &Revision::has_http_sessions,
          .fields = fields};
}

std::vector<Fault> seldom_fields() {
  return {
      field_fault("calls-outside-session", "Leaves the session id out where it calls a tool",
                  "http.session-id-sent",
                  [](std::string_view, const Json& body, transport::Headers& fields) {
                    if (asks_for(body, "tools/call")) take_field_out(fields, "Mcp-Session-Id");
                  }),
      field_fault("initialized-outside-session",
                  "Leaves the session id out of notifications/initialized", "http.session-id-sent",
                  [](std::string_view, const Json& body, transport::Headers& fields) {
                    if (asks_for(body, "notifications/initialized")) {
                      take_field_out(fields, "Mcp-Session-Id");
                    }
                  }),
      field_fault("calls-without-version", "Leaves MCP-Protocol-Version out where it calls a tool",
                  "http.version-header",
                  [](std::string_view, const Json& body, transport::Headers& fields) {
                    if (asks_for(body, "tools/call")) {
                      take_field_out(fields, transport::kProtocolVersionHeader);
                    }
                  }),
      field_fault("answers-without-version", "Leaves MCP-Protocol-Version out where it answers",
                  "http.version-header",
                  [](std::string_view, const Json& body, transport::Headers& fields) {
                    if (is_answer_json(body)) {
                      take_field_out(fields, transport::kProtocolVersionHeader);
                    }
                  }),
      field_fault("calls-accept-json-only", "Accepts JSON only where it calls a tool",
                  "http.post-accept",
                  [](std::string_view, const Json& body, transport::Headers& fields) {
                    if (asks_for(body, "tools/call")) {
                      overwrite_field(fields, "Accept", "application/json");
                    }
                  }),
      field_fault("lists-accept-text-only", "Accepts texts only where it lists tools",
                  "http.post-accept",
                  [](std::string_view, const Json& body, transport::Headers& fields) {
                    if (asks_for(body, "tools/list")) overwrite_field(fields, "Accept", "text/*");
                  }),
  };
}

}  // namespace

std::vector<Fault> seldom_faults() {
  std::vector<Fault> all = seldom_answers();
  for (Fault& fault : seldom_fields()) all.push_back(std::move(fault));
  return all;
}

}  // namespace assay::client
