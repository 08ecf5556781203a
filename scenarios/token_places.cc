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

  std::vector<TokenPlace> take() {
    add_methods();
    add_pages();
    if (session_.revision().has_sessions()) {
      add_messages();
      all_.push_back({"a GET", [this_session = &session_](const Headers& headers) {
                        return get_stream(*this_session, headers);
                      }});
    } else {
      add_listening();
    }
    add_paths();
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
    for (const KnownCompletion& known : script_.profile().completions) {
      if (!session_.has_capability("completions")) break;
      add_request("completion/complete",
                  {{"ref", known.reference},
                   {"argument", {{"name", known.argument}, {"value", known.value}}}});
      break;
    }
    if (session_.revision().is_stateless()) return;
    if (session_.has_capability("logging")) add_request("logging/setLevel", {{"level", "info"}});
    if (session_.has_capability("tasks.list")) add_request("tasks/list");
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
    all_.push_back({"a notification", [send](const Headers& headers) {
                      return send(wire::make_notification("notifications/cancelled",
                                                          {{"requestId", "assay-no-such-request"}}),
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

  // What a router or a proxy may take for the endpoint, though the guard compares it with its path.
  void add_paths() {
    const std::string& target = url_of(session_).target;
    const std::string path(wire::path_in(target));
    const std::string query = target.substr(path.size());
    std::string upper = path;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    std::vector<std::string> others = {"/" + target, path + "/" + query,
                                       target + (query.empty() ? "?" : "&") + "assay=1",
                                       path + "/." + query, path + ";assay=1" + query};
    if (upper != path) others.push_back(upper + query);
    for (const std::string& other : others) {
      all_.push_back({fmt::format("{} at {}", session_.fence_method(), other),
                      [session = &session_, other](const Headers& headers) {
                        const Json probe = session->fence_request(session->next_id());
                        transport::HttpRequest request;
                        request.target = other;
                        request.headers = headers;
                        for (auto& field : session->fields_of(probe)) {
                          request.headers.push_back(std::move(field));
                        }
                        request.body = wire::encode(probe);
                        return exchange(*session, std::move(request));
                      }});
    }
  }

  Script& script_;
  Connection& session_;
  std::vector<TokenPlace> all_;
};

}  // namespace

std::vector<TokenPlace> token_places(Script& script, Connection& session) {
  return Places(script, session).take();
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
