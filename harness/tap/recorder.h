// Records what passes between a client and its server, beside the traffic and never in its way.
//
// The threads that pass bytes on leave a copy here and go on; a thread of the recorder's makes
// events of them. Where it falls behind, or there is more than it may hold, the recording ends and
// says so, and the traffic goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "harness/recording/session_builder.h"
#include "harness/tap/backlog.h"
#include "reference/transport/passage.h"
#include "reference/wire/line_framer.h"
#include "reports/vault.h"

namespace assay::harness {

// What may wait to be made events of.
inline constexpr std::size_t kMostWaiting = 16u << 20;

// Called with each event, in order, on the recorder's own thread.
using TakeEvent = std::function<void(const EventPtr&)>;

// The events of one recording, and why it has no more of them. Of one thread at a time.
class Recording {
 public:
  Recording(std::shared_ptr<reports::Vault> vault, TransportKind transport, TakeEvent take)
      : take_(std::move(take)), vault_(vault), builder_(std::move(vault), transport) {}

  void add(const transport::Observation& observation, Clock::time_point at);
  // Nothing more is recorded.
  void cut_off(const std::string& why, Clock::time_point at);
  bool has_ended() const { return has_ended_; }
  // Why less can be judged than passed; empty if all can. What is too much for that may go on to be
  // recorded.
  const std::string& shortfall() const { return shortfall_; }
  // All of it as one session that began with the recording.
  RecordedSession finish() { return builder_.finish(true); }

 private:
  const Clock::time_point start_ = Clock::now();
  const TakeEvent take_;
  const std::shared_ptr<reports::Vault> vault_;
  SessionBuilder builder_;
  std::uint64_t events_ = 0;
  bool has_ended_ = false;
  std::string shortfall_;
};

// Of the two streams between a client and a stdio server.
class Recorder : public transport::PassageWatcher {
 public:
  // A longer line is cut off, and the recording with it.
  static constexpr std::size_t kLongestLine = 16u << 20;

  // `most_waiting`: smaller in tests.
  Recorder(std::shared_ptr<reports::Vault> vault, TakeEvent take,
           std::size_t most_waiting = kMostWaiting);

  void passed(Party speaker, std::string_view bytes) override;
  void ended(Party speaker, bool is_unread) override;
  // After both ends: how the server exited, and the session as it was. Call it once.
  RecordedSession finish(const transport::ProcessExit& exit);
  // After finish().
  const std::string& shortfall() const { return recording_.shortfall(); }

 private:
  struct Chunk {
    Party speaker;
    enum class Kind { kBytes, kEnd, kUnread } kind;
    Clock::time_point at;
    std::string bytes;
  };

  void put(Chunk chunk);
  void take(const Chunk& chunk);
  void take_line(Party speaker, const wire::LineFramer::Line& line);
  void take_end(const Chunk& chunk);

  // The backlog's thread's own, and finish()'s behind it.
  Recording recording_;
  wire::LineFramer client_lines_;
  wire::LineFramer server_lines_;
  Clock::time_point at_;  // of the chunk at hand

  Backlog<Chunk> backlog_;  // the last: its thread uses all of the above
};

}  // namespace assay::harness
