// What is known of each HTTP exchange of a connection, as its events pass: for the monitors of the
// HTTP rules.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/transcript/transcript.h"
#include "reference/wire/id.h"

namespace assay::harness {

struct HttpLane {
  EventPtr request;
  EventPtr response;                  // its head; null until it has come
  EventPtr end;                       // null while it goes on
  std::vector<wire::Id> request_ids;  // of the JSON-RPC requests in the body
  // The body holds messages, and none of them is a request.
  bool has_no_request = false;
  bool is_initialize = false;
  std::optional<std::string> resumes;  // the Last-Event-ID

  const std::string& method() const { return request->observation.http()->method; }
  int status() const { return response ? response->observation.http()->status : 0; }
  bool is_success() const { return status() >= 200 && status() < 300; }
  bool is_stream() const;
  bool is_post() const { return method() == "POST"; }
  bool is_get() const { return method() == "GET"; }
  // The server ended it in good order.
  bool is_closed_by_server() const;
  // A header of the request.
  std::optional<std::string_view> sent_header(std::string_view name) const;
};

class HttpLanes {
 public:
  // Takes note of an event of an HTTP lane, and returns what is known of that lane by now; null for
  // other events.
  HttpLane* note(const EventPtr& event);
  std::map<transport::Lane, HttpLane>& all() { return lanes_; }
  HttpLane* find(transport::Lane lane);

 private:
  std::map<transport::Lane, HttpLane> lanes_;
};

// Over HTTP several clients may share a connection, each with ids and tokens of its own: only a
// message that names its session is known to be of one client. Elsewhere each is.
bool is_of_one_client(const Event& event);
// A result or an error.
bool is_response(const wire::Message& message);
// Adds the ids of the answers in a message, or batch, to `ids`.
void collect_answers(const wire::Message& message, std::set<wire::Id>& ids);

// Messages of the target that have come before on another HTTP lane: replayed to a client that
// resumes, or sent twice. They are the business of the rules about streams alone; to all others a
// message has come once.
class RepeatedMessages {
 public:
  // Takes note of a message, and tells whether it is such a copy.
  bool note(const Event& event);

 private:
  std::map<std::string, std::size_t> events_;                 // SSE id -> hash of its data
  std::map<std::size_t, transport::Lane> messages_with_ids_;  // by the hash of their text
};

}  // namespace assay::harness
