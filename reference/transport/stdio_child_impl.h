// The inside of a StdioChild. Nobody but stdio_child*.cc includes this.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "reference/transport/stdio_child.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {

constexpr Lane kStdioLane{Lane::Kind::kStdio, 0};

// One thread starts the child, writes, reads and sees it exit, until close() stops it.
class StdioChild::Impl {
 public:
  // Every descendant inherits this variable; offspring that left the group is found by it.
  static constexpr const char* kMarkName = "MCP_ASSAY_CHILD";

  Impl(StdioOptions options, Observer& observer)
      : options_(std::move(options)),
        observer_(observer),
        sent_framer_([this](const auto& line) { observe_line(Party::kClient, line); },
                     options_.limits.max_line_bytes),
        received_framer_([this](const auto& line) { observe_line(Party::kServer, line); },
                         options_.limits.max_line_bytes, options_.limits.budget),
        unsent_share_(options_.limits.budget) {}

  std::optional<Failure> open();
  Lane send(std::string_view bytes, bool add_newline);
  void close_stdin();
  void close(Deadline deadline);
  pid_t pid() const { return pid_; }
  void signal(int number);
  std::optional<ProcessExit> wait_for_exit(Deadline deadline);
  std::optional<ResourceUsage> usage();
  std::string stderr_tail();

 private:
  static constexpr std::size_t kReadChunkBytes = 64u << 10;

  static std::string new_mark_value();
  void run(std::promise<std::optional<Failure>> started);
  bool turn();
  // Nothing tells of the exit by itself.
  bool must_ask_for_exit() const { return !has_seen_exit_ && !child_.exited.is_open(); }
  void write_queue();
  void end_stdin(std::string_view error);
  void end_stdin_if_killed();
  void read_stdout();
  void read_stderr();
  void take_stderr(std::string_view bytes);
  void end_stdout();
  void see_exit();
  void observe_line(Party speaker, const wire::LineFramer::Line& line);
  void observe_broken(Party speaker, std::string_view why);
  void cut_off(std::string_view why);
  void wake();

  const StdioOptions options_;
  Observer& observer_;
  const std::string mark_value_ = new_mark_value();
  std::thread thread_;
  std::atomic<pid_t> pid_{0};
  UniqueFd wake_;

  std::mutex close_mutex_;  // guards is_open_ and is_closed_: open and close run once each
  bool is_open_ = false;
  bool is_closed_ = false;

  // Held while observing on lane kStdio, to keep it in order; guards the framers. Taken before
  // mutex_.
  std::mutex lane_mutex_;
  wire::LineFramer sent_framer_;
  wire::LineFramer received_framer_;
  bool is_cut_off_ = false;  // nothing is read or sent any more

  std::mutex mutex_;  // guards everything down to the blank line
  std::condition_variable has_exited_;
  std::deque<std::string> unsent_;
  std::size_t unsent_bytes_ = 0;
  wire::Share unsent_share_;      // for unsent_
  bool is_stdin_ending_ = false;  // no more is taken; the pipe closes when the queue is empty
  bool is_stopping_ = false;
  bool was_killed_by_us_ = false;
  std::optional<ProcessExit> exit_;
  std::optional<ResourceUsage> usage_;
  std::string stderr_tail_;

  // The thread's own.
  Spawned child_;
  bool has_seen_exit_ = false;
  std::size_t written_of_first_ = 0;
  std::size_t stdout_bytes_ = 0;
  std::size_t stderr_bytes_ = 0;
  std::array<char, kReadChunkBytes> chunk_;
};

}  // namespace assay::transport
