// Records what passes between a client and its server, beside the traffic and never in its way.
//
// The threads that pass bytes on leave a copy here and go on; a thread of the recorder's makes
// events of them. Where it falls behind, or there is more than it may hold, the recording ends and
// says so, and the traffic goes on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "harness/recording/session_builder.h"
#include "reference/transport/passage.h"
#include "reference/wire/line_framer.h"
#include "reports/vault.h"

namespace assay::harness {

class Recorder : public transport::PassageWatcher {
 public:
  // What may wait to be made events of.
  static constexpr std::size_t kMostWaiting = 16u << 20;
  // A longer line is cut off, and the recording with it.
  static constexpr std::size_t kLongestLine = 16u << 20;

  // Called with each event, in order, on the recorder's own thread.
  using TakeEvent = std::function<void(const Event&)>;

  // `most_waiting`: smaller in tests.
  Recorder(std::shared_ptr<reports::Vault> vault, TakeEvent take,
           std::size_t most_waiting = kMostWaiting);
  ~Recorder() override;

  void passed(Party speaker, std::string_view bytes) override;
  void ended(Party speaker, bool is_unread) override;
  // After both ends: how the server exited, and the session as it was. Call it once.
  RecordedSession finish(const transport::ProcessExit& exit);
  // After finish(): why less was recorded than passed; empty if all was.
  const std::string& shortfall() const { return shortfall_; }

 private:
  struct Chunk {
    Party speaker;
    enum class Kind { kBytes, kEnd, kUnread } kind;
    Clock::time_point at;
    std::string bytes;
  };

  void put(Chunk chunk);
  void run();
  void take(const Chunk& chunk);
  void observe(transport::Observation observation);
  void observe_line(Party speaker, const wire::LineFramer::Line& line);
  void cut_off(const std::string& why);

  const Clock::time_point start_ = Clock::now();
  const TakeEvent take_event_;
  const std::size_t most_waiting_;

  std::mutex mutex_;  // guards all down to the blank line
  std::condition_variable has_come_;
  std::deque<Chunk> waiting_;
  std::size_t waiting_bytes_ = 0;
  bool has_lost_ = false;  // something passed that was not kept
  bool is_over_ = false;

  // The thread's own, and finish()'s behind it.
  SessionBuilder builder_;
  wire::LineFramer client_lines_;
  wire::LineFramer server_lines_;
  std::chrono::nanoseconds at_{0};  // of the chunk at hand
  bool is_cut_off_ = false;
  std::string shortfall_;

  std::thread thread_;
};

}  // namespace assay::harness
