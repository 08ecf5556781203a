// How far a load run is: one line on a terminal, drawn over itself, and gone at the end.
#pragma once

#include <chrono>
#include <string>

#include "bench/load/load.h"

namespace assay::bench {

class ProgressLine {
 public:
  // Shows nothing if it shall be quiet, or where standard error is no terminal for it.
  ProgressLine(bool is_quiet, std::chrono::nanoseconds measured);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const LoadProgress& progress);
  void clear();

 private:
  std::string text(const LoadProgress& progress) const;

  const bool is_shown_;
  const double seconds_;
  bool is_drawn_ = false;
};

}  // namespace assay::bench
