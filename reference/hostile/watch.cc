// hostile_watch [--limit S] [--signal-after S] [--peer NAME] -- COMMAND...
//
// Runs a command, and tells on standard error, as one JSON object, how it ended, how long it took,
// how much memory it used at most, and how many processes it left behind. What the command prints,
// on either stream, and what a peer beside it complains of, goes to standard output.
//
//   --limit S          kill the command after so many seconds (60)
//   --signal-after S   send it SIGTERM so many seconds after it has begun to block or catch it
//   --peer NAME        run this hostile peer over HTTP beside it; "{url}" in COMMAND is its URL
//
// Everything that the command starts stays below this process, whoever its parent was: it is the
// reaper of all orphans. Nothing is left when it ends.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

// What has been killed is gone within this time, unless it was not killed at all.
constexpr std::chrono::seconds kSettleTime{5};
constexpr std::chrono::milliseconds kLookEvery{10};

struct Order {
  double limit_seconds = 60;
  std::optional<double> signal_after_seconds;
  std::string peer;
  Words command;
};

struct Figures {
  int status = 0;
  double seconds = 0;
  std::optional<double> seconds_after_signal;
  bool is_overdue = false;
  long peak_kilobytes = 0;
  std::size_t left = 0;  // processes
};

double seconds_since(Clock::time_point time) {
  return std::chrono::duration<double>(Clock::now() - time).count();
}

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

std::optional<Order> read_order(int count, char** words) {
  Order order;
  int at = 1;
  for (; at + 1 < count && std::string_view(words[at]) != "--"; at += 2) {
    const std::string_view option = words[at];
    if (option == "--limit") {
      order.limit_seconds = std::atof(words[at + 1]);
    } else if (option == "--signal-after") {
      order.signal_after_seconds = std::atof(words[at + 1]);
    } else if (option == "--peer") {
      order.peer = words[at + 1];
    } else {
      return std::nullopt;
    }
  }
  for (++at; at < count; ++at) order.command.emplace_back(words[at]);
  if (order.command.empty()) return std::nullopt;
  return order;
}

// Starts a program whose standard output is `out`; its standard error is our standard output.
pid_t start(Words words, int out) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  ::dup2(STDOUT_FILENO, STDERR_FILENO);
  ::dup2(out, STDOUT_FILENO);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

// A peer over HTTP, and where it listens.
struct WebPeer {
  pid_t pid = 0;
  std::string url;
};

WebPeer start_web_peer(const std::string& name) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const auto program =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename("hostile_peer");
  WebPeer peer{start({program.string(), name}, ends[1]), ""};
  ::close(ends[1]);
  std::string line;
  char byte = 0;
  while (::read(ends[0], &byte, 1) == 1 && byte != '\n') line += byte;
  ::close(ends[0]);
  constexpr std::string_view kBegin = "listening on ";
  if (line.starts_with(kBegin)) peer.url = line.substr(kBegin.size());
  return peer;
}

void put_url(Words& words, const std::string& url) {
  constexpr std::string_view kPlace = "{url}";
  for (std::string& word : words) {
    const std::size_t at = word.find(kPlace);
    if (at != std::string::npos) word.replace(at, kPlace.size(), url);
  }
}

// Returns when a child has ended, or a moment later.
void wait_a_moment() {
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  const timespec moment{0, std::chrono::nanoseconds(kLookEvery).count()};
  ::sigtimedwait(&child_ended, nullptr, &moment);
}

// Whether SIGTERM does something else to it than end it: it blocks it, or catches it. On a busy
// machine a program may need a second before it gets so far.
bool holds_signal(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  std::uint64_t held = 0;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("SigBlk:") && !line.starts_with("SigCgt:")) continue;
    held |= std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 16);
  }
  return (held >> (SIGTERM - 1) & 1) != 0;
}

void watch(pid_t command, const Order& order, Figures& figures) {
  const auto began = Clock::now();
  const auto limit = after(order.limit_seconds);
  std::optional<Clock::time_point> held;
  std::optional<Clock::time_point> signalled;
  while (true) {
    int how = 0;
    rusage used{};
    if (::wait4(command, &how, WNOHANG, &used) == command) {
      figures.seconds = seconds_since(began);
      if (signalled) figures.seconds_after_signal = seconds_since(*signalled);
      figures.status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
      figures.peak_kilobytes = used.ru_maxrss;
      return;
    }
    if (!held && order.signal_after_seconds && holds_signal(command)) held = Clock::now();
    if (!signalled && held && seconds_since(*held) >= *order.signal_after_seconds) {
      signalled = Clock::now();
      ::kill(command, SIGTERM);
    }
    if (Clock::now() >= limit && !figures.is_overdue) {
      figures.is_overdue = true;
      ::kill(command, SIGKILL);
    }
    wait_a_moment();
  }
}

std::vector<pid_t> children_of(pid_t process) {
  const std::string pid = std::to_string(process);
  std::ifstream file("/proc/" + pid + "/task/" + pid + "/children");
  return {std::istream_iterator<pid_t>(file), {}};
}

// Reaps what has ended; false if nothing is left, neither running nor ended.
bool has_children() {
  pid_t ended = 0;
  do {
    ended = ::waitpid(-1, nullptr, WNOHANG);
  } while (ended > 0);
  return ended == 0 || errno == EINTR;
}

// How many processes there still were some time after the command had gone. They are killed.
std::size_t end_what_is_left() {
  const auto settled = Clock::now() + kSettleTime;
  while (has_children() && Clock::now() < settled) wait_a_moment();
  std::size_t count = 0;
  while (has_children()) {
    // Whatever these have started becomes ours when they are gone.
    const std::vector<pid_t> children = children_of(::getpid());
    for (const pid_t child : children) ::kill(child, SIGKILL);
    count += children.size();
    const auto gone = Clock::now() + kSettleTime;
    while (has_children() && Clock::now() < gone) wait_a_moment();
  }
  return count;
}

}  // namespace

int main(int count, char** words) {
  auto order = read_order(count, words);
  if (!order) {
    fmt::print(stderr,
               "usage: hostile_watch [--limit S] [--signal-after S] [--peer NAME] -- COMMAND...\n");
    return 2;
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &child_ended, nullptr);

  WebPeer peer;
  if (!order->peer.empty()) {
    peer = start_web_peer(order->peer);
    put_url(order->command, peer.url);
  }
  Figures figures;
  watch(start(order->command, STDOUT_FILENO), *order, figures);
  if (peer.pid > 0) {
    ::kill(peer.pid, SIGKILL);
    ::waitpid(peer.pid, nullptr, 0);
  }
  figures.left = end_what_is_left();
  fmt::print(
      stderr,
      R"({{"status":{},"seconds":{:.2f},"seconds_after_signal":{},"is_overdue":{},)"
      R"("peak_megabytes":{:.1f},"left":{}}})"
      "\n",
      figures.status, figures.seconds,
      figures.seconds_after_signal ? fmt::format("{:.2f}", *figures.seconds_after_signal) : "null",
      figures.is_overdue, static_cast<double>(figures.peak_kilobytes) * 1024 / 1e6, figures.left);
  return figures.is_overdue || figures.left > 0 ? 1 : 0;
}
