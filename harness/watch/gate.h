// Where taps come in: a Unix socket of our user's.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <thread>

#include "harness/watch/board.h"
#include "reference/transport/unique_fd.h"

namespace assay::harness {

class WatchGate {
 public:
  static constexpr std::size_t kMostTaps = 64;

  // `path` empty: a socket in a new folder that nobody else may enter.
  WatchGate(std::string path, WatchBoard& board);
  ~WatchGate();  // takes the socket away
  WatchGate(const WatchGate&) = delete;
  WatchGate& operator=(const WatchGate&) = delete;

  // Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start();
  const std::string& path() const { return path_; }

 private:
  std::optional<std::string> choose_path();
  void run();

  std::string path_;
  std::string folder_;  // that we made; empty if none
  WatchBoard& board_;
  transport::UniqueFd listening_;
  transport::UniqueFd stop_;
  std::thread thread_;
};

}  // namespace assay::harness
