// One stream of messages to the client: kept, so that a client that lost its connection can resume
// it.
//
// Specification: basic/transports, "Resumability and Redelivery".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reference/transport/server_transport.h"
#include "reference/transport/waker.h"

namespace assay::transport {

// Thread safety: any thread may call any member. At most one reader is attached at a time; a later
// one takes the stream over.
class EventStream : public Sink {
 public:
  struct Event {
    std::uint64_t sequence = 0;  // counts the events of the stream from 1
    Outgoing message;
  };
  // What is kept of a stream; beyond it the oldest events are forgotten.
  struct Bounds {
    std::size_t events = 1000;
    std::size_t bytes = 16u << 20;
    bool keeps_read = true;  // what was read stays, for the next reader
  };

  explicit EventStream(std::uint64_t number);
  EventStream(std::uint64_t number, Bounds bounds);

  // Unique in its session.
  std::uint64_t number() const { return number_; }

  // From now on, what is not an answer goes to `other`: for clients that take no stream.
  void divert(std::shared_ptr<Sink> other);

  void send(Outgoing message) override;
  void finish() override;
  bool is_listened_to() const override;
  bool can_ask() const override;
  void disconnect(std::chrono::milliseconds retry) override;
  std::string credentials() const override { return credentials_; }
  // Before anybody else has the stream.
  void set_credentials(std::string field) { credentials_ = std::move(field); }

  // What the POST that opened the stream is to be answered with.
  enum class Shape {
    kNothing,  // finished, and nothing was sent
    kAnswer,   // finished, and one answer is all that was sent
    kStream,   // something that needs a stream has been sent, or a disconnection was asked for
  };
  // Nothing while that is not clear.
  std::optional<Shape> shape() const;
  // The same; the one answer of kAnswer is taken out into `answer`.
  std::optional<Shape> settle(Outgoing& answer);

  // Attaches a reader that has seen the events up to and including `seen`. Gives its token.
  std::uint64_t attach(std::uint64_t seen);
  void detach(std::uint64_t token);
  // From now on `waker` is told of every change, until the reader of that token is detached. Token
  // 0: until a reader is attached.
  void watch(std::uint64_t token, std::shared_ptr<Waker> waker);

  enum class ReadEnd {
    kOpen,          // more may come
    kFinished,      // the stream has ended
    kDisconnected,  // the connection is to be closed, and the client will come back
    kTakenOver,     // another reader is attached
  };
  struct ReadResult {
    std::vector<Event> events;
    ReadEnd end = ReadEnd::kOpen;
    std::chrono::milliseconds retry{0};  // of kDisconnected
  };
  // Events that the reader has not seen: as many as make a good piece, and one at least if there is
  // one. kOpen while there are more.
  ReadResult read(std::uint64_t token);

  bool is_finished() const;
  // The events that are kept, and the number of the last one sent.
  std::vector<Event> kept() const;
  std::uint64_t last_sequence() const;

 private:
  // All with mutex_ held.
  std::optional<Shape> shape_locked() const;
  void drop_oldest();
  void drop_read();

  const std::uint64_t number_;
  const Bounds bounds_;
  std::string credentials_;
  mutable std::mutex mutex_;  // guards everything below
  std::shared_ptr<Waker> waker_;
  std::list<Event>
      events_;  // most streams hold one for a moment: a deque would begin with more memory
  std::size_t bytes_ = 0;
  std::uint64_t last_sequence_ = 0;
  bool is_finished_ = false;
  std::optional<std::chrono::milliseconds> disconnection_;
  std::shared_ptr<Sink> other_;
  bool is_diverted_ = false;  // also when other_ has been let go of
  std::uint64_t last_token_ = 0;
  std::uint64_t reader_ = 0;  // token of the attached reader; 0: none
  std::uint64_t seen_ = 0;    // by that reader
};

}  // namespace assay::transport
