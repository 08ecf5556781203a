// The client's end of HTTP+SSE, the older transport.
//
// Specification: 2024-11-05, basic/transports, "HTTP with SSE": a GET opens one event stream, whose
// first event, `endpoint`, names where messages are POSTed; everything from the server comes as
// `message` events on that stream.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/client_transport.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_exchanges.h"

namespace assay::transport {

// Observed: see HttpExchanges. Lane http/1 is the stream; each POST has a lane of its own, on which
// no message comes back.
class HttpSseClient final : public ClientTransport {
 public:
  HttpSseClient(HttpUrl endpoint, HttpClientOptions options, Observer& observer);
  ~HttpSseClient() override;
  HttpSseClient(const HttpSseClient&) = delete;
  HttpSseClient& operator=(const HttpSseClient&) = delete;

  // Opens the stream and waits for the `endpoint` event, for HttpLimits::answer_timeout at most. An
  // endpoint of another origin is refused (kBadAddress): messages go nowhere but to the server
  // under test.
  std::optional<Failure> open() override;
  Lane send(std::string_view message) override;
  Lane send_raw(std::string_view bytes) override;
  void close(Deadline deadline) override;

  // Where messages are POSTed, once the server has said so.
  std::optional<HttpUrl> message_endpoint() const;
  // The URL of the stream.
  const HttpUrl& url() const { return url_; }
  // The lane of the event stream.
  Lane stream() const { return {Lane::Kind::kHttp, 1}; }
  // Any request at all, on a lane of its own: to the URL of the stream, or with a body and no
  // target of its own to where messages are POSTed. Its session headers are those of Streamable
  // HTTP, so none are sent.
  Lane start(HttpRequest request);
  // Breaks an exchange off, as a lost network would.
  void abandon(Lane lane);
  // The same for the stream.
  void abandon_stream();

 private:
  // Passes everything on, and sees when the stream ends before it has named an endpoint.
  class StreamWatch;

  void take_endpoint(const wire::SseEvent& event);
  void take_head(const HttpHead& head);
  void fail(Failure::Kind kind, std::string detail);
  Headers headers(std::string_view accept, bool has_body) const;

  const HttpUrl url_;
  const HttpClientOptions options_;
  mutable std::mutex mutex_;  // guards the two below
  std::condition_variable is_decided_;
  std::optional<HttpUrl> message_endpoint_;
  std::optional<Failure> failure_;
  SocketStream opening_;  // used by open() alone, so that close() can end it
  std::unique_ptr<StreamWatch> watch_;
  HttpExchanges exchanges_;
};

}  // namespace assay::transport
