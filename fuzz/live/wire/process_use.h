// What a process uses of the machine, see proc(5), and how it ended. Zero of a process that is
// gone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/transport/observer.h"

namespace assay::fuzz {

// User and system time, in clock ticks.
std::uint64_t processor_ticks(pid_t pid);
std::chrono::milliseconds in_milliseconds(std::uint64_t ticks);
std::size_t resident_bytes(pid_t pid);
std::size_t open_descriptors(pid_t pid);

// A process and those that it started until it was looked at first.
class ProcessFamily {
 public:
  explicit ProcessFamily(pid_t first);
  std::uint64_t ticks() const;
  std::size_t resident() const;
  std::size_t descriptors() const;

 private:
  std::vector<pid_t> pids_;
};

struct Ending {
  std::string how;    // tells one crash from another: "exit status 1"
  std::string words;  // for a sentence: "ended with exit status 1"
};
// Nothing is known of the exit where only the output was closed.
Ending ending_of(const std::optional<transport::ProcessExit>& exit);
// Whether it ended by a signal that tells of a fault, which no program chooses.
bool is_ended_by_fault(const transport::ProcessExit& exit);

}  // namespace assay::fuzz
