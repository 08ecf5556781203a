#include "scenarios/token_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "harness/script/json_member.h"
#include "harness/script/means.h"
#include "harness/script/usable.h"
#include "reference/wire/compose.h"
#include "reference/wire/form.h"
#include "reference/wire/message.h"
#include "scenarios/http_calls.h"
#include "scenarios/task_calls.h"
#include "scenarios/tokens.h"

namespace assay::scenarios {

using namespace harness;
using transport::Headers;

namespace {

// Of a tool that takes its time.
constexpr std::chrono::milliseconds kLongestPlaceCall{3'000};

class Places {
 public:
  Places(Script& script, Connection& session) : script_(script), session_(session) {}

  std::vector<TokenPlace> take_requests() {
    add_methods();
    if (session_.revision().is_stateless()) add_listening();
    return std::move(all_);
  }

  std::vector<TokenPlace> take() {
    add_methods();
    add_pages();
    if (session_.revision().has_sessions()) {
      add_messages();
      add_tasks();
      add_resumption();
      all_.push_back({"a GET", [this_session = &session_](const Headers& headers) {
                        return get_stream(*this_session, headers);
                      }});
    } else {
      add_listening();
    }
    add_paths();
    // The last: a server may begin anew.
    if (session_.revision().has_sessions()) {
      all_.push_back({"initialize in a session", [session = &session_](const Headers& headers) {
                        return post(*session, opening_request(*session), headers);
                      }});
    }
    return std::move(all_);
  }

 private:
  void add_request(const std::string& name, const std::string& method, const Json& params) {
    all_.push_back({name, [session = &session_, method, params](const Headers& headers) {
                      Json request = session->fence_request(session->next_id());
                      request["method"] = method;
                      if (!params.empty()) request["params"].update(params);
                      return post(*session, request, headers, kLongestPlaceCall);
                    }});
  }
  void add_request(const std::string& method, const Json& params = Json::object()) {
    add_request(method, method, params);
  }

  void add_methods() {
    add_request(std::string(session_.fence_method()));
    add_request("an unknown method", "assay/no-such-method", Json::object());
    const Survey& survey = script_.survey();
    for (const Listing& listing : survey.listings()) {
      if (listing.is_declared) add_request(listing.method);
    }
    for (const ToolUse& tool : plain_tools(survey, script_.tool_policy(), 1)) {
      add_request("tools/call", {{"name", tool.name}, {"arguments", tool.arguments}});
    }
    for (const Json& prompt : survey.prompts().items) {
      if (!is_named(prompt) || !required_arguments(prompt).empty()) continue;
      add_request("prompts/get", {{"name", text_member(prompt, "name")}});
      break;
    }
    add_resource_methods();
    add_completion();
    if (session_.revision().is_stateless()) return;
    if (session_.has_capability("logging")) add_request("logging/setLevel", {{"level", "info"}});
    if (session_.has_capability("tasks.list")) add_request("tasks/list");
  }

  // Of what the profile knows; else of the first argument of a prompt, known or not.
  void add_completion() {
    if (!session_.has_capability("completions")) return;
    const auto add = [this](const Json& reference, std::string_view argument,
                            std::string_view value) {
      add_request("completion/complete",
                  {{"ref", reference}, {"argument", {{"name", argument}, {"value", value}}}});
    };
    if (!script_.profile().completions.empty()) {
      const KnownCompletion& known = script_.profile().completions.front();
      return add(known.reference, known.argument, known.value);
    }
    for (const Json& prompt : script_.survey().prompts().items) {
      const Json& arguments = array_member(prompt, "arguments");
      if (!is_named(prompt) || arguments.empty()) continue;
      return add({{"type", "ref/prompt"}, {"name", text_member(prompt, "name")}},
                 text_member(arguments.front(), "name"), "a");
    }
  }

  // A task that has ended: to cancel it changes nothing.
  void add_tasks() {
    if (!session_.revision().has_core_tasks() || !runs_tools_as_tasks(session_)) return;
    const auto tool = task_tool(script_, Ability::kRunsAsTask, {});
    if (!tool) return;
    add_request("tools/call as a task", "tools/call", task_params(*tool));
    const TaskCall call = create_task(session_, *tool);
    if (!call.is_created() || !is_at_end(await_end(session_, call.id))) return;
    add_request("tasks/get", {{"taskId", call.id}});
    add_request("tasks/result", {{"taskId", call.id}});
    if (session_.has_capability("tasks.cancel")) add_request("tasks/cancel", {{"taskId", call.id}});
  }

  // Of a stream that was broken off; where none can be, nothing can be resumed.
  void add_resumption() {
    const auto slow = slow_call(script_, session_, "resumed-with-each-token");
    if (!slow) return;
    const auto id = break_off(session_, *slow).last_event_id;
    if (!id) return;
    all_.push_back({"a GET with Last-Event-ID", [session = &session_, id = *id](Headers headers) {
                      headers.emplace_back("Last-Event-ID", id);
                      return get_stream(*session, std::move(headers));
                    }});
  }

  void add_resource_methods() {
    for (const Json& resource : script_.survey().resources().items) {
      if (!is_readable(resource)) continue;
      const Json params = {{"uri", text_member(resource, "uri")}};
      add_request("resources/read", params);
      const bool may_subscribe =
          session_.revision().has_subscribe() && session_.has_capability("resources.subscribe");
      if (may_subscribe) {
        add_request("resources/subscribe", params);
        add_request("resources/unsubscribe", params);
      }
      return;
    }
  }

  // Of the first two pages of a list only the second is asked for by a cursor.
  void add_pages() {
    for (const Listing& listing : script_.survey().listings()) {
      if (!listing.is_declared || listing.pages < 2) continue;
      const Reply first = session_.request(listing.method);
      const Json& next = member(first.result(), "nextCursor");
      if (!next.is_string()) continue;
      add_request("page 2 of " + listing.method, listing.method, {{"cursor", next}});
    }
  }

  void add_messages() {
    const auto send = [session = &session_](const Json& message, const Headers& headers) {
      return post(*session, message, headers);
    };
    const std::vector<Json> notifications = {
        wire::make_notification("notifications/cancelled",
                                {{"requestId", "assay-no-such-request"}}),
        wire::make_notification("notifications/progress",
                                {{"progressToken", "assay-no-such-token"}, {"progress", 1}}),
        wire::make_notification("notifications/initialized", Json::object())};
    for (const Json& message : notifications) {
      all_.push_back({std::string(text_member(message, "method")),
                      [send, message](const Headers& headers) { return send(message, headers); }});
    }
    all_.push_back({"an error in response", [send](const Headers& headers) {
                      return send(wire::make_error(wire::Id::of_string("assay-never-asked"),
                                                   wire::kMethodNotFound, "No such method"),
                                  headers);
                    }});
    all_.push_back(
        {"a response", [send](const Headers& headers) {
           return send(wire::make_result(wire::Id::of_string("assay-never-asked"), Json::object()),
                       headers);
         }});
    if (!session_.revision().has_batching()) return;
    all_.push_back({"a batch", [session = &session_, send](const Headers& headers) {
                      return send(Json::array({session->fence_request(session->next_id()),
                                               session->fence_request(session->next_id())}),
                                  headers);
                    }});
  }

  // It goes on until it is given up.
  void add_listening() {
    all_.push_back({"subscriptions/listen", [session = &session_](const Headers& headers) {
                      Json request = session->fence_request(session->next_id());
                      request["method"] = "subscriptions/listen";
                      request["params"]["notifications"] = Json::object();
                      transport::HttpRequest sent;
                      sent.headers = headers;
                      for (auto& field : session->fields_of(request)) {
                        sent.headers.push_back(std::move(field));
                      }
                      sent.body = wire::encode(request);
                      session->await_turn();
                      const std::size_t from = session->mark();
                      const transport::Lane lane = session->http()->start(std::move(sent));
                      HttpAnswer answer = follow(*session, lane, from, has_begun);
                      if (!is_over(answer)) abandon(*session, lane);
                      return answer;
                    }});
  }

  void add_paths() {
    for (const std::string& other : other_ways_to(url_of(session_))) {
      all_.push_back({fmt::format("{} at {}", session_.fence_method(), other),
                      [session = &session_, other](const Headers& headers) {
                        return post_at(*session, other, session->fence_request(session->next_id()),
                                       headers);
                      }});
    }
  }

  Script& script_;
  Connection& session_;
  std::vector<TokenPlace> all_;
};

}  // namespace

std::vector<std::string> other_ways_to(const transport::HttpUrl& url) {
  const std::string& target = url.target;
  const std::string path(wire::path_in(target));
  const std::string query = target.substr(path.size());
  std::string upper = path;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::vector<std::string> others = {"/" + target,
                                     path + "/" + query,
                                     target + (query.empty() ? "?" : "&") + "assay=1",
                                     path + "/." + query,
                                     path + ";assay=1" + query,
                                     "/assay/.." + target,
                                     path + (path.ends_with('/') ? "assay" : "/assay") + query,
                                     url.origin() + target};
  if (upper != path) others.push_back(upper + query);
  if (path.size() > 1 && path[1] != '%') {
    others.push_back(
        fmt::format("/%{:02X}{}", static_cast<unsigned char>(path[1]), path.substr(2)) + query);
  }
  return others;
}

HttpAnswer post_at(Connection& session, const std::string& target, const Json& message,
                   const Headers& headers) {
  transport::HttpRequest request;
  request.target = target;
  request.headers = headers;
  for (auto& field : session.fields_of(message)) request.headers.push_back(std::move(field));
  request.body = wire::encode(message);
  return exchange(session, std::move(request), kLongestPlaceCall);
}

std::vector<TokenPlace> token_places(Script& script, Connection& session) {
  return Places(script, session).take();
}

std::vector<TokenPlace> request_places(Script& script, Connection& session) {
  return Places(script, session).take_requests();
}

bool is_let_in_like(const HttpAnswer& answer, const HttpAnswer& control) {
  if (is_let_in(answer)) return true;
  const wire::Message* const said = answer.answer();
  const wire::Message* const right = control.answer();
  if (said == nullptr || right == nullptr) {
    return said == right && answer.status == control.status && answer.is_success() &&
           transport::media_type(answer.headers) == transport::media_type(control.headers);
  }
  const bool has_failed =
      right->kind() != wire::MessageKind::kResult || member(right->result(), "isError") == true;
  return has_failed && said->kind() == right->kind() && said->error_code() == right->error_code() &&
         answer.status == control.status;
}

}  // namespace assay::scenarios
