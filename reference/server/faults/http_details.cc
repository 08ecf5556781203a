// Faults of who looks at HTTP requests less exactly, or at some of them only.
// Specification: basic/transports, "Streamable HTTP" and "Session Management".
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "reference/server/faults/overlooked.h"
#include "reference/server/faults/rows.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using transport::find_header;
using transport::HttpHead;
using transport::HttpReply;

std::string origin_of(const HttpHead& request) {
  return std::string(find_header(request.headers, "Origin").value_or(""));
}

// Like a date of four, two and two digits.
bool is_like_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  return std::equal(text.begin(), text.end(), kForm.begin(), kForm.end(), [](char c, char form) {
    return form == 'd' ? c >= '0' && c <= '9' : c == form;
  });
}

std::vector<Fault> origin_details() {
  return {
      {.id = "origin-by-part",
       .description = "Serves pages of any origin that has localhost in it",
       .breaks = {"http.origin-validated", "http-sse.origin-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (origin_of(request).find("localhost") != std::string::npos) {
               overlook(request, "Origin");
             }
           }},
      {.id = "origin-by-end",
       .description = "Serves pages of any origin that ends like one of this machine",
       .breaks = {"http.origin-validated", "http-sse.origin-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (origin_of(request).ends_with("localhost")) overlook(request, "Origin");
           }},
      {.id = "origin-of-get-unchecked",
       .description = "Opens streams for pages of any origin",
       .breaks = {"http.origin-validated", "http-sse.origin-validated"},
       .seen_over = SeenOver::kHttpOnly,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (request.method == "GET") overlook(request, "Origin");
           }},
  };
}

// "If the server receives a request with an invalid or unsupported MCP-Protocol-Version, it MUST
// respond with 400 Bad Request": a list and a call are requests as well as a ping.
Fault version_header_of(std::string_view id, std::string_view description,
                        void (*mishears)(const Json&, HttpHead&)) {
  return {.id = id,
          .description = description,
          .breaks = {"http.version-header-invalid-400"},
          .seen_over = SeenOver::kHttpOnly,
          .concerns = &model::Revision::has_protocol_version_header,
          .mishears = mishears};
}

// "The server MAY terminate the session at any time, after which it MUST respond to requests
// containing that session ID with HTTP 404 Not Found": whatever they ask for.
template <Literal kMethod>
bool is_refused_as_ended(std::string_view body, const HttpReply& reply) {
  const Json json = Json::parse(body, nullptr, false);
  return reply.status == 404 && json.is_object() && json.value("method", Json()) == kMethod.text();
}

std::vector<Fault> details_by_method() {
  return {
      version_header_of("bad-version-header-of-lists", "Lists tools for any MCP-Protocol-Version",
                        overlook_of<"tools/list", "MCP-Protocol-Version">),
      version_header_of("bad-version-header-of-calls",
                        "Answers calls of tools with any MCP-Protocol-Version",
                        overlook_of<"tools/call", "MCP-Protocol-Version">),
      {.id = "ended-session-lists-served",
       .description = "Lists no tools to an ended session, in place of 404",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             if (!is_refused_as_ended<"tools/list">(body, reply)) return;
             const Json answer = {{"jsonrpc", "2.0"},
                                  {"id", Json::parse(body)["id"]},
                                  {"result", {{"tools", Json::array()}}}};
             reply = {200, {{"Content-Type", "application/json"}}, answer.dump(), nullptr};
           }},
      {.id = "ended-session-calls-400",
       .description = "Refuses calls of an ended session with 400 instead of 404",
       .breaks = {"http.session-terminated-404"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             if (is_refused_as_ended<"tools/call">(body, reply)) reply.status = 400;
           }},
  };
}

// A day of the calendar from that of the first version on.
bool is_day_of_versions(std::string_view text) {
  constexpr std::string_view kFirst = "2024-11-05";
  if (!is_like_date(text) || text < kFirst) return false;
  const auto number = [text](std::size_t at, std::size_t length) {
    int value = 0;
    for (const char digit : text.substr(at, length)) value = 10 * value + (digit - '0');
    return value;
  };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

void overlook_day_of_versions(HttpHead& request) {
  const auto version = find_header(request.headers, "MCP-Protocol-Version");
  if (version && is_day_of_versions(*version)) overlook(request, "MCP-Protocol-Version");
}

std::vector<Fault> header_details() {
  return {
      version_header_of(
          "bad-version-header-after-first",
          "Accepts any date from that of the first version on as MCP-Protocol-Version",
          [](const Json&, HttpHead& request) { overlook_day_of_versions(request); }),
      version_header_of("bad-version-header-of-delete-after-first",
                        "Ends sessions with any date from that of the first version on as "
                        "MCP-Protocol-Version",
                        [](const Json&, HttpHead& request) {
                          if (request.method == "DELETE") overlook_day_of_versions(request);
                        }),
      {.id = "bad-version-header-of-get",
       .description = "Opens streams with any MCP-Protocol-Version",
       .breaks = {"http.version-header-invalid-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_protocol_version_header,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (request.method == "GET") overlook(request, "MCP-Protocol-Version");
           }},
      {.id = "bad-version-header-of-delete",
       .description = "Ends sessions with any MCP-Protocol-Version",
       .breaks = {"http.version-header-invalid-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_protocol_version_header,
       .mishears =
           [](const Json&, HttpHead& request) {
             if (request.method == "DELETE") overlook(request, "MCP-Protocol-Version");
           }},
      {.id = "bad-version-header-like-date",
       .description = "Accepts any MCP-Protocol-Version that looks like a date",
       .breaks = {"http.version-header-invalid-400"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_protocol_version_header,
       .mishears =
           [](const Json&, HttpHead& request) {
             const auto version = find_header(request.headers, "MCP-Protocol-Version");
             if (version && is_like_date(*version)) overlook(request, "MCP-Protocol-Version");
           }},
      {.id = "session-id-mostly-fixed",
       .description = "Makes long session ids that differ in six characters",
       .breaks = {"http.session-id-secure"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .session_id =
           [](std::string id) { return "session-of-the-reference-server-" + id.substr(0, 6); }},
  };
}

std::vector<Fault> answer_details() {
  return {
      {.id = "notification-204",
       .description = "Accepts notifications with 204 instead of 202",
       .breaks = {"http.accepted-202"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             if (reply.status == 202) reply.status = 204;
           }},
      {.id = "response-200",
       .description = "Accepts the responses of clients with 200 instead of 202",
       .breaks = {"http.accepted-202"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view body, HttpReply& reply) {
             const bool is_response = body.find("\"method\"") == std::string_view::npos;
             if (reply.status == 202 && is_response) reply.status = 200;
           }},
      {.id = "json-of-other-type",
       .description = "Sends JSON answers as application/json-rpc",
       .breaks = {"http.request-answer-type"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .reply =
           [](const HttpHead&, std::string_view, HttpReply& reply) {
             for (auto& [name, value] : reply.headers) {
               const bool is_json = name == "Content-Type" && value == "application/json";
               if (reply.status == 200 && is_json) value = "application/json-rpc";
             }
           }},
      {.id = "get-406",
       .description = "Refuses GET with 406 instead of 405",
       .breaks = {"http.get-answer"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (request.method == "GET" && reply.status == 200) reply = {406, {}, "", nullptr};
           }},
      {.id = "get-204",
       .description = "Answers GET with 204 and no stream",
       .breaks = {"http.get-answer"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .reply =
           [](const HttpHead& request, std::string_view, HttpReply& reply) {
             if (request.method == "GET" && reply.status == 200) reply = {204, {}, "", nullptr};
           }},
  };
}

// Severe last; -1 for what is none.
int severity_of(const Json& level) {
  constexpr std::string_view kLevels[] = {"debug", "info",     "notice", "warning",
                                          "error", "critical", "alert",  "emergency"};
  const auto* const found = std::find(std::begin(kLevels), std::end(kLevels), level);
  return found == std::end(kLevels) ? -1 : static_cast<int>(found - std::begin(kLevels));
}

std::vector<Fault> client_mixing_faults() {
  return {
      {.id = "log-level-of-others",
       .description = "Logs for each client from the level on that any client has set last",
       .breaks = {"logging.session-level-respected"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .intake =
           [](Json& request, FaultMemory& memory) {
             const Json::json_pointer level("/params/level");
             if (request.value("method", "") != "logging/setLevel" || !request.contains(level)) {
               return;
             }
             if (severity_of(request.at(level)) >= 0) memory.of_server["level"] = request.at(level);
           },
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             if (!d.is_notification("notifications/message")) return;
             const int wanted = severity_of(memory.of_server.value("level", Json("debug")));
             if (severity_of(d.params().value("level", Json())) < wanted) d.drop();
           },
       .inside = Switch::kIgnoresLogLevel},
      {.id = "cancels-calls-of-others",
       .description = "Cancels what any client has under way with a text for its id",
       .breaks = {"cancellation.unknown-ignored"},
       // What nobody cancelled ends without a response.
       .may_break = {"http.stream-not-closed-early", "http.stream-response"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .heard_by_everybody =
           [](const wire::Message& message) {
             return message.method() == "notifications/cancelled" && message.has_params() &&
                    message.params().is_object() &&
                    message.params().value("requestId", Json()).is_string();
           }},
      {.id = "updates-after-unsubscribe-over-get",
       .description = "Goes on announcing changes on the GET stream after unsubscribe",
       .breaks = {"resources.updates-only-subscribed"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .inside = Switch::kIgnoresUnsubscribe},
      {.id = "list-change-told-to-one",
       .description = "Changes the prompts of all clients, and tells the one that made the change",
       .breaks = {"prompts.list-changed-notified"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .recollection =
           [](Departure& d, FaultMemory& memory) {
             Json& changes = memory.of_server["changes"];
             if (changes.is_null()) changes = 0;
             if (d.is_result_of("tools/call") &&
                 member(d.request()->params(), "name") == "test_trigger_prompt_change") {
               changes = changes.get<int>() + 1;
             } else if (d.is_result_of("prompts/list") && !d.result()["prompts"].empty()) {
               d.result()["prompts"][0]["description"] = "Changed " + changes.dump() + " times";
             }
           }},
      {.id = "updates-for-everybody",
       .description = "Tells every client of the changes that one has subscribed to",
       .breaks = {"resources.updates-only-subscribed"},
       .seen_over = SeenOver::kHttpOnly,
       .concerns = &model::Revision::has_streamable_http,
       .tells_everybody =
           [](const Departure& d) { return d.is_notification("notifications/resources/updated"); }},
  };
}

}  // namespace

std::vector<Fault> http_detail_faults() {
  std::vector<Fault> all;
  for (std::vector<Fault> (*table)() :
       {origin_details, header_details, details_by_method, answer_details, client_mixing_faults}) {
    for (Fault& fault : table()) all.push_back(std::move(fault));
  }
  return all;
}

}  // namespace assay::server
