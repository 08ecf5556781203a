// What a scenario may say where HTTP itself is the topic: one exchange at a time, seen whole.
//
// Specification: basic/transports, "Streamable HTTP".
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/connection.h"
#include "reference/transport/http_client.h"

namespace assay::harness {

// What has come of one HTTP exchange so far.
struct HttpAnswer {
  transport::Lane lane;
  int status = 0;  // 0: no head came
  transport::Headers headers;
  std::string body;                // of an answer that is no event stream
  std::vector<EventPtr> events;    // everything on the lane: what a finding shows as evidence
  std::vector<EventPtr> streamed;  // the SSE events among them
  bool is_closed = false;          // it ended as it should
  bool is_broken = false;          // it broke off

  bool is_success() const { return status >= 200 && status < 300; }
  bool is_refusal() const { return status >= 400; }
  // A success whose content is an event stream.
  bool is_stream() const;
  // The first result or error among its messages; null if there is none.
  const wire::Message* answer() const;
  // A success that carries a JSON-RPC result: the request was served.
  bool is_served() const;
  // The last id among its events that can stand in the header field which resumes.
  std::optional<std::string> last_event_id() const;
  // "HTTP 403", "HTTP 200 with a result", "silence".
  std::string describe() const;
};

using HttpCondition = std::function<bool(const HttpAnswer&)>;

// The exchange on this lane as it stands. `from` is a mark() taken before it began.
HttpAnswer look(Connection& connection, transport::Lane lane, std::size_t from);
// Longer than any patience.
inline constexpr std::chrono::milliseconds kAsLongAsAny = std::chrono::hours(24);

// The same, once `is_enough` holds or the exchange is over; or as it stands when patience ends, or
// after `at_most`.
HttpAnswer follow(Connection& connection, transport::Lane lane, std::size_t from,
                  const HttpCondition& is_enough, std::chrono::milliseconds at_most = kAsLongAsAny);

// Conditions. Of an exchange that is over:
bool is_over(const HttpAnswer& reply);
// The head of a stream has come; anything else is over.
bool has_begun(const HttpAnswer& reply);
// A JSON-RPC answer has come; anything else is over.
bool has_answer(const HttpAnswer& reply);

// The URL that the connection was made for: of the endpoint, or of the older pair's stream.
const transport::HttpUrl& url_of(Connection& connection);
// Breaks an exchange off, as a lost network would.
void abandon(Connection& connection, transport::Lane lane);
// Makes a request by hand and waits for its answer, over HTTP of either kind.
HttpAnswer exchange(Connection& connection, transport::HttpRequest request,
                    std::chrono::milliseconds at_most = kAsLongAsAny);
// POSTs a message, with headers of one's own (an empty value leaves a header out).
HttpAnswer post(Connection& connection, const Json& message, transport::Headers headers = {},
                std::chrono::milliseconds at_most = kAsLongAsAny);
// What a client of the connection's revision asks first.
Json opening_request(Connection& connection);
// GETs a stream, and gives it up as soon as it has begun.
HttpAnswer get_stream(Connection& connection, transport::Headers headers = {});
// POSTs what every server of the revision answers (`ping`), and reads its answer.
HttpAnswer post_probe(Connection& connection, transport::Headers headers = {});

// A stream that we opened and hold; broken off by abandon() or with the connection.
class HeldStream {
 public:
  // GETs a stream; with an id, the rest of one that broke.
  static HeldStream open(Connection& connection,
                         const std::optional<std::string>& last_event_id = std::nullopt);
  // POSTs a request and does not wait for its end.
  static HeldStream post(Connection& connection, const Json& message);

  HttpAnswer now() const { return look(*connection_, lane_, from_); }
  // Waits for the condition, or until the stream has ended.
  HttpAnswer until(const HttpCondition& is_enough) const {
    return follow(*connection_, lane_, from_, is_enough);
  }
  // Breaks it off, as a lost network would, and waits until that is done.
  HttpAnswer abandon() const;
  transport::Lane lane() const { return lane_; }

 private:
  HeldStream(Connection& connection, transport::Lane lane, std::size_t from)
      : connection_(&connection), lane_(lane), from_(from) {}

  Connection* connection_;
  transport::Lane lane_;
  std::size_t from_;
};

}  // namespace assay::harness
