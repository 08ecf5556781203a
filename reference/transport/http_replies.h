// What an HTTP server of MCP replies with, now or later.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "reference/transport/event_stream.h"
#include "reference/transport/http_listener.h"

namespace assay::transport {

HttpReply empty_reply(int status);
HttpReply method_not_allowed(const char* allowed);
// With one answer as its body.
HttpReply json_reply(Outgoing answer);
// The same, in a reply that is empty.
void fill_json_reply(Outgoing answer, HttpReply& reply);
// With events, as `body` gives them.
HttpReply stream_reply(std::shared_ptr<BodyStream> body);

// A reply that depends on what `stream` will hold: `make` is asked at each change of it, until it
// gives one. `ends_with_client`: nobody waits for it when the client has closed its side.
HttpReply late_reply(std::shared_ptr<EventStream> stream,
                     std::function<std::optional<HttpReply>()> make, bool ends_with_client = false);
// Changes a reply: now, or once it is known.
void amend(HttpReply& reply, std::function<void(HttpReply&)> change);

// Passes on to a stream of the session what belongs to a message, and leaves the stream open.
class ForwardingSink : public Sink {
 public:
  explicit ForwardingSink(std::shared_ptr<Sink> to) : to_(std::move(to)) {}
  void send(Outgoing message) override { to_->send(std::move(message)); }
  void finish() override {}
  bool is_listened_to() const override { return to_->is_listened_to(); }
  bool can_ask() const override { return to_->can_ask(); }
  void disconnect(std::chrono::milliseconds) override {}
  std::string credentials() const override { return to_->credentials(); }

 private:
  const std::shared_ptr<Sink> to_;
};

// For what is received and has no answer.
class NoSink : public Sink {
 public:
  void send(Outgoing) override {}
  void finish() override {}
  bool is_listened_to() const override { return false; }
  void disconnect(std::chrono::milliseconds) override {}
};

}  // namespace assay::transport
