// Starts a child process with pipes for its three standard streams.
//
// Boost.Process does one thing here, in spawn.cc alone: between a fork and an exec it binds three
// descriptors and calls our setup of the child, by its public hooks (extend::handler), and it tells
// why an exec failed. Its child is detached at once: finding the program, waiting, signals and
// resource usage are ours (stdio_child.h), because Boost has no pidfd, no process group and no
// usage, and its pipes are inherited by siblings.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/transport/client_transport.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {

struct SpawnOptions {
  std::vector<std::string> command;  // the program and its arguments
  // Where the child runs; our own directory if empty. A program named with a slash is looked up
  // from there, as exec does.
  std::filesystem::path directory;
  // Added to our own environment, or put in place of what it holds under the same name.
  std::vector<std::pair<std::string, std::string>> environment;
  // It writes to our own standard error; `stderr_pipe` is not open then.
  bool shares_stderr = false;
};

// A running child. It leads a process group of its own (its id is `pid`), gets SIGKILL when the
// thread that started it ends, and inherits no descriptor of ours but its end of the three pipes.
struct Spawned {
  pid_t pid = -1;
  // A pidfd: readable once the child has exited. Not open where the kernel gave us none (a filter
  // of system calls, no descriptor left): then the exit is only seen by asking.
  UniqueFd exited;
  UniqueFd stdin_pipe;
  UniqueFd stdout_pipe;
  UniqueFd stderr_pipe;
};

// Our ends of the pipes do not block. The caller must wait for the child and reap it.
std::variant<Spawned, Failure> spawn(const SpawnOptions& options);

}  // namespace assay::transport
