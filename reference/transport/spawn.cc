#include "reference/transport/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Boost offers vfork() where this is defined, as it does itself on systems whose POSIX still has
// it; Linux has it all the same. A fork copies the page tables of a large process, and each page
// that any thread of it writes meanwhile. The thread sanitizer makes a fork of it.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ASSAY_THREAD_SANITIZER 1
#endif
#endif
#if !defined(__SANITIZE_THREAD__) && !defined(ASSAY_THREAD_SANITIZER)
#define BOOST_POSIX_HAS_VFORK 1
#endif
#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/env.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/posix.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <system_error>

namespace assay::transport {
namespace {

namespace bp = boost::process;

struct Pipe {
  UniqueFd read_end;
  UniqueFd write_end;
};

// Boost's own pipes are inheritable, so that a sibling started at the same time would keep a
// child's stdin open and the child would never see it end. These are not; the child's copies are
// made by dup2.
std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  Pipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  // Descriptors 0 to 2 must stay free for the child's standard streams.
  for (UniqueFd* end : {&pipe.read_end, &pipe.write_end}) {
    if (end->get() > STDERR_FILENO) continue;
    end->reset(::fcntl(end->get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    if (!end->is_open()) return std::nullopt;
  }
  return pipe;
}

void set_non_blocking(const UniqueFd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// What the child does between fork and exec: nothing but async-signal-safe calls, and with vfork()
// nothing that is to leave a trace in our memory but an error.
struct ChildSetup : bp::extend::handler {
  const char* directory = nullptr;
  int failures = -1;  // where it tells what went wrong, if not in our memory

  void tell(int error) const {
    if (failures < 0) return;
    [[maybe_unused]] const ssize_t written = ::write(failures, &error, sizeof error);
  }
  template <typename Executor>
  void on_exec_error(Executor& /*executor*/, const std::error_code& error) const {
    tell(error.value());
  }
  template <typename Executor>
  void on_exec_setup(Executor& executor) const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
      std::signal(signal, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // Whatever other descriptor we hold, such as a socket of a server, ends at the exec.
    ::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    if (directory != nullptr && ::chdir(directory) != 0) {
      const int error = errno;
      tell(error);
      executor.set_error(std::error_code(error, std::generic_category()), "chdir");
      ::_exit(EXIT_FAILURE);
    }
  }
};

bool names_a_file(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// The file to execute, found as a shell finds it, or why there is none.
std::variant<std::filesystem::path, Failure> find_program(const std::string& name,
                                                          const std::filesystem::path& directory) {
  std::filesystem::path unusable;
  const auto accept = [&](const std::filesystem::path& seen_from_us) {
    if (!names_a_file(seen_from_us)) {
      std::error_code ignored;
      if (std::filesystem::exists(seen_from_us, ignored)) unusable = seen_from_us;
      return false;
    }
    if (::access(seen_from_us.c_str(), X_OK) == 0) return true;
    unusable = seen_from_us;
    return false;
  };
  if (name.find('/') != std::string::npos) {
    if (accept(directory / name)) return std::filesystem::path(name);
  } else {
    const char* path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
    while (true) {
      const auto colon = rest.find(':');
      std::filesystem::path folder(rest.substr(0, colon));
      if (folder.empty()) folder = ".";
      std::error_code ignored;
      if (accept(folder / name)) return std::filesystem::absolute(folder / name, ignored);
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
  }
  if (!unusable.empty()) {
    return Failure{Failure::Kind::kNotExecutable,
                   fmt::format("{} is not an executable file", unusable.string())};
  }
  return Failure{Failure::Kind::kNotFound, fmt::format("{}: command not found", name)};
}

Failure exec_failure(const std::string& name, const std::error_code& error) {
  switch (error.value()) {
    case ENOENT:
      return {Failure::Kind::kNotFound,
              fmt::format("{}: the interpreter named in its first line was not found", name)};
    case EACCES:
    case ENOEXEC:
      return {Failure::Kind::kNotExecutable,
              fmt::format("{} cannot be executed: {}", name, error.message())};
    default:
      return {Failure::Kind::kOther,
              fmt::format("{} could not be started: {}", name, error.message())};
  }
}

void reap(pid_t pid) {
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

#ifdef BOOST_POSIX_HAS_VFORK
constexpr auto kWayToFork = bp::posix::use_vfork;

// Emulators of another machine make a fork of it: what the child leaves in its memory is lost then.
bool vfork_shares_memory() {
  static const bool kShares = [] {
    volatile bool has_run = false;
    const pid_t pid = ::vfork();
    if (pid == 0) {
      has_run = true;
      ::_exit(0);
    }
    if (pid > 0) reap(pid);
    return has_run;
  }();
  return kShares;
}
#else
// As good as nothing: what the child has to do is said by another.
constexpr bp::extend::handler kWayToFork;

// Boost has a pipe of its own.
bool vfork_shares_memory() {
  return true;
}
#endif

// With fork() Boost reports a failed exec through a pipe that is inheritable for a moment. A child
// forked by another thread in that moment would hold it open, and the parent would wait for that
// child's exit: so only one fork happens at a time.
std::mutex& fork_mutex() {
  static std::mutex mutex;  // guards no data
  return mutex;
}

// What the child told before its exec; nothing if that went well.
std::error_code told_failure(Pipe& failures) {
  failures.write_end.reset();
  int value = 0;
  ssize_t size = 0;
  do {
    size = ::read(failures.read_end.get(), &value, sizeof value);
  } while (size < 0 && errno == EINTR);
  return size == sizeof value ? std::error_code(value, std::generic_category()) : std::error_code();
}

}  // namespace

std::variant<Spawned, Failure> spawn(const SpawnOptions& options) {
  if (options.command.empty() || options.command.front().empty()) {
    return Failure{Failure::Kind::kNotFound, "the command is empty"};
  }
  if (!options.directory.empty() && !std::filesystem::is_directory(options.directory)) {
    return Failure{Failure::Kind::kNotFound,
                   fmt::format("{} is not a directory", options.directory.string())};
  }
  auto found = find_program(options.command.front(), options.directory);
  if (auto* failure = std::get_if<Failure>(&found)) return std::move(*failure);
  const std::string program = std::get<std::filesystem::path>(found).string();

  auto input = make_pipe();
  auto output = make_pipe();
  auto errors = make_pipe();
  auto failures = vfork_shares_memory() ? std::nullopt : make_pipe();
  if (!input || !output || !errors || (!failures && !vfork_shares_memory())) {
    return Failure{Failure::Kind::kOther, "no pipe to the child: too many open files"};
  }
  bp::environment environment = boost::this_process::environment();
  for (const auto& [name, value] : options.environment) environment.set(name, value);
  const std::vector<std::string> arguments(options.command.begin() + 1, options.command.end());
  ChildSetup setup;
  if (!options.directory.empty()) setup.directory = options.directory.c_str();
  if (failures) setup.failures = failures->write_end.get();

  std::error_code error;
  Spawned spawned;
  {
    const std::lock_guard lock(fork_mutex());
    bp::child child(
        bp::exe = program, bp::args = arguments, environment,
        bp::posix::fd.bind(STDIN_FILENO, input->read_end.get()),
        bp::posix::fd.bind(STDOUT_FILENO, output->write_end.get()),
        bp::posix::fd.bind(STDERR_FILENO,
                           options.shares_stderr ? STDERR_FILENO : errors->write_end.get()),
        setup, kWayToFork, error);
    if (!error) spawned.pid = child.id();
    child.detach();  // we wait for it ourselves: Boost tells neither the signal nor the usage
  }
  if (failures && !error && (error = told_failure(*failures))) {
    reap(spawned.pid);
  }
  if (error) return exec_failure(options.command.front(), error);
  spawned.exited.reset(static_cast<int>(::syscall(SYS_pidfd_open, spawned.pid, 0)));
  spawned.stdin_pipe = std::move(input->write_end);
  spawned.stdout_pipe = std::move(output->read_end);
  if (!options.shares_stderr) spawned.stderr_pipe = std::move(errors->read_end);
  for (const UniqueFd* fd : {&spawned.stdin_pipe, &spawned.stdout_pipe, &spawned.stderr_pipe}) {
    if (fd->is_open()) set_non_blocking(*fd);
  }
  return spawned;
}

}  // namespace assay::transport
