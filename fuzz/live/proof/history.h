// What a process was sent since it began: what may have led to its state.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "fuzz/live/proof/prober.h"
#include "fuzz/live/target/step.h"

namespace assay::fuzz {

// A case that the process was sent.
struct Sent {
  Case made;
  std::size_t number = 0;
  int manners = 0;
};
using SentPtr = std::shared_ptr<const Sent>;

class History {
 public:
  static constexpr std::size_t kMostBytes = 24u << 20;  // the oldest go first

  void add(Sent sent);
  void clear();
  // Nothing if it is not remembered any more.
  SentPtr find(std::size_t number) const;
  const std::deque<SentPtr>& all() const { return all_; }
  // The end of it, of at most that many bytes, but one case at least.
  std::vector<SentPtr> latest(std::size_t most_bytes) const;

 private:
  std::deque<SentPtr> all_;
  std::size_t bytes_ = 0;
};

// The cases numbered from `first` to `last` as one recipe; over stdio each ends with its line.
Recipe gather(std::span<const SentPtr> cases, std::size_t first, std::size_t last, int manners,
              bool is_http);

}  // namespace assay::fuzz
