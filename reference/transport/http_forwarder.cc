#include "reference/transport/http_forwarder.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "reference/transport/http_connection.h"
#include "reference/transport/http_guard.h"
#include "reference/transport/waker.h"
#include "reference/transport/workers.h"
#include "reference/wire/http_text.h"

namespace assay::transport {
namespace {

constexpr std::size_t kMostForwardedHead = 64u << 10;
// Kept open for the next request.
constexpr std::size_t kMostIdleConnections = 16;

// What concerns one connection, and what is written anew on each.
constexpr std::array<std::string_view, 10> kOfOneConnection = {
    "connection", "keep-alive", "proxy-connection",  "te",   "trailer",
    "upgrade",    "expect",     "transfer-encoding", "host", "content-length"};

bool is_one_of(const auto& names, std::string_view name) {
  return std::any_of(names.begin(), names.end(),
                     [&](std::string_view each) { return wire::equals_without_case(each, name); });
}

// Fields that the Connection field names are of the connection, too.
std::vector<std::string> named_by_connection(const Headers& headers) {
  std::vector<std::string> names;
  for (const auto& [name, value] : headers) {
    if (!wire::equals_without_case(name, "connection")) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      names.emplace_back(wire::trim_blanks(rest.substr(0, comma)));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return names;
}

Headers passed_on_headers(const Headers& headers) {
  const std::vector<std::string> named = named_by_connection(headers);
  Headers out;
  for (const auto& [name, value] : headers) {
    if (!is_one_of(kOfOneConnection, name) && !is_one_of(named, name))
      out.emplace_back(name, value);
  }
  return out;
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

HttpReply in_place_of_answer(HttpReply reply) {
  reply.is_in_place_of_answer = true;
  return reply;
}

// One request and its answer, between the thread that reads it and the listener's.
class Forwarded {
 public:
  // Both on the reading thread. False: nobody wants more.
  bool on_head(const HttpHead& head) {
    const std::lock_guard lock(mutex_);
    head_ = head;
    head_->headers = passed_on_headers(head.headers);
    is_stream_ = media_type(head.headers) == "text/event-stream";
    wake_locked();
    return !is_unwanted_;
  }
  bool on_body(std::string_view bytes) {
    std::unique_lock lock(mutex_);
    const std::size_t limit =
        is_stream_ ? HttpForwarder::kMostWaiting : HttpForwarder::kMostBodyBytes;
    if (is_stream_) {
      has_room_.wait(lock, [&] { return is_unwanted_ || waiting_.size() < limit; });
    }
    if (is_unwanted_ || (!is_stream_ && waiting_.size() + bytes.size() > limit)) return false;
    waiting_.append(bytes);
    wake_locked();
    return true;
  }
  void end(const std::optional<Failure>& failure) {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    has_failed_ = failure.has_value();
    connection_ = nullptr;
    wake_locked();
  }
  // What break_off() interrupts. False: it need not begin.
  bool begin(HttpConnection* connection) {
    const std::lock_guard lock(mutex_);
    connection_ = connection;
    return !is_unwanted_;
  }
  void break_off() {
    const std::lock_guard lock(mutex_);
    is_unwanted_ = true;
    if (connection_ != nullptr) connection_->interrupt();
    has_room_.notify_all();
  }
  bool was_broken_off() const {
    const std::lock_guard lock(mutex_);
    return is_unwanted_;
  }

  // Of the listener's thread.
  void watch(std::shared_ptr<Waker> waker) {
    const std::lock_guard lock(mutex_);
    waker_ = std::move(waker);
    wake_locked();
  }
  // The head, and the body unless it is a stream; nothing as long as that is not known.
  std::optional<HttpReply> take_reply() {
    const std::lock_guard lock(mutex_);
    if (has_ended_ && has_failed_ && (!head_ || !is_stream_)) {
      return in_place_of_answer(
          {502, {{"Content-Type", "text/plain"}}, "the server gave no answer\n", nullptr});
    }
    if (!head_ || (!is_stream_ && !has_ended_)) return std::nullopt;
    HttpReply reply{head_->status, head_->headers, "", nullptr};
    if (!is_stream_) reply.body = std::move(waiting_);
    return reply;
  }
  bool is_stream() const {
    const std::lock_guard lock(mutex_);
    return is_stream_;
  }
  bool has_failed() const {
    const std::lock_guard lock(mutex_);
    return has_failed_;
  }
  // False at its end.
  bool read(std::string& chunk) {
    const std::lock_guard lock(mutex_);
    chunk += waiting_;
    waiting_.clear();
    has_room_.notify_all();
    return !has_ended_;
  }

 private:
  void wake_locked() {
    if (waker_) waker_->wake();
  }

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable has_room_;
  std::optional<HttpHead> head_;
  std::string waiting_;
  bool is_stream_ = false;
  bool has_ended_ = false;
  bool has_failed_ = false;
  bool is_unwanted_ = false;
  HttpConnection* connection_ = nullptr;  // while it is read from
  std::shared_ptr<Waker> waker_;
};

using ForwardedPtr = std::shared_ptr<Forwarded>;

class ForwardedBody : public BodyStream {
 public:
  explicit ForwardedBody(ForwardedPtr exchange) : exchange_(std::move(exchange)) {}
  ~ForwardedBody() override { exchange_->break_off(); }
  bool read(std::string& chunk) override { return exchange_->read(chunk); }
  bool is_broken() const override { return exchange_->has_failed(); }
  void watch(std::shared_ptr<Waker> waker) override { exchange_->watch(std::move(waker)); }

 private:
  const ForwardedPtr exchange_;
};

class ForwardedReply : public LateReply {
 public:
  explicit ForwardedReply(ForwardedPtr exchange) : exchange_(std::move(exchange)) {}
  ~ForwardedReply() override {
    if (!is_taken_) exchange_->break_off();
  }
  std::optional<HttpReply> take() override {
    std::optional<HttpReply> reply = exchange_->take_reply();
    is_taken_ = reply.has_value();
    if (reply && exchange_->is_stream() && !reply->is_in_place_of_answer) {
      reply->stream = std::make_shared<ForwardedBody>(exchange_);
    }
    return reply;
  }
  void watch(std::shared_ptr<Waker> waker) override { exchange_->watch(std::move(waker)); }
  bool ends_with_client() const override { return true; }

 private:
  const ForwardedPtr exchange_;
  bool is_taken_ = false;
};

}  // namespace

class HttpForwarder::Impl {
 public:
  Impl(HttpUrl server, ConnectOptions options, HostField host)
      : server_(std::move(server)),
        options_(options),
        host_(host),
        workers_(kMostExchanges, kMostExchanges) {}

  ~Impl() {
    const std::lock_guard lock(mutex_);
    is_closing_ = true;
    for (const ForwardedPtr& each : live_) each->break_off();
  }

  HttpReply pass_on(const HttpHead& request, std::string_view body) {
    const std::string asked(find_header(request.headers, "Host").value_or(""));
    if (!is_this_machine(host_name(asked)))
      return in_place_of_answer(error_reply(403, "Forbidden: not this machine's name"));
    HttpMessage message;
    message.method = request.method;
    message.target = request.target;
    message.headers = passed_on_headers(request.headers);
    std::erase_if(message.headers, [](const Header& field) {
      return wire::equals_without_case(field.first, "accept-encoding");
    });
    message.headers.insert(message.headers.begin(),
                           {"Host", host_ == HostField::kOfClient ? asked : server_.authority()});
    message.body = body;
    complete_headers(message);
    auto exchange = std::make_shared<Forwarded>();
    {
      const std::lock_guard lock(mutex_);
      if (is_closing_) return in_place_of_answer(error_reply(503, "Service unavailable: closing"));
      live_.insert(exchange);
    }
    const bool is_begun = workers_.run([this, exchange, message = std::move(message)] {
      perform(*exchange, message);
      const std::lock_guard lock(mutex_);
      live_.erase(exchange);
    });
    if (!is_begun)
      return in_place_of_answer(error_reply(503, "Service unavailable: too many exchanges"));
    HttpReply reply;
    reply.later = std::make_shared<ForwardedReply>(exchange);
    return reply;
  }

 private:
  void perform(Forwarded& exchange, const HttpMessage& message) {
    std::unique_ptr<HttpConnection> connection = take_connection();
    std::optional<Failure> failure = Failure{Failure::Kind::kOther, "broken off"};
    if (exchange.begin(connection.get())) {
      failure = connection->perform(
          message, {[&](const HttpHead& head) { return exchange.on_head(head); },
                    [&](std::string_view bytes) { return exchange.on_body(bytes); }});
    }
    exchange.end(failure);
    if (!failure && !exchange.was_broken_off()) give_back(std::move(connection));
  }

  std::unique_ptr<HttpConnection> take_connection() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      return std::make_unique<HttpConnection>(server_, options_, kMostForwardedHead);
    }
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    return connection;
  }
  void give_back(std::unique_ptr<HttpConnection> connection) {
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kMostIdleConnections) idle_.push_back(std::move(connection));
  }

  const HttpUrl server_;
  const ConnectOptions options_;
  const HostField host_;
  std::mutex mutex_;  // guards the next three
  bool is_closing_ = false;
  std::set<ForwardedPtr> live_;
  std::vector<std::unique_ptr<HttpConnection>> idle_;
  Workers workers_;  // the last: its threads use all of the above
};

HttpForwarder::HttpForwarder(HttpUrl server, ConnectOptions options, HostField host)
    : impl_(std::make_unique<Impl>(std::move(server), options, host)) {}

HttpForwarder::~HttpForwarder() = default;

HttpListener::Handler HttpForwarder::handler() {
  return [impl = impl_.get()](const HttpHead& request, std::string_view body) {
    return impl->pass_on(request, body);
  };
}

}  // namespace assay::transport
