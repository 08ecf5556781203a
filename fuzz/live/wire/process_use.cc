#include "fuzz/live/wire/process_use.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

#include "reference/transport/offspring.h"
#include "reference/transport/signals.h"

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

ProcessFamily::ProcessFamily(pid_t first) : pids_{first} {
  for (const auto& each : transport::descendants_of(first)) pids_.push_back(each.pid);
}

std::uint64_t ProcessFamily::ticks() const {
  std::uint64_t sum = 0;
  for (const pid_t pid : pids_) sum += processor_ticks(pid);
  return sum;
}

std::size_t ProcessFamily::resident() const {
  std::size_t sum = 0;
  for (const pid_t pid : pids_) sum += resident_bytes(pid);
  return sum;
}

std::size_t ProcessFamily::descriptors() const {
  std::size_t sum = 0;
  for (const pid_t pid : pids_) sum += open_descriptors(pid);
  return sum;
}

// Findings in folders of earlier versions are called so, too.
Ending ending_of(const std::optional<transport::ProcessExit>& exit) {
  if (!exit) return {"its output was closed", "it closed its output"};
  if (exit->signal) {
    return {fmt::format("ended by signal {}", *exit->signal),
            "ended by " + transport::signal_words(*exit->signal)};
  }
  const std::string how = fmt::format("exit status {}", exit->code);
  return {how, "ended with " + how};
}

bool is_ended_by_fault(const transport::ProcessExit& exit) {
  static constexpr int kFaults[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
  return exit.signal &&
         std::find(std::begin(kFaults), std::end(kFaults), *exit.signal) != std::end(kFaults);
}

}  // namespace assay::fuzz
