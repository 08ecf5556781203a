#include "reference/transport/guardian.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace assay::transport {
namespace {

constexpr pid_t kNobody = 0;

// Reads group after group from descriptor 0; at its end kills the last one. Only calls that are
// safe behind a fork.
[[noreturn]] void keep_watch() {
  pid_t group = kNobody;
  while (true) {
    pid_t told = kNobody;
    const ssize_t count = ::read(STDIN_FILENO, &told, sizeof told);
    if (count < 0 && errno == EINTR) continue;
    if (count != sizeof told) break;
    group = told;
  }
  if (group > 1) ::kill(-group, SIGKILL);
  ::_exit(0);
}

}  // namespace

Guardian::Guardian() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  UniqueFd read_end(ends[0]);
  line_.reset(ends[1]);
  pid_ = ::fork();
  if (pid_ != 0) {
    if (pid_ < 0) line_.reset();
    return;
  }
  // Whoever signals our group, or our terminal, does not mean the guardian.
  ::setsid();
  sigset_t all;
  sigfillset(&all);
  ::sigprocmask(SIG_BLOCK, &all, nullptr);
  ::dup2(read_end.get(), STDIN_FILENO);
  ::syscall(SYS_close_range, 1U, ~0U, 0U);
  keep_watch();
}

Guardian::~Guardian() {
  if (pid_ <= 0) return;
  guard(kNobody);
  line_.reset();
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void Guardian::guard(pid_t group) {
  if (!line_.is_open()) return;
  while (::write(line_.get(), &group, sizeof group) < 0 && errno == EINTR) {
  }
}

}  // namespace assay::transport
