#include "fuzz/live/wire/process_use.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace assay::fuzz {

std::uint64_t processor_ticks(pid_t pid) {
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

std::chrono::milliseconds in_milliseconds(std::uint64_t ticks) {
  return std::chrono::milliseconds(ticks * 1000 /
                                   static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK)));
}

std::size_t resident_bytes(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/statm", pid));
  std::size_t total = 0;
  std::size_t resident = 0;
  in >> total >> resident;
  return in ? resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

std::size_t open_descriptors(pid_t pid) {
  std::error_code error;
  std::filesystem::directory_iterator at(fmt::format("/proc/{}/fd", pid), error);
  return error ? 0 : static_cast<std::size_t>(std::distance(at, {}));
}

}  // namespace assay::fuzz
