// Tells a running `mcp-assay watch` what passes through a tap, and never waits for it.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "harness/transcript/transcript.h"
#include "harness/watch/live_sessions.h"
#include "reference/transport/unique_fd.h"
#include "reports/vault.h"

namespace assay::harness {

class WatchFeed {
 public:
  struct Session {
    std::string name;
    std::string target;
    TransportKind transport = TransportKind::kStdio;
  };

  // Where nobody watches at the socket, everything is dropped.
  WatchFeed(const std::string& socket, const Session& session,
            std::shared_ptr<const reports::Vault> vault);
  ~WatchFeed();

  bool is_connected() const { return is_connected_; }
  // Any thread, in order. What does not fit is dropped and counted; then nothing is judged any
  // more.
  void show(const EventPtr& event);
  // Tells what is left, as far as the watch takes it at once, and the end.
  void finish();

 private:
  // Events that wait, and what they hold.
  static constexpr std::size_t kMostWaiting = 4'000;
  static constexpr std::size_t kMostWaitingBytes = 8u << 20;
  // Of lines that the watch has not taken yet.
  static constexpr std::size_t kMostUnsent = 1u << 20;

  void run();
  void tell(const EventPtr& event);
  void put(const std::string& line);
  void send();

  const std::shared_ptr<const reports::Vault> vault_;
  transport::UniqueFd socket_;
  bool is_connected_ = false;

  // The thread's own.
  LiveSessions judge_;
  std::string unsent_;
  std::size_t dropped_ = 0;  // lines

  std::mutex mutex_;  // guards all down to the blank line
  std::condition_variable has_come_;
  std::deque<EventPtr> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t left_out_ = 0;  // events
  bool is_over_ = false;

  std::thread thread_;
};

}  // namespace assay::harness
