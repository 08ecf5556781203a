#include "reference/transport/http_sse_client.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

namespace assay::transport {

class HttpSseClient::StreamWatch : public Observer {
 public:
  StreamWatch(HttpSseClient& client, Observer& next) : client_(client), next_(next) {}

  void observe(const Observation& observation) override {
    next_.observe(observation);
    if (observation.lane != client_.stream()) return;
    if (observation.kind == Observation::Kind::kClosed ||
        observation.kind == Observation::Kind::kBroken ||
        observation.kind == Observation::Kind::kCutOff) {
      client_.fail(Failure::Kind::kOther,
                   "the stream ended before an endpoint event: " + observation.bytes);
    }
    if (is_full()) {
      client_.fail(Failure::Kind::kTooLarge, "the stream held too much before an endpoint event");
    }
  }
  bool is_full() const override { return next_.is_full(); }

 private:
  HttpSseClient& client_;
  Observer& next_;
};

HttpSseClient::HttpSseClient(HttpUrl endpoint, HttpClientOptions options, Observer& observer)
    : url_(std::move(endpoint)),
      options_(std::move(options)),
      watch_(std::make_unique<StreamWatch>(*this, observer)),
      exchanges_(url_, options_.connection, options_.limits, *watch_) {}

HttpSseClient::~HttpSseClient() {
  exchanges_.close();
}

std::optional<Failure> HttpSseClient::open() {
  if (auto failure = opening_.connect(url_, options_.connection)) return failure;
  opening_.disconnect();
  HttpMessage message;
  message.method = "GET";
  message.target = url_.target;
  message.headers = headers("text/event-stream", false);
  HttpExchanges::Hooks hooks;
  hooks.on_head = [this](const HttpHead& head) { take_head(head); };
  hooks.on_event = [this](const wire::SseEvent& event) { take_endpoint(event); };
  exchanges_.start(std::move(message), std::move(hooks));
  std::unique_lock lock(mutex_);
  if (!is_decided_.wait_for(lock, options_.limits.answer_timeout,
                            [this] { return message_endpoint_ || failure_; })) {
    return Failure{Failure::Kind::kOther, "the server sent no endpoint event"};
  }
  return message_endpoint_ ? std::nullopt : failure_;
}

void HttpSseClient::take_head(const HttpHead& head) {
  const std::string type = media_type(head.headers);
  if (head.status == 200 && type == "text/event-stream") return;
  fail(Failure::Kind::kOther,
       fmt::format("the GET was answered with status {} and no event stream", head.status));
}

void HttpSseClient::take_endpoint(const wire::SseEvent& event) {
  if (event.event != "endpoint" || message_endpoint()) return;
  auto resolved = url_.resolve(event.data);
  if (auto* failure = std::get_if<Failure>(&resolved)) return fail(failure->kind, failure->detail);
  auto& endpoint = std::get<HttpUrl>(resolved);
  if (endpoint.origin() != url_.origin()) {
    return fail(Failure::Kind::kBadAddress, "the endpoint that the server names is elsewhere");
  }
  const std::lock_guard lock(mutex_);
  message_endpoint_ = std::move(endpoint);
  is_decided_.notify_all();
}

void HttpSseClient::fail(Failure::Kind kind, std::string detail) {
  const std::lock_guard lock(mutex_);
  if (failure_) return;
  failure_ = Failure{kind, std::move(detail)};
  is_decided_.notify_all();
}

Headers HttpSseClient::headers(std::string_view accept, bool has_body) const {
  Headers headers{{"Host", url_.authority()},
                  {"User-Agent", "mcp-assay/" ASSAY_VERSION},
                  {"Accept", std::string(accept)},
                  {"Accept-Encoding", "identity"}};
  if (has_body) headers.emplace_back("Content-Type", "application/json");
  for (const UserHeader& header : options_.headers) {
    headers.emplace_back(header.name, header.value);
  }
  return headers;
}

Lane HttpSseClient::send(std::string_view message) {
  return send_raw(message);
}

Lane HttpSseClient::send_raw(std::string_view bytes) {
  HttpMessage message;
  message.target = message_endpoint().value_or(url_).target;
  if (options_.misdirect) options_.misdirect(message.target);
  message.headers = headers("*/*", true);
  message.body = bytes;
  return exchanges_.start(std::move(message));
}

Lane HttpSseClient::start(HttpRequest request) {
  const bool has_body = !request.body.empty();
  HttpMessage message;
  message.method = std::move(request.method);
  message.target =
      request.target.value_or(has_body ? message_endpoint().value_or(url_).target : url_.target);
  if (request.with_standard_headers) {
    message.headers = headers(has_body ? "*/*" : "text/event-stream", has_body);
  } else {
    message.headers = {{"Host", url_.authority()}};
  }
  for (const auto& [name, value] : request.headers) {
    std::erase_if(message.headers, [&, wanted = lower_case(name)](const Header& header) {
      return lower_case(header.first) == wanted;
    });
    if (!value.empty()) message.headers.emplace_back(name, value);
  }
  message.body = std::move(request.body);
  return exchanges_.start(std::move(message));
}

void HttpSseClient::abandon(Lane lane) {
  exchanges_.abandon(lane, "the client broke the connection off");
}

void HttpSseClient::close(Deadline /*deadline*/) {
  opening_.interrupt();
  exchanges_.close();
}

std::optional<HttpUrl> HttpSseClient::message_endpoint() const {
  const std::lock_guard lock(mutex_);
  return message_endpoint_;
}

void HttpSseClient::abandon_stream() {
  exchanges_.abandon(stream(), "the client broke the connection off");
}

}  // namespace assay::transport
