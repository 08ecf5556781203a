#include "harness/frame/run_program.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace assay::cli {

std::optional<int> run_program(const char* path, std::vector<std::string> words, bool is_apart) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  const int flags = POSIX_SPAWN_SETSIGMASK | (is_apart ? POSIX_SPAWN_SETPGROUP : 0);
  posix_spawnattr_setflags(&attributes, static_cast<short>(flags));
  pid_t child = -1;
  const int trouble = ::posix_spawn(&child, path, nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (trouble != 0) return std::nullopt;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace assay::cli
