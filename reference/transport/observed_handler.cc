#include "reference/transport/observed_handler.h"

#include <atomic>
#include <memory>
#include <utility>

#include "reference/transport/http_guard.h"
#include "reference/wire/sse.h"

namespace assay::transport {
namespace {

// One request and its answer. Its functions are called one after another.
class ObservedExchange {
 public:
  ObservedExchange(Observer& observer, std::uint64_t number)
      : observer_(observer), lane_{Lane::Kind::kHttp, number} {}

  void begin(const HttpHead& request, std::string_view body) {
    Observation observation = about(Observation::Kind::kHttpRequest, Party::kClient);
    if (request.method != "POST") method_ = request.method;
    observation.http = request;
    observation.bytes = body;
    observer_.observe(observation);
  }

  void answer(const HttpReply& reply) {
    if (reply.is_in_place_of_answer) {
      return end(Observation::Kind::kBroken, Party::kClient, "the server gave no answer");
    }
    Observation head = about(Observation::Kind::kHttpResponse, Party::kServer);
    head.http = head_of(reply);
    observer_.observe(head);
    if (reply.stream) return;
    Observation body = about(Observation::Kind::kHttpBody, Party::kServer);
    body.http = head_of(reply);
    body.bytes = reply.body;
    observer_.observe(body);
    end(Observation::Kind::kClosed, Party::kServer, "answered");
  }

  void event(const wire::SseEvent& event) {
    Observation observation = about(Observation::Kind::kSseEvent, Party::kServer);
    observation.event = event;
    observer_.observe(observation);
  }

  void end(Observation::Kind kind, Party party, std::string_view how) {
    Observation observation = about(kind, party);
    observation.bytes = how;
    observer_.observe(observation);
  }

 private:
  Observation about(Observation::Kind kind, Party speaker) const {
    Observation observation;
    observation.kind = kind;
    observation.speaker = speaker;
    observation.lane = lane_;
    return observation;
  }
  HttpHead head_of(const HttpReply& reply) const {
    HttpHead head;
    head.method = method_;
    head.status = reply.status;
    head.headers = reply.headers;
    return head;
  }

  Observer& observer_;
  const Lane lane_;
  std::string method_;  // of the request, where that is no POST
};

using ExchangePtr = std::shared_ptr<ObservedExchange>;

class ObservedBody : public BodyStream {
 public:
  ObservedBody(std::shared_ptr<BodyStream> inner, ExchangePtr exchange)
      : inner_(std::move(inner)),
        exchange_(std::move(exchange)),
        parser_([this](const wire::SseEvent& event) { exchange_->event(event); }) {}
  ~ObservedBody() override {
    if (!has_ended_) {
      exchange_->end(Observation::Kind::kBroken, Party::kClient, "the client went away");
    }
  }

  bool read(std::string& chunk) override {
    const std::size_t before = chunk.size();
    const bool goes_on = inner_->read(chunk);
    parser_.feed(std::string_view(chunk).substr(before));
    if (!goes_on && !std::exchange(has_ended_, true)) {
      const bool is_broken = inner_->is_broken();
      exchange_->end(is_broken ? Observation::Kind::kBroken : Observation::Kind::kClosed,
                     Party::kServer, is_broken ? "the stream broke off" : "the stream ended");
    }
    return goes_on;
  }
  bool is_broken() const override { return inner_->is_broken(); }
  void watch(std::shared_ptr<Waker> waker) override { inner_->watch(std::move(waker)); }

 private:
  const std::shared_ptr<BodyStream> inner_;
  const ExchangePtr exchange_;
  wire::SseParser parser_;
  bool has_ended_ = false;
};

HttpReply told(HttpReply reply, const ExchangePtr& exchange) {
  exchange->answer(reply);
  if (reply.stream) {
    reply.stream = std::make_shared<ObservedBody>(std::move(reply.stream), exchange);
  }
  return reply;
}

class ObservedReply : public LateReply {
 public:
  ObservedReply(std::shared_ptr<LateReply> inner, ExchangePtr exchange)
      : inner_(std::move(inner)), exchange_(std::move(exchange)) {}
  ~ObservedReply() override {
    if (!is_known_) {
      exchange_->end(Observation::Kind::kBroken, Party::kClient, "the client went away");
    }
  }

  std::optional<HttpReply> take() override {
    std::optional<HttpReply> reply = inner_->take();
    if (!reply) return reply;
    is_known_ = true;
    return told(*std::move(reply), exchange_);
  }
  void watch(std::shared_ptr<Waker> waker) override { inner_->watch(std::move(waker)); }
  bool ends_with_client() const override { return inner_->ends_with_client(); }

 private:
  const std::shared_ptr<LateReply> inner_;
  const ExchangePtr exchange_;
  bool is_known_ = false;
};

}  // namespace

HttpListener::Handler observed(HttpListener::Handler handler, Observer& observer) {
  const auto count = std::make_shared<std::atomic<std::uint64_t>>(0);
  return [handler = std::move(handler), &observer, count](const HttpHead& request,
                                                          std::string_view body) {
    if (observer.is_full()) return error_reply(503, "Service unavailable: too much was sent");
    const auto exchange = std::make_shared<ObservedExchange>(observer, ++*count);
    exchange->begin(request, body);
    HttpReply reply = handler(request, body);
    if (!reply.later) return told(std::move(reply), exchange);
    reply.later = std::make_shared<ObservedReply>(std::move(reply.later), exchange);
    return reply;
  };
}

}  // namespace assay::transport
