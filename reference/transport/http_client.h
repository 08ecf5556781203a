// The client's end of Streamable HTTP.
//
// Specification: basic/transports, "Streamable HTTP" (2025-03-26 and later): every message is a
// POST of its own; the answer is JSON or an event stream; a GET opens a stream for what the server
// has to say by itself; a session is named by a header.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/client_transport.h"
#include "reference/transport/http_connection.h"
#include "reference/transport/http_exchanges.h"

namespace assay::transport {

// A header that a user adds to every request.
struct UserHeader {
  std::string name;
  std::string value;
  bool is_secret = false;  // its value must be masked wherever it turns up
};

struct HttpClientOptions {
  ConnectOptions connection;
  HttpLimits limits;
  std::vector<UserHeader> headers;
  // Called with the method, the body and the header fields of each request before it is sent: a
  // client that is wrong on purpose changes them.
  std::function<void(std::string_view method, std::string_view body, Headers& fields)> spoil;
  // The same with where HttpSseClient is about to POST a message.
  std::function<void(std::string& target)> misdirect = nullptr;
};

// A request that a scenario makes by hand.
struct HttpRequest {
  std::string method = "POST";
  // Path and query; that of the endpoint if there is none.
  std::optional<std::string> target;
  // Replace the headers of the same name that would be sent otherwise; an empty value leaves the
  // header out.
  Headers headers;
  std::string body;
  // Send Accept and Content-Type as the specification asks, ask for no compression, and send the
  // user's headers.
  bool with_standard_headers = true;
  // Send the session's id and the protocol version, as far as they are known.
  bool with_session_headers = true;
};

// Observed: see HttpExchanges; each message sent is an exchange of its own. The lane of an answer
// is the lane of its request.
//
// Thread safety: all functions may be called from any thread.
class HttpClient final : public ClientTransport {
 public:
  HttpClient(HttpUrl endpoint, HttpClientOptions options, Observer& observer);
  ~HttpClient() override;
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Fails with kUnreachable if nothing accepts connections at the URL.
  std::optional<Failure> open() override;
  Lane send(std::string_view message) override;
  Lane send_alone(std::string_view message, const Headers& headers) override;
  bool leave(Lane lane) override;
  Lane send_raw(std::string_view bytes) override;
  // Sent with every later request, in the revisions that have the header. It is what a server said:
  // what cannot stand in a header field is not sent.
  void set_protocol_version(std::string_view version) override;
  bool is_resumable() const override { return true; }
  Lane resume(const std::optional<std::string>& last_event_id) override {
    return open_stream(last_event_id);
  }
  // Breaks off what is under way. It does not end the session: see end_session().
  void close(Deadline deadline) override;

  // Any request at all. Its answer does not start a session.
  Lane start(HttpRequest request);
  // GET: a stream of what the server says by itself, or, with an id, the rest of a broken stream.
  // An id that cannot stand in a header field is left out.
  Lane open_stream(const std::optional<std::string>& last_event_id = std::nullopt);
  // Breaks an exchange off, as a lost network would; observed as kBroken.
  void abandon(Lane lane);
  // DELETE: the session is of no further use. Nothing is sent if there is none.
  std::optional<Lane> end_session();
  // The same for every session that this client began: also those which an `initialize` made by
  // start() began, each with the Authorization that it began with. At most 64 of these are
  // remembered.
  std::vector<Lane> end_all_sessions();

  // The id given in the answer to `initialize`, if it can stand in a header field; sent with every
  // later request but `initialize`, which starts a session anew.
  std::optional<std::string> session_id() const;
  // Makes later requests carry another id, or none.
  void set_session_id(std::optional<std::string> id);
  // The values that must be masked wherever they turn up: secret headers and the session's id.
  std::vector<std::string> secrets() const;
  const HttpUrl& endpoint() const { return endpoint_; }
  // What the user adds to every request.
  const std::vector<UserHeader>& user_headers() const { return options_.headers; }

 private:
  HttpMessage make_message(HttpRequest request) const;
  Lane post(std::string_view body);

  // Begun by start().
  struct OtherSession {
    std::string id;
    std::optional<std::string> authorization;
  };

  const HttpUrl endpoint_;
  const HttpClientOptions options_;
  mutable std::mutex mutex_;  // guards the three below
  std::optional<std::string> session_id_;
  std::vector<OtherSession> other_sessions_;
  std::optional<std::string> protocol_version_;
  SocketStream opening_;  // used by open() alone, so that close() can end it
  HttpExchanges exchanges_;
};

}  // namespace assay::transport
