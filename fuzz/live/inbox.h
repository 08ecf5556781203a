// Takes what a transport observes, on its threads, and hands it over to the one that fuzzes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "reference/transport/observer.h"

namespace assay::fuzz {

class Inbox : public transport::Observer {
 public:
  // What may lie here unread; beyond it everything but the end of a process is dropped.
  static constexpr std::size_t kMaxBytes = 256u << 20;

  // `also`, if not null, is told everything too; it outlives the inbox.
  explicit Inbox(transport::Observer* also = nullptr) : also_(also) {}

  void observe(const transport::Observation& observation) override;

  // Everything received since the last call. Waits for something until `deadline`.
  std::vector<transport::Observation> take(std::chrono::steady_clock::time_point deadline);
  // Whether something was dropped.
  bool is_flooded() const;

 private:
  transport::Observer* const also_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable arrived_;
  std::vector<transport::Observation> waiting_;
  std::size_t bytes_ = 0;
  bool is_flooded_ = false;
};

}  // namespace assay::fuzz
