// Faults of a server that does not keep its users apart: what one has begun, another goes on with.
// Specification: basic/utilities/tasks, "Task Isolation and Access Control" (2025-11-25);
// client/elicitation, "Statefulness" and "Security Considerations"; basic/patterns/mrtr, "Server
// Requirements (Basic Workflow)"; basic/authorization, "Access Token Privilege Restriction".
#include <string_view>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/rows.h"
#include "reference/server/faults/tokens.h"

namespace assay::server {
namespace {

// Takes the other user for the first one where he asks for this.
template <Literal kMethod>
void as_first_user(const Json& body, transport::HttpHead& request) {
  const bool is_asked = method_of(body) == kMethod.text();
  if (is_asked && shows(request, kOtherUsersToken)) take_for(request, kReferenceToken);
}

template <Literal kMethod>
void make_public(const transport::HttpHead& request, std::string_view body,
                 transport::HttpReply& reply, void (*change)(Json& result)) {
  if (method_of(Json::parse(body, nullptr, false)) != kMethod.text()) return;
  Json message = Json::parse(reply.body, nullptr, false);
  if (!message.is_object() || !message.contains("result")) return;
  message["result"]["cacheScope"] = "public";
  if (shows(request, kOtherUsersToken)) change(message["result"]);
  reply.body = message.dump();
}

}  // namespace

std::vector<Fault> user_faults() {
  return {
      {.id = "sessions-of-any-user",
       .description = "Takes any good token for any session",
       .breaks = {"authorization.no-data-to-unauthorized", "elicitation.bound-to-client-and-user",
                  "elicitation.state-bound-to-user", "elicitation.state-not-by-session-alone",
                  "tasks.bound-to-authorization", "tasks.foreign-task-refused",
                  "tasks.list-own-context"},
       .concerns = &model::Revision::has_audiences_in_sessions,
       .neglects = transport::HttpDuty::kKeepsSessionsToUsers},
      {.id = "streams-of-any-user",
       .description = "Gives a stream to any good token that names its session",
       .breaks = {"authorization.no-data-to-unauthorized"},
       .concerns = &model::Revision::has_audiences_in_sessions,
       .mishears =
           [](const Json&, transport::HttpHead& request) {
             const bool is_get = request.method == "GET";
             if (is_get && shows(request, kOtherUsersToken)) take_for(request, kReferenceToken);
           }},
      {.id = "tasks-of-any-user",
       .description = "Shows and cancels a task for any user who knows its id",
       .breaks = {"tasks.bound-to-authorization", "tasks.foreign-task-refused"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kFindsTasksOfAll},
      {.id = "task-list-of-all-users",
       .description = "Lists the tasks of all users to each of them",
       .breaks = {"tasks.list-own-context"},
       .concerns = &model::Revision::has_core_tasks,
       .inside = Switch::kListsTasksOfAll},
      {.id = "answers-of-any-user",
       .description = "Takes the answer to an elicitation from another user",
       .breaks = {"elicitation.bound-to-client-and-user", "elicitation.state-bound-to-user"},
       .concerns = &model::Revision::has_url_elicitation_requests,
       .inside = Switch::kTakesAnswersFromAnyone},
      {.id = "states-of-any-user",
       .description = "Takes the requestState of another user",
       .breaks = {"mrtr.state-bound-to-principal", "elicitation.bound-to-client-and-user"},
       .concerns = &model::Revision::is_stateless,
       .inside = Switch::kTakesStateOfOtherUsers},
      {.id = "task-list-of-session",
       .description = "Lists the tasks of a session to any user who names it",
       .breaks = {"tasks.list-own-context"},
       .concerns = &model::Revision::has_core_tasks,
       .mishears =
           [](const Json& body, transport::HttpHead& request) {
             const bool is_list = method_of(body) == "tasks/list";
             if (is_list && shows(request, kOtherUsersToken)) take_for(request, kReferenceToken);
           }},
      {.id = "task-cancel-in-session",
       .description = "Cancels a task for each user that names its session",
       .breaks = {"tasks.bound-to-authorization", "tasks.foreign-task-refused"},
       .concerns = &model::Revision::has_core_tasks,
       .mishears = as_first_user<"tasks/cancel">},
      {.id = "states-name-their-user",
       .description = "Writes the user's name into a requestState, and believes what is written",
       .breaks = {"mrtr.state-integrity-protected", "mrtr.tampered-state-rejected"},
       .may_break = {"mrtr.state-distrusted", "mrtr.state-bound-to-request"},
       .concerns = &model::Revision::is_stateless,
       .inside = Switch::kBelievesNameInState},
      {.id = "public-list-of-user",
       .description = "Calls a list public that it makes for each user",
       .breaks = {"caching.public-awareness"},
       .concerns = &model::Revision::is_stateless,
       .reply =
           [](const transport::HttpHead& request, std::string_view body,
              transport::HttpReply& reply) {
             if (method_of(Json::parse(body, nullptr, false)) != "tools/list") return;
             Json message = Json::parse(reply.body, nullptr, false);
             if (!message.is_object() || !message.contains("result")) return;
             message["result"]["cacheScope"] = "public";
             if (shows(request, kOtherUsersToken)) {
               message["result"]["tools"][0]["description"] = "A tool for bob";
             }
             reply.body = message.dump();
           }},
      {.id = "states-name-their-user-behind",
       .description = "Seals a requestState, and writes its user's name after the seal",
       .breaks = {"mrtr.state-integrity-protected", "mrtr.tampered-state-rejected"},
       .may_break = {"mrtr.state-distrusted", "mrtr.state-bound-to-request"},
       .concerns = &model::Revision::is_stateless,
       .inside = Switch::kNamesUserBehindState},
      {.id = "states-sealed-by-sums",
       .description = "Seals a requestState by a sum that everybody can make",
       .breaks = {"mrtr.state-integrity-protected", "mrtr.tampered-state-rejected"},
       .may_break = {"mrtr.state-distrusted", "mrtr.state-bound-to-request"},
       .concerns = &model::Revision::is_stateless,
       .inside = Switch::kSealsStateBySum},
      {.id = "task-result-in-session",
       .description = "Gives the result of a task to each user that names its session",
       .breaks = {"tasks.bound-to-authorization", "tasks.foreign-task-refused"},
       .concerns = &model::Revision::has_core_tasks,
       .mishears = as_first_user<"tasks/result">},
      {.id = "public-discovery-of-user",
       .description = "Calls what it says of itself public, and says it to each user otherwise",
       .breaks = {"caching.public-awareness"},
       .concerns = &model::Revision::is_stateless,
       .reply =
           [](const transport::HttpHead& request, std::string_view body,
              transport::HttpReply& reply) {
             make_public<"server/discover">(
                 request, body, reply, [](Json& result) { result["instructions"] = "For bob"; });
           }},
      {.id = "public-resource-of-user",
       .description = "Calls a resource public that it gives each user otherwise",
       .breaks = {"caching.public-awareness"},
       .concerns = &model::Revision::is_stateless,
       .reply =
           [](const transport::HttpHead& request, std::string_view body,
              transport::HttpReply& reply) {
             make_public<"resources/read">(request, body, reply, [](Json& result) {
               result["contents"][0]["text"] = "For bob";
             });
           }},
      {.id = "public-list-of-scopes",
       .description = "Calls a list public that it makes by the scopes of the token",
       .breaks = {"caching.public-awareness"},
       .concerns = &model::Revision::is_stateless,
       .reply =
           [](const transport::HttpHead& request, std::string_view body,
              transport::HttpReply& reply) {
             if (method_of(Json::parse(body, nullptr, false)) != "prompts/list") return;
             Json message = Json::parse(reply.body, nullptr, false);
             if (!message.is_object() || !message.contains("result")) return;
             message["result"]["cacheScope"] = "public";
             if (shows(request, kNarrowToken)) message["result"]["prompts"].erase(0);
             reply.body = message.dump();
           }},
      {.id = "other-token-in-log",
       .description = "Logs the token of another user",
       .breaks = {"logging.no-credentials", "logging.sensitive-removed"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/message")) return;
             d.params()["data"] = {{"last", std::string(kOtherUsersToken)}};
           }},
      {.id = "token-in-log",
       .description = "Logs the token that a client shows",
       .breaks = {"logging.no-credentials", "logging.sensitive-removed"},
       .departure =
           [](Departure& d) {
             if (!d.is_notification("notifications/message")) return;
             d.params()["data"] = {{"text", "a request with " + std::string(kReferenceToken)}};
           }},
      {.id = "answers-kept-for-all-users",
       .description = "Remembers what a user told a tool, and takes it for what the next one says",
       .breaks = {"elicitation.state-bound-to-user"},
       .concerns = &model::Revision::is_stateless,
       .intake =
           [](Json& request, FaultMemory& memory) {
             if (request.value("method", "") != "tools/call") return;
             Json& params = request["params"];
             if (!params.is_object() || !params.contains("name")) return;
             Json& kept = memory.of_server[params["name"].dump()];
             if (params.contains("inputResponses")) {
               kept = params["inputResponses"];
             } else if (!kept.is_null()) {
               params["inputResponses"] = kept;
             }
           }},
  };
}

}  // namespace assay::server
