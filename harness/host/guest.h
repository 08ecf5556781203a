// The client under test as a process: started, held within bounds, and gone at the end with all
// that it started.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/transport/observer.h"
#include "reference/transport/stdio_child.h"

namespace assay::harness {

// How a client's process ended.
struct GuestEnd {
  enum class Kind {
    kExited,      // by itself: `exit`
    kNotStarted,  // `detail` says why
    kLate,        // it was still running when its time was over
    kFlooded,     // it wrote more than is read: `detail` says how
    kStopped,     // the whole run was
    kDismissed,   // who watched it had seen enough
  };
  Kind kind = Kind::kExited;
  transport::ProcessExit exit;
  std::string detail = {};
  std::string last_words;  // the end of its standard error, printable
  std::string errors;      // the end of its standard error, as it came

  // "it exited with status 1", "it was ended by signal 11", ...
  std::string text() const;
  // By a signal that nobody else sends.
  bool is_crash() const;
  bool is_sound() const { return kind == Kind::kExited && !exit.signal && exit.code == 0; }
};

class Guest {
 public:
  // What it may write to its standard output: nobody reads it.
  static constexpr std::size_t kMostOutput = 64u << 20;

  // `directory`: where it runs; empty: here.
  Guest(std::vector<std::string> command,
        std::vector<std::pair<std::string, std::string>> environment,
        const std::string& directory = "");

  // Called now and then while it runs; false: it is dismissed.
  using Watcher = std::function<bool(pid_t pid)>;

  // Starts the command and waits for its end, for as long as `limit`. `on_end` is called at its
  // end, before what it has left behind is ended. Both may be empty.
  GuestEnd run(std::chrono::milliseconds limit, const std::stop_token& stop,
               const std::function<void()>& on_end = nullptr, const Watcher& watcher = nullptr);

 private:
  class Watch : public transport::Observer {
   public:
    void observe(const transport::Observation& observation) override {
      if (observation.kind != transport::Observation::Kind::kCutOff || has_flooded) return;
      how = std::string(observation.bytes);
      has_flooded = true;
    }
    std::string how;  // once it has
    std::atomic<bool> has_flooded = false;
  };

  Watch watch_;
  transport::StdioChild child_;
};

}  // namespace assay::harness
