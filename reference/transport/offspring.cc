#include "reference/transport/offspring.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#include "reference/transport/unique_fd.h"

namespace assay::transport {
namespace {

// A file of /proc is read up to here; an environment may be as large as the kernel's limit for
// arguments, and the mark stands anywhere in it.
constexpr std::size_t kMaxProcFileBytes = 4u << 20;
// Killed processes vanish within this time, unless the machine is very busy; then we look again.
constexpr std::chrono::milliseconds kSettleTime{2};

using Clock = std::chrono::steady_clock;

struct ProcessEntry {
  ProcessIdentity identity;
  pid_t parent = 0;
  pid_t group = 0;
  bool is_zombie = false;
  // It is in the middle of execve(2): its environment is that of no program.
  bool is_starting = false;
};

std::string read_proc_file(pid_t pid, const char* name) {
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!fd.is_open()) return text;
  std::array<char, 16384> chunk;
  while (text.size() < kMaxProcFileBytes) {
    const ssize_t count = ::read(fd.get(), chunk.data(), chunk.size());
    if (count <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(count));
  }
  return text;
}

// The space-separated fields of /proc/PID/stat that follow the name of the program; see proc(5).
std::optional<ProcessEntry> read_entry(pid_t pid) {
  const std::string text = read_proc_file(pid, "stat");
  const auto end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::vector<std::string_view> fields;
  std::string_view rest = std::string_view(text).substr(end_of_name + 1);
  while (!rest.empty()) {
    const auto start = rest.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    rest.remove_prefix(start);
    const auto end = std::min(rest.find(' '), rest.size());
    fields.push_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  constexpr std::size_t kState = 0, kParent = 1, kGroup = 2, kThreads = 17, kStartTime = 19,
                        kMemory = 20, kEndOfEnvironment = 48;
  if (fields.size() <= kEndOfEnvironment) return std::nullopt;
  const auto number = [&](std::size_t index) {
    std::uint64_t value = 0;
    std::from_chars(fields[index].data(), fields[index].data() + fields[index].size(), value);
    return value;
  };
  ProcessEntry entry;
  entry.identity = {pid, number(kStartTime)};
  entry.parent = static_cast<pid_t>(number(kParent));
  entry.group = static_cast<pid_t>(number(kGroup));
  // So looks a process, too, whose first thread has ended while others run.
  entry.is_zombie = (fields[kState] == "Z" || fields[kState] == "X") && number(kThreads) <= 1;
  // A thread of the kernel has no memory.
  entry.is_starting = number(kMemory) != 0 && number(kEndOfEnvironment) == 0;
  return entry;
}

std::vector<ProcessEntry> all_processes(Clock::time_point deadline) {
  std::vector<ProcessEntry> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc"), ::closedir);
  if (!directory) return entries;
  while (const dirent* item = Clock::now() < deadline ? ::readdir(directory.get()) : nullptr) {
    const std::string_view name = item->d_name;
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    if (auto entry = read_entry(pid)) entries.push_back(*entry);
  }
  return entries;
}

// The kernel lists the children of a thread (CONFIG_PROC_CHILDREN): a few files, where a look at
// all processes is hundreds of them.
bool lists_children() {
  static const bool kLists = ::access("/proc/thread-self/children", R_OK) == 0;
  return kLists;
}

// A child whose sibling is reaped, or whose parent ends, in this moment may be passed over.
void add_children(pid_t pid, std::vector<pid_t>& pids) {
  const std::string folder = "/proc/" + std::to_string(pid) + "/task";
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(::opendir(folder.c_str()), ::closedir);
  if (!threads) return;
  while (const dirent* thread = ::readdir(threads.get())) {
    if (thread->d_name[0] == '.') continue;
    const std::string file = std::string("task/") + thread->d_name + "/children";
    std::istringstream text(read_proc_file(pid, file.c_str()));
    for (pid_t child = 0; text >> child;) pids.push_back(child);
  }
}

// Every process below `root`, itself left out, as far as they are seen by `deadline`.
std::vector<ProcessEntry> processes_below(pid_t root, Clock::time_point deadline) {
  std::vector<ProcessEntry> entries;
  std::vector<pid_t> pids = {root};
  std::set<pid_t> seen = {root};
  for (std::size_t i = 0; i < pids.size() && Clock::now() < deadline; ++i) {
    std::vector<pid_t> children;
    add_children(pids[i], children);
    for (const pid_t child : children) {
      if (!seen.insert(child).second) continue;
      pids.push_back(child);
      if (auto entry = read_entry(child)) entries.push_back(*entry);
    }
  }
  return entries;
}

// A look may pass over a child: see add_children().
constexpr int kLooksBelowUs = 2;

std::vector<ProcessEntry> processes_below_us(Clock::time_point deadline) {
  return processes_below(::getpid(), deadline);
}

// Whether all that a child of ours leaves behind stands below us.
bool adopts_orphans() {
  int is_set = 0;
  return ::prctl(PR_GET_CHILD_SUBREAPER, &is_set) == 0 && is_set != 0;
}

bool holds_mark(const std::string& environment, const std::string& mark) {
  for (auto at = environment.find(mark); at != std::string::npos;
       at = environment.find(mark, at + 1)) {
    const bool starts = at == 0 || environment[at - 1] == '\0';
    const auto end = at + mark.size();
    if (starts && (end == environment.size() || environment[end] == '\0')) return true;
  }
  return false;
}

// Nothing: it is not known yet, for it is starting a program. The kernel hides the environments of
// other users' processes.
std::optional<bool> has_mark(pid_t pid, const std::string& mark) {
  const std::string environment = read_proc_file(pid, "environ");
  if (!environment.empty()) return holds_mark(environment, mark);
  const std::string path = "/proc/" + std::to_string(pid) + "/environ";
  const bool is_shown = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)).is_open();
  const auto entry = is_shown ? read_entry(pid) : std::nullopt;
  if (!entry) return false;
  if (entry->is_starting) return std::nullopt;
  return holds_mark(read_proc_file(pid, "environ"), mark);  // it may have started since
}

// Adds every process below one of `pids` to it, to the last generation.
void add_descendants(const std::vector<ProcessEntry>& processes, std::set<pid_t>& pids) {
  for (bool has_grown = true; has_grown;) {
    has_grown = false;
    for (const ProcessEntry& process : processes) {
      if (pids.contains(process.parent) && pids.insert(process.identity.pid).second) {
        has_grown = true;
      }
    }
  }
}

// What is killed, and whether there is one of which it is not known yet if it is one of them.
struct Choice {
  std::set<pid_t> pids;
  bool is_unsure = false;
};

// Kills what `select` picks from the living processes, as `look` shows them, again and again, until
// it picks none: in so many looks, one behind the other, as it takes to miss nobody.
template <typename Select>
bool kill_until_none(std::vector<ProcessEntry> (*look)(Clock::time_point), int looks, Select select,
                     Clock::time_point deadline) {
  int empty_looks = 0;
  while (true) {
    const auto look_until = std::max(deadline, Clock::now() + kLookTime);
    const std::vector<ProcessEntry> processes = look(look_until);
    const bool was_cut = Clock::now() >= look_until;
    const Choice chosen = select(processes);
    bool is_anyone_left = chosen.is_unsure, has_reaped = false;
    for (const ProcessEntry& process : processes) {
      if (!chosen.pids.contains(process.identity.pid)) continue;
      if (process.parent == ::getpid() &&
          ::waitpid(process.identity.pid, nullptr, WNOHANG) == process.identity.pid) {
        has_reaped = true;
        continue;
      }
      if (process.is_zombie) continue;
      ::kill(process.identity.pid, SIGKILL);
      is_anyone_left = true;
    }
    if (!is_anyone_left) {
      if (was_cut) return false;
      // Who was reaped may have left a child behind since it was listed.
      empty_looks = has_reaped && Clock::now() < deadline ? 0 : empty_looks + 1;
      if (empty_looks >= looks) return true;
      continue;
    }
    empty_looks = 0;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kSettleTime);
  }
}

}  // namespace

void adopt_orphans() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::vector<ProcessIdentity> descendants_of(pid_t root, Clock::time_point deadline) {
  const std::vector<ProcessEntry> processes =
      lists_children() ? processes_below(root, deadline) : all_processes(deadline);
  std::set<pid_t> pids{root};
  add_descendants(processes, pids);
  std::vector<ProcessIdentity> found;
  for (const ProcessEntry& process : processes) {
    const pid_t pid = process.identity.pid;
    if (pid != root && pids.contains(pid) && !process.is_zombie) found.push_back(process.identity);
  }
  return found;
}

bool end_offspring(pid_t group, std::vector<ProcessIdentity> known, const std::string& mark,
                   std::chrono::steady_clock::time_point deadline) {
  ::kill(-group, SIGKILL);
  const auto select = [&](const std::vector<ProcessEntry>& processes) {
    Choice chosen{.pids = {group}};
    for (const ProcessEntry& process : processes) {
      const pid_t pid = process.identity.pid;
      if (pid == ::getpid()) continue;
      const bool is_known = std::find(known.begin(), known.end(), process.identity) != known.end();
      const bool is_ours = is_known || process.group == group;
      const std::optional<bool> is_marked =
          is_ours || mark.empty() || process.is_zombie ? false : has_mark(pid, mark);
      if (!is_marked.has_value()) chosen.is_unsure = true;
      if (!is_ours && !is_marked.value_or(false)) continue;
      chosen.pids.insert(pid);
      // Once seen it stays known: a zombie has no environment to show.
      if (!is_known) known.push_back(process.identity);
    }
    add_descendants(processes, chosen.pids);
    chosen.pids.erase(group);
    return chosen;
  };
  if (lists_children() && adopts_orphans()) {
    return kill_until_none(processes_below_us, kLooksBelowUs, select, deadline);
  }
  return kill_until_none(all_processes, 1, select, deadline);
}

bool end_all_descendants(std::chrono::steady_clock::time_point deadline) {
  const auto select = [](const std::vector<ProcessEntry>& processes) {
    Choice chosen{.pids = {::getpid()}};
    add_descendants(processes, chosen.pids);
    chosen.pids.erase(::getpid());
    return chosen;
  };
  if (lists_children()) return kill_until_none(processes_below_us, kLooksBelowUs, select, deadline);
  return kill_until_none(all_processes, 1, select, deadline);
}

}  // namespace assay::transport
