// How much memory a peer may make us hold, over all its connections.
//
// Whatever enters (frames, bodies, messages and the trees that are built of them) takes its part
// before it is kept, and gives it back when it goes. What gets no part is refused at that place.
#pragma once

#include <atomic>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <cstddef>
#include <utility>

namespace assay::wire {

// Thread safety: all functions may be called from any thread.
class Budget {
 public:
  explicit Budget(std::size_t limit) : limit_(limit) {}
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  // False, and nothing is taken, where that much is not left.
  bool take(std::size_t bytes);
  // Takes what is held already, be it left or not.
  void take_anyway(std::size_t bytes) { taken_.fetch_add(bytes, std::memory_order_relaxed); }
  void give_back(std::size_t bytes) {
    if (bytes > 0) taken_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  std::size_t taken() const { return taken_.load(std::memory_order_relaxed); }
  std::size_t limit() const { return limit_; }

 private:
  friend void intrusive_ptr_add_ref(Budget* budget) { ++budget->owners_; }
  friend void intrusive_ptr_release(Budget* budget) {
    if (--budget->owners_ == 0) delete budget;
  }

  const std::size_t limit_;
  std::atomic<std::size_t> taken_{0};
  std::atomic<std::size_t> owners_{0};
};

using BudgetPtr = boost::intrusive_ptr<Budget>;

// A part of a budget; gives it back on destruction. Without a budget it takes whatever it is asked
// to.
class Share {
 public:
  Share() = default;
  explicit Share(BudgetPtr budget) : budget_(std::move(budget)) {}
  ~Share() { resize(0); }
  Share(Share&& other) noexcept;
  Share& operator=(Share&& other) noexcept;
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  // Makes it that large. False, and it stays as it is, where that much is not left; to become
  // smaller always succeeds.
  bool resize(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }

 private:
  BudgetPtr budget_;
  std::size_t bytes_ = 0;
};

}  // namespace assay::wire
