// How much of a processor a process has had.
#pragma once

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace assay::fuzz {

// User and system time, in clock ticks; see proc(5). Zero of a process that is gone.
inline std::uint64_t processor_ticks(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(in, line);
  // The name, in parentheses, may hold anything.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string passed_over;
  for (int i = 3; i < 14; ++i) fields >> passed_over;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  fields >> user >> system;
  return user + system;
}

inline std::chrono::milliseconds in_milliseconds(std::uint64_t ticks) {
  return std::chrono::milliseconds(ticks * 1000 /
                                   static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace assay::fuzz
