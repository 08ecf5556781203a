#include "harness/tap/recorder.h"

#include <fmt/format.h>

#include <utility>

#include "reference/transport/signals.h"

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

// Whoever passes bytes on wakes nobody: that would cost more than all else. Events are made this
// often, and what waits meanwhile is little.
constexpr std::chrono::milliseconds kInterval{20};
// But for a flood nobody waits.
constexpr std::size_t kPressing = 1u << 20;

}  // namespace

Recorder::Recorder(std::shared_ptr<reports::Vault> vault, TakeEvent take, std::size_t most_waiting)
    : take_event_(std::move(take)),
      most_waiting_(most_waiting),
      builder_(std::move(vault)),
      client_lines_([this](const auto& line) { observe_line(Party::kClient, line); }, kLongestLine),
      server_lines_([this](const auto& line) { observe_line(Party::kServer, line); }, kLongestLine),
      thread_([this] { run(); }) {}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  has_come_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Recorder::passed(Party speaker, std::string_view bytes) {
  put({speaker, Chunk::Kind::kBytes, Clock::now(), std::string(bytes)});
}

void Recorder::ended(Party speaker, bool is_unread) {
  put({speaker, is_unread ? Chunk::Kind::kUnread : Chunk::Kind::kEnd, Clock::now(), {}});
}

void Recorder::put(Chunk chunk) {
  bool is_pressing = false;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t size = chunk.bytes.size();
    // What comes behind a gap proves nothing.
    has_lost_ = has_lost_ || waiting_bytes_ + size > most_waiting_;
    if (has_lost_) return;
    is_pressing = waiting_bytes_ <= kPressing && waiting_bytes_ + size > kPressing;
    waiting_bytes_ += size;
    waiting_.push_back(std::move(chunk));
  }
  if (is_pressing) has_come_.notify_one();
}

void Recorder::run() {
  transport::take_no_signals();
  std::unique_lock lock(mutex_);
  while (true) {
    has_come_.wait_for(lock, kInterval, [this] { return is_over_ || waiting_bytes_ > kPressing; });
    while (!waiting_.empty()) {
      const Chunk chunk = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      take(chunk);
      lock.lock();
      waiting_bytes_ -= chunk.bytes.size();
    }
    if (has_lost_ && !is_cut_off_) {
      lock.unlock();
      cut_off(fmt::format("the recording fell behind the traffic by more than {} MiB",
                          most_waiting_ >> 20));
      lock.lock();
    }
    if (is_over_ && waiting_.empty()) return;
  }
}

void Recorder::take(const Chunk& chunk) {
  at_ = chunk.at - start_;
  wire::LineFramer& lines = chunk.speaker == Party::kClient ? client_lines_ : server_lines_;
  if (chunk.kind == Chunk::Kind::kBytes) {
    if (is_cut_off_) return;
    lines.feed(chunk.bytes);
    if (lines.is_cutting()) {
      cut_off(fmt::format("a line is longer than {} MiB", kLongestLine >> 20));
    }
    return;
  }
  lines.finish();
  const bool is_client = chunk.speaker == Party::kClient;
  const bool is_unread = chunk.kind == Chunk::Kind::kUnread;
  transport::Observation end;
  end.kind = is_client && is_unread ? Kind::kBroken : Kind::kClosed;
  // A client that reads no more has ended the session, whatever the server goes on to write.
  end.speaker = is_unread ? Party::kClient : chunk.speaker;
  if (is_client) {
    end.bytes = is_unread ? "the server reads no more" : "the client closed the server's input";
  } else {
    end.bytes = is_unread ? "the client reads no more" : "the server closed its output";
  }
  observe(std::move(end));
}

void Recorder::observe_line(Party speaker, const wire::LineFramer::Line& line) {
  if (line.is_truncated) {
    return cut_off(fmt::format("a line is longer than {} MiB", kLongestLine >> 20));
  }
  transport::Observation observation;
  observation.kind = Kind::kLine;
  observation.speaker = speaker;
  observation.bytes = line.bytes;
  observation.is_unterminated = line.is_unterminated;
  observation.has_carriage_return = line.has_carriage_return;
  observe(std::move(observation));
}

void Recorder::observe(transport::Observation observation) {
  if (is_cut_off_) return;
  if (observation.kind == Kind::kCutOff) {
    is_cut_off_ = true;
    shortfall_ = observation.bytes;
  }
  builder_.add(observation, at_);
  if (builder_.is_cut()) {
    is_cut_off_ = true;
    shortfall_ = "more passed than is judged at once";
  }
  take_event_(*builder_.latest());
}

void Recorder::cut_off(const std::string& why) {
  transport::Observation end;
  end.kind = Kind::kCutOff;
  end.bytes = why;
  observe(std::move(end));
}

RecordedSession Recorder::finish(const transport::ProcessExit& exit) {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  has_come_.notify_one();
  thread_.join();
  at_ = Clock::now() - start_;
  transport::Observation end;
  end.kind = Kind::kExit;
  end.lane = {transport::Lane::Kind::kProcess, 0};
  end.exit = exit;
  observe(std::move(end));
  return builder_.finish(true);
}

}  // namespace assay::harness
