// Takes what a transport observes, on its threads, and hands it over to the one that fuzzes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>
#include <utility>
#include <vector>

#include "reference/transport/observer.h"
#include "reference/wire/budget.h"

namespace assay::fuzz {

// What an observation takes in memory, and at most what it will take once somebody reads the
// message in it.
std::size_t cost_of(const transport::Observation& observation);

class Inbox : public transport::Observer {
 public:
  // What may lie here unread, trees of messages included. Beyond it the target is cut off: a
  // kCutOff says so, and behind it nothing comes but the end of a process.
  static constexpr std::size_t kMaxBytes = 48u << 20;

  // `also`, if not null, is told everything too; it outlives the inbox. What lies here is taken
  // from `budget`, unless that is null.
  explicit Inbox(transport::Observer* also = nullptr, wire::BudgetPtr budget = nullptr)
      : also_(also), share_(std::move(budget)) {}

  void observe(const transport::Observation& observation) override;
  bool is_full() const override;

  // Everything received since the last call. Waits for something until `deadline`, or until a stop
  // is requested.
  std::vector<transport::Observation> take(std::chrono::steady_clock::time_point deadline,
                                           const std::stop_token& stop = {});

 private:
  transport::Observer* const also_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any arrived_;
  std::vector<transport::Observation> waiting_;
  wire::Share share_;  // for what is waiting
  bool is_flooded_ = false;
};

}  // namespace assay::fuzz
