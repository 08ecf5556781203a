// The HTTP exchanges of a session: which request each belongs to, and how to take up a broken one.
//
// Specification: basic/transports, "Resumability and Redelivery".
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "reference/transport/observer.h"
#include "reference/wire/id.h"

namespace assay::client {

// One HTTP exchange, or the sequence of them that a resumed stream is.
struct Stream {
  std::optional<wire::Id> request;  // whose answer it brings
  bool is_get = false;              // this exchange is a GET
  bool has_session = false;         // it was sent with a session's id
  int status = 0;                   // 0 until it is answered
  std::optional<std::string> last_event_id;
  std::optional<std::chrono::milliseconds> retry;
  int fruitless_attempts = 0;  // in a row, without a new event
};

// Not thread safe: the session's lock guards it.
class Streams {
 public:
  // An exchange begins: `observation` is a kHttpRequest, and `request` the id of the request in it.
  void begin(const transport::Observation& observation, std::optional<wire::Id> request);
  // Its status is known (kHttpResponse), or an event has arrived (kSseEvent).
  void note(const transport::Observation& observation);
  // It is over. Nothing if it was not known.
  std::optional<Stream> end(transport::Lane lane);
  // The next GET with this stream's last event id, or without one if it has none, continues it.
  void expect(Stream stream);
  // Null if the exchange is over.
  const Stream* find(transport::Lane lane) const;

 private:
  std::map<transport::Lane, Stream> streams_;
  std::map<std::optional<std::string>, Stream> expected_;
};

}  // namespace assay::client
