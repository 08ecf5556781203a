// Passes what comes from one descriptor on to another: one direction of a passage.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <string_view>

#include "reference/transport/passage.h"

namespace assay::transport {

// Borrows its descriptors; either may block or not.
class Pump {
 public:
  // `stop`: once it is readable nothing more is waited for.
  Pump(int from, int to, Party speaker, int stop, PassageWatcher& watcher)
      : from_(from), to_(to), speaker_(speaker), stop_(stop), watcher_(watcher) {}

  // Until the writer is done, the reader is gone, or `stop`. What a client says is dropped at a
  // stop; what a server has said by then is still passed on, and nothing that it says later.
  void run();
  // How many bytes were passed on by now; any thread.
  std::size_t passed() const { return passed_; }
  // What waits to be written is dropped, from any thread; a call that waits has to be interrupted.
  void give_up() { has_given_up_ = true; }

 private:
  static constexpr std::size_t kChunkBytes = 64u << 10;  // what a pipe holds

  bool wait_for_input();
  bool has_more_at_stop();
  bool write_all(std::string_view bytes);
  bool wait_for_room();

  const int from_;
  const int to_;
  const Party speaker_;
  const int stop_;
  PassageWatcher& watcher_;
  std::atomic<bool> has_given_up_{false};
  std::atomic<std::size_t> passed_{0};
  std::optional<std::size_t> left_;  // since `stop`: what is still passed on
  std::array<char, kChunkBytes> chunk_;
};

}  // namespace assay::transport
