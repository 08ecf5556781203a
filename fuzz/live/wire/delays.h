// What we waited for, so that a run can say when a target slows it and why.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace assay::fuzz {

enum class Delay : std::uint8_t {
  kAnswer,      // a request's answer
  kTool,        // the answer of a tool
  kOpenStream,  // the end of a stream on which the answer has come
  kConnection,  // what may rightly stay open: a stream of its own, or a request that was cut off
  kCount
};

class Delays {
 public:
  using Duration = std::chrono::steady_clock::duration;

  void add(Delay delay, Duration time) { times_[static_cast<std::size_t>(delay)] += time; }
  void add(const Delays& other);
  // What took at least a quarter of `all`, most first: "open streams 61%, tools 30%". Empty if
  // nothing did.
  std::string text(Duration all) const;

 private:
  std::array<Duration, static_cast<std::size_t>(Delay::kCount)> times_{};
};

}  // namespace assay::fuzz
