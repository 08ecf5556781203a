// Ctrl-C, or a terminal that closes: asks the work at hand to stop, so that what was found so far
// is still reported.
#pragma once

#include <atomic>
#include <stop_token>
#include <thread>

namespace assay::cli {

// While it lives, the first SIGINT, SIGTERM or SIGHUP requests a stop, and the second says that the
// report is on its way: it is written all the same. The third ends the program at once, also once
// this object is gone. Make it before any other thread starts, so that all of them leave the
// signals to it.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return source_.get_token(); }
  bool was_requested() const { return source_.stop_requested(); }

 private:
  void wait();

  std::stop_source source_;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace assay::cli
