#include "reference/transport/http_client.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "reference/model/revision.h"
#include "reference/wire/http_text.h"
#include "reference/wire/message.h"

namespace assay::transport {
namespace {

constexpr std::string_view kAcceptPost = "application/json, text/event-stream";
constexpr std::string_view kAcceptGet = "text/event-stream";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";
constexpr std::string_view kUserAgent = "mcp-assay/" ASSAY_VERSION;
constexpr std::size_t kMostOtherSessions = 64;

// Puts a header in place of those of the same name; an empty value only removes them.
void replace_header(Headers& headers, std::string_view name, std::string_view value) {
  std::erase_if(
      headers, [&](const Header& header) { return wire::equals_without_case(header.first, name); });
  if (!value.empty()) headers.emplace_back(name, value);
}

bool is_initialize(std::string_view body) {
  const wire::Decoded decoded = wire::decode(body);
  const auto* message = std::get_if<wire::Message>(&decoded);
  return message != nullptr && message->kind() == wire::MessageKind::kRequest &&
         message->method() == "initialize";
}

// The id that the answer to `initialize` gives, if it can stand in a header field.
std::optional<std::string> session_begun_by(const HttpHead& head) {
  const auto id = find_header(head.headers, kSessionHeader);
  const bool is_success = head.status >= 200 && head.status < 300;
  if (!id || !is_success || !is_field_value(*id)) return std::nullopt;
  return std::string(*id);
}

}  // namespace

HttpClient::HttpClient(HttpUrl endpoint, HttpClientOptions options, Observer& observer)
    : endpoint_(std::move(endpoint)),
      options_(std::move(options)),
      exchanges_(endpoint_, options_.connection, options_.limits, observer) {}

HttpClient::~HttpClient() {
  exchanges_.close();
}

std::optional<Failure> HttpClient::open() {
  auto failure = opening_.connect(endpoint_, options_.connection);
  opening_.disconnect();
  return failure;
}

Lane HttpClient::send(std::string_view message) {
  return post(message);
}

Lane HttpClient::send_alone(std::string_view message, const Headers& headers) {
  HttpRequest request;
  request.headers = headers;
  request.body = message;
  request.with_session_headers = false;
  return start(std::move(request));
}

bool HttpClient::leave(Lane lane) {
  abandon(lane);
  return true;
}

Lane HttpClient::send_raw(std::string_view bytes) {
  return post(bytes);
}

Lane HttpClient::post(std::string_view body) {
  HttpRequest request;
  request.body = body;
  HttpExchanges::Hooks hooks;
  if (is_initialize(body)) {
    request.with_session_headers = false;
    hooks.on_head = [this](const HttpHead& head) {
      if (auto id = session_begun_by(head)) set_session_id(std::move(id));
    };
  }
  return exchanges_.start(make_message(std::move(request)), std::move(hooks));
}

HttpMessage HttpClient::make_message(HttpRequest request) const {
  HttpMessage message;
  message.method = std::move(request.method);
  message.target = request.target.value_or(endpoint_.target);
  message.body = std::move(request.body);
  Headers& headers = message.headers;
  headers.emplace_back("Host", endpoint_.authority());
  headers.emplace_back("User-Agent", kUserAgent);
  if (request.with_standard_headers) {
    headers.emplace_back("Accept", message.method == "GET" ? kAcceptGet : kAcceptPost);
    headers.emplace_back("Accept-Encoding", "identity");
    if (!message.body.empty()) headers.emplace_back("Content-Type", kJson);
    for (const UserHeader& header : options_.headers) {
      replace_header(headers, header.name, header.value);
    }
  }
  if (request.with_session_headers) {
    const std::lock_guard lock(mutex_);
    if (session_id_) headers.emplace_back(kSessionHeader, *session_id_);
    if (protocol_version_) headers.emplace_back(kVersionHeader, *protocol_version_);
  }
  for (const auto& [name, value] : request.headers) replace_header(headers, name, "");
  for (const auto& [name, value] : request.headers) {
    if (!value.empty()) headers.emplace_back(name, value);
  }
  if (options_.spoil) options_.spoil(message.method, message.body, headers);
  return message;
}

void HttpClient::set_protocol_version(std::string_view version) {
  if (!is_field_value(version)) return;
  const auto revision = model::Revision::parse(version);
  if (revision && !revision->has_protocol_version_header()) return;
  const std::lock_guard lock(mutex_);
  protocol_version_ = version;
}

void HttpClient::close(Deadline /*deadline*/) {
  opening_.interrupt();
  exchanges_.close();
}

Lane HttpClient::start(HttpRequest request) {
  HttpMessage message = make_message(std::move(request));
  HttpExchanges::Hooks hooks;
  if (is_initialize(message.body)) {
    const auto field = find_header(message.headers, "Authorization");
    auto authorization = field ? std::optional<std::string>(*field) : std::nullopt;
    hooks.on_head = [this, authorization = std::move(authorization)](const HttpHead& head) {
      auto id = session_begun_by(head);
      const std::lock_guard lock(mutex_);
      if (id && other_sessions_.size() < kMostOtherSessions) {
        other_sessions_.push_back({*std::move(id), authorization});
      }
    };
  }
  return exchanges_.start(std::move(message), std::move(hooks));
}

Lane HttpClient::open_stream(const std::optional<std::string>& last_event_id) {
  HttpRequest request;
  request.method = "GET";
  if (last_event_id && is_field_value(*last_event_id)) {
    request.headers.emplace_back("Last-Event-ID", *last_event_id);
  }
  return start(std::move(request));
}

void HttpClient::abandon(Lane lane) {
  exchanges_.abandon(lane, "the client broke the connection off");
}

std::optional<Lane> HttpClient::end_session() {
  if (!session_id()) return std::nullopt;
  HttpRequest request;
  request.method = "DELETE";
  const Lane lane = start(std::move(request));
  set_session_id(std::nullopt);
  return lane;
}

std::vector<Lane> HttpClient::end_all_sessions() {
  std::vector<OtherSession> others;
  {
    const std::lock_guard lock(mutex_);
    others.swap(other_sessions_);
    // Who went on in one of them ends it once.
    const auto is_ours = [this](const OtherSession& other) { return other.id == session_id_; };
    if (std::any_of(others.begin(), others.end(), is_ours)) session_id_.reset();
  }
  std::vector<Lane> lanes;
  if (const auto lane = end_session()) lanes.push_back(*lane);
  for (const OtherSession& other : others) {
    HttpRequest request;
    request.method = "DELETE";
    request.headers.emplace_back(kSessionHeader, other.id);
    if (other.authorization) request.headers.emplace_back("Authorization", *other.authorization);
    lanes.push_back(start(std::move(request)));
  }
  return lanes;
}

std::optional<std::string> HttpClient::session_id() const {
  const std::lock_guard lock(mutex_);
  return session_id_;
}

void HttpClient::set_session_id(std::optional<std::string> id) {
  const std::lock_guard lock(mutex_);
  session_id_ = std::move(id);
}

std::vector<std::string> HttpClient::secrets() const {
  std::vector<std::string> secrets;
  for (const UserHeader& header : options_.headers) {
    if (header.is_secret && !header.value.empty()) secrets.push_back(header.value);
  }
  if (const auto id = session_id()) secrets.push_back(*id);
  return secrets;
}

}  // namespace assay::transport
