#include "reference/transport/pipe.h"

#include <utility>

namespace assay::transport {
namespace {

constexpr Lane kLane{Lane::Kind::kPipe, 0};

}  // namespace

Pipe::Pipe(Peer peer, Observer& observer) : peer_(std::move(peer)), observer_(observer) {}

Pipe::~Pipe() {
  close(Deadline::clock::now());
}

std::optional<Failure> Pipe::open() {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
  return std::nullopt;
}

Lane Pipe::send(std::string_view message) {
  if (observe(Party::kClient, message)) peer_(message);
  return kLane;
}

Lane Pipe::send_raw(std::string_view bytes) {
  return send(bytes);
}

void Pipe::close(Deadline /*deadline*/) {
  finish(Party::kClient, "the client closed the pipe");
}

void Pipe::deliver(std::string_view message) {
  observe(Party::kServer, message);
}

void Pipe::close_from_peer() {
  finish(Party::kServer, "the peer closed the pipe");
}

bool Pipe::observe(Party speaker, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (!is_open_) return false;
  Observation observation;
  observation.kind = Observation::Kind::kLine;
  observation.speaker = speaker;
  observation.lane = kLane;
  observation.bytes = bytes;
  observer_.observe(observation);
  return true;
}

void Pipe::finish(Party speaker, std::string_view how) {
  const std::lock_guard lock(mutex_);
  if (!is_open_) return;
  is_open_ = false;
  Observation observation;
  observation.kind = Observation::Kind::kClosed;
  observation.speaker = speaker;
  observation.lane = kLane;
  observation.bytes = how;
  observer_.observe(observation);
}

}  // namespace assay::transport
