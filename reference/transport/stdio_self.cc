#include "reference/transport/stdio_self.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "reference/wire/line_framer.h"
#include "reference/wire/message.h"

namespace assay::transport {
namespace {

constexpr std::size_t kReadSize = 256u << 10;   // one read of a busy pipe
constexpr std::size_t kFlushSize = 256u << 10;  // written early, to bound what a burst can hold

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Tells of our lines what a client's wire would tell of them.
class LineReport {
 public:
  explicit LineReport(Observer* observer) : is_wanted_(observer != nullptr), observer_(observer) {}

  void line(Party speaker, const wire::LineFramer::Line& line) {
    if (!is_wanted_) return;
    Observation observation;
    observation.kind = Observation::Kind::kLine;
    observation.bytes = line.bytes;
    observation.is_truncated = line.is_truncated;
    observation.is_unterminated = line.is_unterminated;
    observation.has_carriage_return = line.has_carriage_return;
    tell(speaker, std::move(observation));
  }
  // Nothing is told any more: what a session still says is said to nobody.
  void end() {
    const std::lock_guard lock(mutex_);
    observer_ = nullptr;
  }
  void closed(Party speaker, std::string_view how) {
    Observation observation;
    observation.kind = Observation::Kind::kClosed;
    observation.bytes = how;
    tell(speaker, std::move(observation));
  }

 private:
  void tell(Party speaker, Observation observation) {
    observation.speaker = speaker;
    const std::lock_guard lock(mutex_);  // one lane: one call at a time
    if (observer_ != nullptr) observer_->observe(observation);
  }

  const bool is_wanted_;  // known without the lock, because most servers tell nobody
  std::mutex mutex_;      // guards observer_, and keeps the order
  Observer* observer_;
};

// Standard output as a sink: lines gather while the reading thread works through a burst of input,
// and leave with one write at its end; a line from any other thread leaves at once.
class LineSink : public Sink {
 public:
  LineSink(int output, Observer* observer)
      : output_(output), reader_(std::this_thread::get_id()), report_(observer) {}

  void send(Outgoing message) override {
    const std::lock_guard lock(mutex_);
    report_.line(Party::kServer, {.bytes = message.bytes});
    buffer_ += message.bytes;
    buffer_ += '\n';
    const bool is_gathering = in_burst_ && std::this_thread::get_id() == reader_;
    if (!is_gathering || buffer_.size() >= kFlushSize) write_out();
  }
  void finish() override {}
  bool is_listened_to() const override { return !is_broken_; }
  void disconnect(std::chrono::milliseconds) override {}
  void hang_up() override { is_over_ = true; }
  bool is_over() const { return is_over_; }
  // Nothing leaves any more, and nobody is told.
  void let_go() {
    const std::lock_guard lock(mutex_);
    is_broken_ = true;
    report_.end();
  }

  // Called by the reading thread around a piece of input.
  void begin_burst() {
    const std::lock_guard lock(mutex_);
    in_burst_ = true;
  }
  void end_burst() {
    const std::lock_guard lock(mutex_);
    in_burst_ = false;
    write_out();
  }
  bool is_broken() const { return is_broken_; }
  LineReport& report() { return report_; }

 private:
  void write_out() {
    if (buffer_.empty()) return;
    if (!is_broken_ && !write_all(output_, buffer_)) is_broken_ = true;
    buffer_.clear();
  }

  const int output_;
  const std::thread::id reader_;
  std::mutex mutex_;  // guards buffer_, in_burst_, and the order of writes
  LineReport report_;
  std::string buffer_;
  bool in_burst_ = false;
  std::atomic<bool> is_broken_ = false;
  std::atomic<bool> is_over_ = false;
};

// A line longer than this is lost by a server that loses long lines.
constexpr std::size_t kLongLine = 1u << 20;

bool is_lost(std::string_view line, std::size_t line_of_read, const StdioLapses& lapses) {
  if (lapses.loses_lines_behind_first && line_of_read > 1) return true;
  if (lapses.loses_long_lines && line.size() > kLongLine) return true;
  return lapses.chokes_on_white_space &&
         (line.front() == ' ' || line.back() == ' ' || line.back() == '\t' || line.back() == '\r');
}

enum class Ready { kInput, kStop };

// How long we look for the next message before we sleep. Whoever calls one tool after another sends
// it within that time, and to be woken takes longer than most answers.
constexpr std::chrono::microseconds kAlert{50};

Ready wait_for_input(const StdioSelfOptions& options) {
  if (options.stop < 0) return Ready::kInput;  // read() waits
  pollfd descriptors[2] = {{options.input, POLLIN, 0}, {options.stop, POLLIN, 0}};
  const auto sleeps_at = std::chrono::steady_clock::now() + kAlert;
  while (true) {
    const bool is_alert = std::chrono::steady_clock::now() < sleeps_at;
    const int found = ::poll(descriptors, 2, is_alert ? 0 : -1);
    if (found > 0) break;
    if (found < 0 && errno != EINTR && errno != EAGAIN) return Ready::kStop;
    ::sched_yield();  // the one who is to write may need this processor
  }
  return descriptors[1].revents != 0 ? Ready::kStop : Ready::kInput;
}

}  // namespace

StdioEnd serve_stdio(SessionFactory& server, const StdioSelfOptions& options) {
  const auto sink = std::make_shared<LineSink>(options.output, options.observer);
  const std::shared_ptr<ServerSession> session = server.open(WireKind::kStdio, sink);
  std::size_t line_of_read = 0;
  const auto take = [&](const wire::LineFramer::Line& line) {
    if (line.bytes.empty() || sink->is_over()) return;
    const bool has_return = line.has_carriage_return && options.lapses.chokes_on_white_space;
    if (has_return || is_lost(line.bytes, ++line_of_read, options.lapses)) return;
    if (line.is_truncated) {
      session->receive(
          wire::DecodeError{wire::DecodeError::Kind::kTooLarge, "the line is too long"}, sink);
      return;
    }
    session->receive(wire::decode(line.bytes), sink);
  };
  // Who watches is told of all that has come before any of it is answered. The bytes are the
  // framer's only while it hands them over.
  struct Told {
    wire::LineFramer::Line line;
    std::string bytes;
  };
  std::vector<Told> told;
  wire::LineFramer framer([&](const wire::LineFramer::Line& line) {
    if (options.observer == nullptr) return take(line);
    sink->report().line(Party::kClient, line);
    told.push_back({line, std::string(line.bytes)});
  });
  const auto take_told = [&] {
    for (Told& each : told) {
      each.line.bytes = each.bytes;
      take(each.line);
    }
    told.clear();
  };

  std::vector<char> buffer(kReadSize);
  StdioEnd end = StdioEnd::kInputEnded;
  while (true) {
    if (wait_for_input(options) == Ready::kStop) {
      end = StdioEnd::kStopped;
      break;
    }
    const ssize_t count = ::read(options.input, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) break;
    const std::string_view piece(buffer.data(), static_cast<std::size_t>(count));
    if (options.on_read != nullptr) options.on_read(piece);
    sink->begin_burst();
    line_of_read = 0;
    framer.feed(piece);
    if (options.lapses.takes_reads_for_lines && !piece.ends_with('\n')) framer.feed("\n");
    take_told();
    sink->end_burst();
    if (sink->is_over()) {
      end = StdioEnd::kHungUp;
      break;
    }
    if (sink->is_broken()) {
      end = StdioEnd::kOutputClosed;
      break;
    }
  }
  if (end == StdioEnd::kInputEnded) {
    framer.finish();
    take_told();
    sink->report().closed(Party::kClient, "the client closed our input");
  }
  if (end == StdioEnd::kHungUp) sink->let_go();
  session->close();
  sink->report().end();
  return end;
}

}  // namespace assay::transport
