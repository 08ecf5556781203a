// An in-process wire between a session and a peer: no I/O, no thread, no time.
//
// For tests of everything above the transports against the in-process reference server.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/client_transport.h"

namespace assay::transport {

// Observed on lane kPipe: each message both ways as kLine, and kClosed once.
//
// Thread safety: all functions may be called from any thread. deliver() may be called from inside
// the peer's handler: the answer is then observed before send() returns. No lock is held while the
// handler runs, so the peer sees the messages of one sending thread in order, but may see those of
// two threads in another order than the observer.
class Pipe final : public ClientTransport {
 public:
  // Receives what the session sends, one message per call.
  using Peer = std::function<void(std::string_view)>;

  Pipe(Peer peer, Observer& observer);
  ~Pipe() override;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  std::optional<Failure> open() override;
  Lane send(std::string_view message) override;
  Lane send_raw(std::string_view bytes) override;
  // The session's end goes away. What the peer delivers from now on is dropped.
  void close(Deadline deadline) override;

  // What the peer sends to the session: one message. Dropped before open() and after close().
  void deliver(std::string_view message);
  // The peer goes away: observed as kClosed.
  void close_from_peer();

 private:
  bool observe(Party speaker, std::string_view bytes);
  void finish(Party speaker, std::string_view how);

  const Peer peer_;
  Observer& observer_;
  std::mutex mutex_;  // guards is_open_ and is held while observing, to keep the lane in order
  bool is_open_ = false;
};

}  // namespace assay::transport
