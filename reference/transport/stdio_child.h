// A server under test that we start ourselves and speak to over its standard streams.
//
// Specification: basic/transports, "stdio", and basic/lifecycle, "Shutdown". Whatever the child
// does, it and its offspring are gone when the transport is closed.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/transport/client_transport.h"
#include "reference/transport/spawn.h"
#include "reference/wire/line_framer.h"

namespace assay::transport {

// What a child may make us hold or read.
struct StdioLimits {
  // One line of stdout. Of a longer one the beginning is observed (is_truncated), and nothing more
  // is read.
  std::size_t max_line_bytes = kMaxMessageBytes;
  // Bytes waiting for a child that does not read its stdin. Enough for one message of the legal
  // size.
  std::size_t max_unsent_bytes = kMaxMessageBytes + (1u << 20);
  // All of stdout. Beyond it we stop reading, so that an endless flood cannot keep us busy.
  std::size_t max_stdout_bytes = std::size_t{1} << 30;
  // All of stderr that is observed. What comes after is read, so that the child is not blocked, and
  // lives on only in the tail.
  std::size_t max_stderr_observed_bytes = 1u << 20;
  // The end of stderr that is kept for messages to people.
  std::size_t max_stderr_tail_bytes = 16u << 10;
  // What a line that is not complete and what waits to be written are taken from; null: nothing.
  wire::BudgetPtr budget = nullptr;
};

struct StdioOptions {
  SpawnOptions spawn;
  StdioLimits limits;
  // How long close() waits for an exit after it closed stdin, and again after SIGTERM; less where
  // its deadline is nearer.
  std::chrono::milliseconds exit_grace{1000};
  std::chrono::milliseconds terminate_grace{1000};
};

// For a command that does not listen to its standard input: its end is not waited for.
StdioOptions deaf_command(std::vector<std::string> command,
                          std::vector<std::pair<std::string, std::string>> environment);

// What a child used, its waited-for children included.
struct ResourceUsage {
  std::chrono::microseconds user_time{0};
  std::chrono::microseconds system_time{0};
  std::size_t peak_memory_bytes = 0;  // the largest resident set of any one process
};

// Observed on lane kStdio: each line sent and received; kClosed when the child closes its stdout,
// and (kSent) when we close its stdin; kCutOff when a bound of stdout is passed; kBroken (kSent)
// when something cannot be sent any more. On kStderr: chunks. On kProcess: kExit, exactly once if
// open() succeeded.
//
// A line that is sent is observed when send() takes it; it is written by a thread of ours, so that
// send() never waits for the child. What send_raw() sends is observed line by line, as the child
// will read it; an end without newline is observed when stdin is closed.
//
// Thread safety: all functions may be called from any thread.
class StdioChild final : public ClientTransport {
 public:
  StdioChild(StdioOptions options, Observer& observer);
  ~StdioChild() override;
  StdioChild(const StdioChild&) = delete;
  StdioChild& operator=(const StdioChild&) = delete;

  std::optional<Failure> open() override;
  Lane send(std::string_view message) override;
  Lane send_raw(std::string_view bytes) override;
  void close(Deadline deadline) override;

  // Closes the child's stdin once everything sent before has been written.
  void close_stdin();
  // The child's process id, which is also the id of its group; 0 before open().
  pid_t pid() const;
  // Sends a signal, such as SIGTERM, to the child and its group. Nothing happens after its exit.
  void signal(int number);
  // Waits until the child has exited; nothing if it has not by `deadline`.
  std::optional<ProcessExit> wait_for_exit(Deadline deadline);
  // How it ended; nothing while it runs.
  std::optional<ProcessExit> exit() const;
  // Nothing while it runs.
  std::optional<ResourceUsage> usage() const;
  // The last bytes it wrote to stderr. Untrusted.
  std::string stderr_tail() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::transport
