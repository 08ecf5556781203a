#include "harness/runner/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "harness/script/http_script.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;
using reports::RunStatus;

// What a stranger's sentence and list may take of a reason.
constexpr std::size_t kLongestSentence = 300;
constexpr std::size_t kLongestVersion = 40;
constexpr std::size_t kMostVersions = 10;
// Of a body this much is looked at for the sentence in it.
constexpr std::size_t kMostOfABody = 4'000;

// 2026-07-28: schema, UnsupportedProtocolVersionError.
constexpr std::int64_t kUnsupportedVersion = -32022;
constexpr std::int64_t kNoError = 0;

constexpr int kFirstRedirect = 300;
constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kServerErrors = 500;

std::vector<std::string> strings_of(const Json& list) {
  std::vector<std::string> out;
  if (!list.is_array()) return out;
  for (const Json& each : list) {
    if (!each.is_string() || out.size() >= kMostVersions) continue;
    out.push_back(reports::cut(each.get_ref<const std::string&>(), kLongestVersion));
  }
  return out;
}

Json member(const Json& object, const char* name) {
  return object.is_object() ? object.value(name, Json()) : Json();
}

// The versions that an error names, whatever its code.
std::vector<std::string> versions_in(const Json& error) {
  return strings_of(member(member(error, "data"), "supported"));
}

// The words of a page, without its markup and with single blanks.
std::string sentence_of(std::string_view body, bool is_markup) {
  std::string out;
  bool is_tag = false;
  for (const char c : body.substr(0, kMostOfABody)) {
    const bool is_opening = is_markup && c == '<';
    const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if ((is_blank || is_opening) && !is_tag && !out.empty() && out.back() != ' ') out += ' ';
    if (!is_tag && !is_blank && !is_opening) out += c;
    is_tag = is_opening || (is_tag && c != '>');
  }
  while (out.ends_with(' ')) out.pop_back();
  return reports::cut(out, kLongestSentence);
}

// What came in place of JSON-RPC.
std::string body_text(const Reply& reply, const Connection& connection) {
  if (reply.events().empty()) return "";
  const transport::Lane lane = reply.events().back()->observation.lane;
  for (const EventPtr& event : connection.shared_transcript()->events()) {
    const auto& observation = event->observation;
    if (observation.lane != lane || observation.kind != Kind::kHttpBody) continue;
    const bool is_markup =
        observation.http() && transport::media_type(observation.http()->headers) == "text/html";
    return sentence_of(observation.bytes(), is_markup);
  }
  return "";
}

std::string quoted(const std::string& sentence) {
  return sentence.empty() ? std::string() : fmt::format(": \"{}\"", sentence);
}

// Why the answer ended before it was whole; empty if it did not.
std::string broken_off(const Reply& reply, const Connection& connection) {
  if (reply.events().empty()) return "";
  const transport::Lane lane = reply.events().back()->observation.lane;
  for (const EventPtr& event : connection.shared_transcript()->events()) {
    const auto& observation = event->observation;
    const bool is_end = observation.kind == Kind::kBroken || observation.kind == Kind::kCutOff;
    if (is_end && observation.lane == lane) return sentence_of(observation.bytes(), false);
  }
  return "";
}

// "HTTP 404 and an empty body", "error -32602: \"Unsupported protocol version\"".
std::string what_came(const Reply& reply, const Connection& connection) {
  const std::string status =
      reply.http_status() == 0 ? "" : fmt::format("HTTP {}", reply.http_status());
  if (!reply.is_error()) {
    const std::string why = broken_off(reply, connection);
    if (!why.empty()) {
      return fmt::format("{}{}",
                         status.empty() ? "no whole message: " : status + ", but not whole: ", why);
    }
    const std::string body = body_text(reply, connection);
    return body.empty() ? status + " and an empty body" : status + quoted(body);
  }
  const Json words = member(reply.message()->error(), "message");
  const std::string sentence =
      words.is_string() ? sentence_of(words.get_ref<const std::string&>(), false) : std::string();
  const bool is_plain = reply.http_status() == 0 || reply.http_status() == 200;
  return (is_plain ? "" : status + " and ") + reply.describe() + quoted(sentence);
}

bool speaks_of_versions(const Reply& reply) {
  const Json words = member(reply.message()->error(), "message");
  if (!words.is_string()) return false;
  std::string text = words.get<std::string>();
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text.find("version") != std::string::npos;
}

// That the server does not speak the revision, as far as an error says so.
bool is_about_the_version(const Reply& reply) {
  if (!reply.is_error()) return false;
  const std::int64_t code = reply.error_code().value_or(kNoError);
  return code == wire::kInvalidParams || code == wire::kMethodNotFound ||
         code == kUnsupportedVersion || speaks_of_versions(reply) ||
         !versions_in(reply.message()->error()).empty();
}

// Statuses that speak of the address, the door or the house, and not of a message.
bool is_about_http(int status) {
  constexpr std::array kThem = {kUnauthorized, kForbidden, kNotFound, kMethodNotAllowed};
  return status >= kServerErrors || std::find(kThem.begin(), kThem.end(), status) != kThem.end();
}

std::string_view hint_for(int status) {
  switch (status) {
    case kUnauthorized:
    case kForbidden:
      return "; --auth-token or --header sends credentials";
    case kNotFound:
    case kMethodNotAllowed:
      return "; is this the MCP endpoint? --sse-url is for a server of the older HTTP+SSE";
    default:
      return "";
  }
}

// The head of what came on the reply's lane; null if there was none.
const transport::HttpHead* head_of(const Reply& reply, const Connection& connection) {
  if (reply.events().empty()) return nullptr;
  const transport::Lane lane = reply.events().back()->observation.lane;
  for (const EventPtr& event : connection.shared_transcript()->events()) {
    const auto& observation = event->observation;
    if (observation.lane == lane && observation.kind == Kind::kHttpResponse) {
      return observation.http();
    }
  }
  return nullptr;
}

// Where a redirect leads, as text of a stranger; empty if it leads nowhere.
std::string redirect_of(const transport::HttpHead& head) {
  constexpr std::size_t kLongestAddress = 500;
  const auto target = transport::find_header(head.headers, "location");
  return target ? reports::printable_line(reports::cut(*target, kLongestAddress)) : std::string();
}

Json discover_request(Connection& connection, model::Revision newest) {
  const Json meta = {
      {"io.modelcontextprotocol/protocolVersion", newest.text()},
      {"io.modelcontextprotocol/clientInfo", {{"name", "mcp-assay"}, {"version", ASSAY_VERSION}}},
      {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  return wire::make_request(connection.next_id(), "server/discover", {{"_meta", meta}});
}

Discovery read_discovery(const wire::Message* answer) {
  if (answer == nullptr) return {};
  if (answer->kind() == wire::MessageKind::kResult) {
    std::vector<std::string> versions = strings_of(member(answer->result(), "supportedVersions"));
    if (versions.empty()) return {};
    return {Discovery::Outcome::kNamed, std::move(versions)};
  }
  if (answer->kind() != wire::MessageKind::kError) return {};
  std::vector<std::string> versions = versions_in(answer->error());
  if (answer->error_code() == kUnsupportedVersion && !versions.empty()) {
    return {Discovery::Outcome::kNamed, std::move(versions)};
  }
  return {Discovery::Outcome::kRefused, {}};
}

}  // namespace

Discovery discover(const TargetAccess& access, model::Revision revision, Patience patience,
                   std::stop_token stop) {
  if (access.kind.is_http_sse()) return {Discovery::Outcome::kRefused, {}};
  const auto opened = connect(access, revision, patience, std::move(stop));
  Connection& connection = *opened;
  if (connection.open()) return {};
  const model::Revision newest = model::Revision::newest_stateless();
  const Json request = discover_request(connection, newest);
  if (access.kind.is_streamable_http() && connection.http() != nullptr) {
    const HttpAnswer reply = post(
        connection, request,
        {{"MCP-Protocol-Version", std::string(newest.text())}, {"Mcp-Method", "server/discover"}});
    return read_discovery(reply.answer());
  }
  const wire::Id id = wire::Id::from_json_text(request["id"].dump());
  // A process may take its time to start, and this one has not been asked to do anything yet.
  const Reply reply = connection.await(connection.send_line(wire::encode(request), id),
                                       connection.patience().start);
  return read_discovery(reply.message() ? &*reply.message() : nullptr);
}

bool is_about_access(int http_status) {
  return http_status == kUnauthorized || http_status == kForbidden;
}

std::string wrong_address(const Reply& reply, const Connection& connection) {
  const transport::HttpHead* head = head_of(reply, connection);
  if (head == nullptr || reply.message()) return "";
  const bool is_redirect = head->status >= kFirstRedirect && head->status < kBadRequest;
  if (is_redirect) {
    const std::string target = redirect_of(*head);
    if (target.empty()) return "";
    const bool is_whole = target.starts_with("http://") || target.starts_with("https://");
    return fmt::format("the address leads to another one, {} (HTTP {}); test that{}", target,
                       head->status, is_whole ? ": --url " + reports::shell_word(target) : "");
  }
  const bool is_page = transport::media_type(head->headers) == "text/html";
  if (head->status >= kFirstRedirect || !is_page) return "";
  const std::string text = body_text(reply, connection);
  // JSON under a wrong name is a server's fault, and judged.
  if (text.starts_with('{') || text.starts_with('[')) return "";
  return fmt::format(
      "a web page answered, and no MCP server (HTTP {}, text/html{}); is this the MCP "
      "endpoint? Its path is often /mcp",
      head->status, quoted(text));
}

Refusal explain_refusal(const Reply& reply, const Connection& connection,
                        const Discovery& discovery) {
  const std::string_view revision = connection.revision().text();
  Refusal refusal;
  if (discovery.outcome == Discovery::Outcome::kNamed) {
    refusal.status = RunStatus::kUnsupported;
    refusal.reason = fmt::format("the server speaks {}, and refuses initialize for {}",
                                 fmt::join(discovery.versions, ", "), revision);
    return refusal;
  }
  refusal.reason = "initialize was answered with " + what_came(reply, connection);
  // 2026-07-28, basic/transports/streamable-http: so an unknown method is answered there.
  if (reply.http_status() == kNotFound && reply.is_error(wire::kMethodNotFound)) {
    refusal.status = RunStatus::kUnsupported;
    refusal.reason += fmt::format("; so do servers that speak only {}, which has no initialize",
                                  model::Revision::newest_stateless().text());
    return refusal;
  }
  if (is_about_http(reply.http_status()) || !is_about_the_version(reply)) {
    refusal.reason += hint_for(reply.http_status());
    return refusal;
  }
  refusal.status = RunStatus::kUnsupported;
  const auto named = versions_in(reply.message()->error());
  if (!named.empty()) refusal.reason += fmt::format("; it names {}", fmt::join(named, ", "));
  refusal.lacks_initialize = reply.is_error(wire::kMethodNotFound) && named.empty() &&
                             discovery.outcome == Discovery::Outcome::kRefused;
  return refusal;
}

}  // namespace assay::harness
