#include "reference/client/streams.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace assay::client {

using transport::Observation;

void Streams::begin(const Observation& observation, std::optional<wire::Id> request) {
  Stream stream;
  const bool is_get = observation.http->method == "GET";
  if (is_get) {
    const auto header = transport::find_header(observation.http->headers, "Last-Event-ID");
    const auto id = header ? std::optional<std::string>(*header) : std::nullopt;
    if (auto continued = expected_.extract(id)) stream = std::move(continued.mapped());
  } else {
    stream.request = std::move(request);
  }
  stream.is_get = is_get;
  stream.status = 0;
  stream.has_session =
      transport::find_header(observation.http->headers, "Mcp-Session-Id").has_value();
  streams_.insert_or_assign(observation.lane, std::move(stream));
}

void Streams::note(const Observation& observation) {
  const auto found = streams_.find(observation.lane);
  if (found == streams_.end()) return;
  Stream& stream = found->second;
  if (observation.kind == Observation::Kind::kHttpResponse) {
    stream.status = observation.http->status;
  } else if (observation.event) {
    stream.fruitless_attempts = 0;
    if (observation.event->id) stream.last_event_id = observation.event->id;
    if (observation.event->retry) {
      // Whoever waits has a bound of its own; this keeps the number within what a clock can count.
      constexpr std::uint64_t kDay = 24u * 60 * 60 * 1000;
      stream.retry = std::chrono::milliseconds(std::min(*observation.event->retry, kDay));
    }
  }
}

std::optional<Stream> Streams::end(transport::Lane lane) {
  auto node = streams_.extract(lane);
  if (!node) return std::nullopt;
  return std::move(node.mapped());
}

void Streams::expect(Stream stream) {
  auto id = stream.last_event_id;
  expected_.insert_or_assign(std::move(id), std::move(stream));
}

const Stream* Streams::find(transport::Lane lane) const {
  const auto found = streams_.find(lane);
  return found == streams_.end() ? nullptr : &found->second;
}

}  // namespace assay::client
