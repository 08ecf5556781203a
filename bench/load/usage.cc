#include "bench/load/usage.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

#include "reference/transport/offspring.h"

namespace assay::bench {
namespace {

// Fields 14 to 17 of /proc/PID/stat: utime, stime, cutime, cstime; see proc(5).
double cpu_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');  // the name may hold spaces
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  double ticks = 0;
  for (int field = 14; field <= 17; ++field) {
    double value = 0;
    fields >> value;
    ticks += value;
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::uint64_t peak_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  std::string word;
  while (file >> word) {
    if (word == "VmHWM:") {
      std::uint64_t kilobytes = 0;
      file >> kilobytes;
      return kilobytes * 1024;
    }
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Usage usage_of_tree(pid_t root) {
  Usage usage{cpu_of(root), peak_of(root)};
  for (const transport::ProcessIdentity& process : transport::descendants_of(root)) {
    usage.cpu_seconds += cpu_of(process.pid);
    usage.peak_bytes += peak_of(process.pid);
  }
  return usage;
}

double own_cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double own_run_queue_seconds() {
  std::ifstream file("/proc/thread-self/schedstat");  // running, waiting (ns), number of turns
  double running = 0;
  double waiting = 0;
  file >> running >> waiting;
  return file ? waiting / 1e9 : 0;
}

}  // namespace assay::bench
