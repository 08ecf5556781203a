#include "scenarios/stateless_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "harness/script/json_member.h"
#include "harness/script/mirrored_headers.h"
#include "harness/script/stateless_connection.h"
#include "harness/script/usable.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::scenarios {

using namespace harness;

namespace {

// Each costs some requests.
constexpr std::size_t kMostOfAKind = 4;

// Those of a kind with a name that can be asked for, as that method asks for them.
void add_named(Connection& session, const Listing& listing, const char* key, const char* method,
               const std::function<bool(const Json& item)>& is_allowed,
               std::vector<Json>& requests) {
  std::size_t count = 0;
  for (const Json& item : listing.items) {
    if (count == kMostOfAKind) return;
    if (text_member(item, key).empty() || !is_allowed(item)) continue;
    Json params = {{key, item[key]}};
    if (std::string_view(method) == "tools/call") params["arguments"] = Json::object();
    requests.push_back(request_as_sent(session, method, std::move(params)));
    ++count;
  }
}

// What a router may send another way than the rest: the lists, a completion, discovery.
std::vector<Json> nameless_requests(Script& script) {
  Connection& session = script.session();
  std::vector<Json> requests;
  for (const Listing& listing : script.survey().listings()) {
    if (listing.pages > 0) requests.push_back(request_as_sent(session, listing.method));
  }
  if (const auto params = completion_of_prompt(script)) {
    requests.push_back(request_as_sent(session, "completion/complete", *params));
  }
  requests.push_back(request_as_sent(session, "server/discover"));
  return requests;
}

}  // namespace

std::string cheap_method(Script& script) {
  for (const Listing& listing : script.survey().listings()) {
    if (listing.pages > 0) return listing.method;
  }
  return "server/discover";
}

Json request_as_sent(Connection& connection, std::string_view method, Json params,
                     std::optional<Json> capabilities) {
  const Json meta = request_meta(connection.revision(), std::move(capabilities));
  for (const auto& [key, value] : meta.items()) params["_meta"][key] = value;
  return wire::make_request(connection.next_id(), method, std::move(params));
}

Reply ask(Connection& connection, const Json& request) {
  return connection.await(connection.start_as_is(request));
}

Pending start_with_fields_of(Connection& session, const Json& sane, const Json& request) {
  if (session.http() == nullptr) return session.start_as_is(request);
  transport::HttpRequest post;
  post.headers = fields_of(sane);
  post.body = wire::encode(request);
  post.with_session_headers = false;
  const std::size_t from = session.mark();
  const transport::Lane lane = session.http()->start(std::move(post));
  return {wire::Id::from_json_text(request["id"].dump()), lane, nullptr, from};
}

std::vector<Json> named_requests(Script& script) {
  Connection& session = script.session();
  const Survey& survey = script.survey();
  const auto any = [](const Json&) { return true; };
  const auto allowed = [&](const Json& tool) { return script.tool_policy().allows(tool); };
  std::vector<Json> requests;
  add_named(session, survey.tools(), "name", "tools/call", allowed, requests);
  add_named(session, survey.prompts(), "name", "prompts/get", any, requests);
  add_named(session, survey.resources(), "uri", "resources/read", any, requests);
  return requests;
}

std::optional<Json> completion_of_prompt(Script& script) {
  if (!script.session().has_capability("completions")) return std::nullopt;
  for (const Json& prompt : script.survey().prompts().items) {
    const Json& arguments = array_member(prompt, "arguments");
    if (!is_named(prompt) || arguments.empty()) continue;
    return Json{{"ref", {{"type", "ref/prompt"}, {"name", member(prompt, "name")}}},
                {"argument", {{"name", text_member(arguments.front(), "name")}, {"value", "a"}}}};
  }
  return std::nullopt;
}

std::vector<Json> served_requests(Script& script) {
  Connection& session = script.session();
  std::vector<Json> requests = {request_as_sent(session, cheap_method(script))};
  std::vector<Json> all = named_requests(script);
  for (Json& each : nameless_requests(script)) all.push_back(std::move(each));
  for (Json& each : all) {
    const bool is_known = std::any_of(requests.begin(), requests.end(), [&](const Json& known) {
      return known["method"] == each["method"];
    });
    if (!is_known && is_served(ask(session, each))) requests.push_back(std::move(each));
  }
  return requests;
}

Json once_more(Connection& connection, Json request) {
  request["id"] = wire::to_json(connection.next_id());
  return request;
}

bool serves(Script& script, std::initializer_list<catalogue::RequirementId> rules) {
  Connection& session = script.session();
  const Reply reply = ask(session, request_as_sent(session, cheap_method(script)));
  if (reply.is_result()) return true;
  for (const catalogue::RequirementId rule : rules) {
    script.unclear(rule, fmt::format("an unchanged request was answered with {}", reply.describe()),
                   reply.events());
  }
  return false;
}

bool is_served(const Reply& reply) {
  return reply.is_result() && !text_member(reply.result(), "resultType").empty();
}

bool is_complete(const Reply& reply) {
  return reply.is_result() && text_member(reply.result(), "resultType") == "complete";
}

std::vector<std::string> listed_versions(Connection& connection) {
  std::vector<std::string> versions;
  for (const Json& version : array_member(connection.server(), "supportedVersions")) {
    if (version.is_string()) versions.push_back(version.get<std::string>());
  }
  return versions;
}

Reply answer_to_initialize(Script& script) {
  Connection& other = script.open_connection();
  return ask(other, wire::make_request(
                        other.next_id(), "initialize",
                        {{"protocolVersion", model::Revision::newest_handshake().text()},
                         {"capabilities", Json::object()},
                         {"clientInfo", {{"name", "mcp-assay"}, {"version", ASSAY_VERSION}}}}));
}

bool has_older_era(Script& script) {
  const auto versions = listed_versions(script.session());
  const bool is_listed =
      std::any_of(versions.begin(), versions.end(), [](const std::string& version) {
        const auto revision = model::Revision::parse(version);
        return revision && revision->has_handshake();
      });
  return is_listed || answer_to_initialize(script).is_result();
}

bool is_other_refusal(Script& script, const Reply& reply, bool has_both_eras) {
  if (script.transport().is_streamable_http() && reply.is_error(kHeaderMismatch)) return true;
  return has_both_eras && !is_served(reply) && !reply.is_error(kUnsupportedVersion);
}

void judge_status(Script& script, catalogue::RequirementId rule, int status, const Reply& reply,
                  std::string_view what) {
  if (!script.transport().is_streamable_http() || !reply.is_error()) return;
  script.check(
      rule, reply.http_status() == status, reply,
      fmt::format("{} was answered with HTTP {}, not {}", what, reply.http_status(), status));
}

transport::Headers fields_of(const Json& request) {
  return mirrored_headers(request, {});
}

transport::Headers without(transport::Headers headers, std::string_view name) {
  std::erase_if(headers, [&](const transport::Header& header) { return header.first == name; });
  return headers;
}

transport::Headers with(transport::Headers headers, const std::string& name, std::string value) {
  headers = without(std::move(headers), name);
  headers.emplace_back(name, std::move(value));
  return headers;
}

std::string in_other_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    if (c >= 'a' && c <= 'z') return static_cast<char>(c - 'a' + 'A');
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

HttpAnswer post_as_is(Connection& connection, const Json& request, transport::Headers headers) {
  transport::HttpRequest post;
  post.headers = std::move(headers);
  post.body = wire::encode(request);
  post.with_session_headers = false;
  return exchange(connection, std::move(post));
}

const wire::Message* error_of(const HttpAnswer& answer) {
  const wire::Message* const message = answer.answer();
  return message != nullptr && message->kind() == wire::MessageKind::kError ? message : nullptr;
}

bool has_error(const HttpAnswer& answer, std::int64_t code) {
  const wire::Message* const error = error_of(answer);
  return error != nullptr && error->error_code() == code;
}

bool is_refused(const HttpAnswer& answer) {
  return !answer.is_served() && (answer.is_refusal() || error_of(answer) != nullptr);
}

void judge_refused(Script& script, catalogue::RequirementId rule, const HttpAnswer& answer,
                   const std::string& detail) {
  script.check(rule, is_refused(answer), answer.events, detail);
}

void judge_field_refusal(Script& script, catalogue::RequirementId rule, const HttpAnswer& answer,
                         std::string_view what) {
  const std::string detail = fmt::format("{} was answered with {}", what, answer.describe());
  judge_refused(script, rule, answer, detail);
  if (!is_refused(answer)) return;
  script.check("http.header-failure-400", answer.status == kBadRequest, answer.events, detail);
  script.check("http.header-failure-error", has_error(answer, kHeaderMismatch), answer.events,
               detail);
}

void judge_version_refusal(Script& script, const HttpAnswer& answer, std::string_view what) {
  const bool is_right = answer.status == kBadRequest && (has_error(answer, kHeaderMismatch) ||
                                                         has_error(answer, kUnsupportedVersion));
  script.check("http.version-mismatch-rejected", is_right, answer.events,
               fmt::format("{} was answered with {}", what, answer.describe()));
}

}  // namespace assay::scenarios
