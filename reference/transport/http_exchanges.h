// Runs HTTP exchanges, many at a time, and observes each on a lane of its own.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "reference/transport/client_transport.h"
#include "reference/transport/http_connection.h"
#include "reference/wire/budget.h"
#include "reference/wire/sse.h"

namespace assay::transport {

// What a server may make us hold, read or wait for.
struct HttpLimits {
  std::size_t max_concurrent = 64;  // exchanges at once, streams included: a thread each
  std::size_t max_waiting = 16384;  // exchanges that wait for a thread
  std::size_t max_body_bytes = kMaxMessageBytes;        // of an answer that is no stream
  std::size_t max_event_bytes = kMaxMessageBytes;       // of a stream
  std::size_t max_stream_bytes = std::size_t{1} << 30;  // all events of one stream
  // The status line and header fields of an answer: many times what clients and servers take.
  std::size_t max_head_bytes = 128u << 10;
  // What bodies and events that are not complete are taken from; null: nothing.
  wire::BudgetPtr budget = nullptr;
  // Until the head has arrived, and again until the body has, unless that is an event stream.
  std::chrono::milliseconds answer_timeout{60000};
};

// Observed on lane kHttp/N, N counting from 1: kHttpRequest before start() returns; then either
// kHttpResponse and kHttpBody, or kHttpResponse and kSseEvent for each event, and kClosed at the
// end; or kBroken, whenever it comes to that (kSent: given up by us). A body that broke off is
// observed with is_truncated before its kBroken.
//
// Where an answer passes a limit of size, or is compressed although we ask for none that is, the
// beginning of its body is observed, then kCutOff; after it all exchanges end and nothing more is
// observed.
//
// Thread safety: all functions may be called from any thread.
class HttpExchanges {
 public:
  // Called on the exchange's thread, just before the same thing is observed.
  struct Hooks {
    std::function<void(const HttpHead&)> on_head;
    std::function<void(const wire::SseEvent&)> on_event;
  };

  HttpExchanges(HttpUrl url, ConnectOptions options, HttpLimits limits, Observer& observer);
  ~HttpExchanges();

  Lane start(HttpMessage message, Hooks hooks = {});
  // Breaks an exchange off by breaking its connection; nothing happens if it is over.
  void abandon(Lane lane, std::string_view why);
  // Breaks everything off. After it returns nothing is observed any more.
  void close();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::transport
