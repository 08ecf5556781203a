#include "reference/transport/http_replies.h"

#include <utility>

#include "reference/transport/http_guard.h"

namespace assay::transport {
namespace {

class ShapedReply : public LateReply {
 public:
  using Maker = std::function<std::optional<HttpReply>()>;
  ShapedReply(std::shared_ptr<EventStream> stream, Maker make, bool ends_with_client)
      : stream_(std::move(stream)), make_(std::move(make)), ends_with_client_(ends_with_client) {}
  std::optional<HttpReply> take() override { return make_(); }
  void watch(std::shared_ptr<Waker> waker) override { stream_->watch(0, std::move(waker)); }
  bool ends_with_client() const override { return ends_with_client_; }

 private:
  const std::shared_ptr<EventStream> stream_;
  const Maker make_;
  const bool ends_with_client_;
};

int status_of(Outgoing::Kind kind) {
  if (kind == Outgoing::Kind::kRefusal) return 400;
  return kind == Outgoing::Kind::kUnknownMethod ? 404 : 200;
}

// Another late reply with a change to it.
class AmendedReply : public LateReply {
 public:
  using Change = std::function<void(HttpReply&)>;
  AmendedReply(std::shared_ptr<LateReply> inner, Change change)
      : inner_(std::move(inner)), change_(std::move(change)) {}
  std::optional<HttpReply> take() override {
    std::optional<HttpReply> reply = inner_->take();
    if (reply) change_(*reply);
    return reply;
  }
  void watch(std::shared_ptr<Waker> waker) override { inner_->watch(std::move(waker)); }
  bool ends_with_client() const override { return inner_->ends_with_client(); }

 private:
  const std::shared_ptr<LateReply> inner_;
  const Change change_;
};

}  // namespace

HttpReply empty_reply(int status) {
  return {status, {}, "", nullptr};
}

HttpReply method_not_allowed(const char* allowed) {
  HttpReply reply = error_reply(405, "Method not allowed");
  reply.headers.emplace_back("Allow", allowed);
  return reply;
}

HttpReply json_reply(Outgoing answer) {
  HttpReply reply;
  fill_json_reply(std::move(answer), reply);
  return reply;
}

void fill_json_reply(Outgoing answer, HttpReply& reply) {
  reply.status = status_of(answer.kind);
  static const Headers kJson = {{"Content-Type", "application/json"}};
  reply.headers = kJson;
  reply.body = std::move(answer.bytes);
}

HttpReply stream_reply(std::shared_ptr<BodyStream> body) {
  return {200,
          {{"Content-Type", "text/event-stream"}, {"Cache-Control", "no-cache, no-transform"}},
          "",
          std::move(body)};
}

HttpReply late_reply(std::shared_ptr<EventStream> stream,
                     std::function<std::optional<HttpReply>()> make, bool ends_with_client) {
  HttpReply reply;
  reply.later = std::make_shared<ShapedReply>(std::move(stream), std::move(make), ends_with_client);
  return reply;
}

void amend(HttpReply& reply, std::function<void(HttpReply&)> change) {
  if (reply.later) {
    reply.later = std::make_shared<AmendedReply>(std::move(reply.later), std::move(change));
  } else {
    change(reply);
  }
}

}  // namespace assay::transport
