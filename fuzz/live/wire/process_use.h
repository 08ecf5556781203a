// What a process uses of the machine; see proc(5). Zero of a process that is gone.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace assay::fuzz {

// User and system time, in clock ticks.
std::uint64_t processor_ticks(pid_t pid);
std::chrono::milliseconds in_milliseconds(std::uint64_t ticks);
std::size_t resident_bytes(pid_t pid);
std::size_t open_descriptors(pid_t pid);

}  // namespace assay::fuzz
