#include "harness/parsers/pipe_parser.h"

#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <utility>

#include "harness/parsers/findings.h"
#include "reference/transport/signals.h"
#include "reference/transport/stdio_child.h"
#include "reference/wire/base64.h"

namespace assay::harness {
namespace {

using transport::Observation;

constexpr std::size_t kMostWaiting = 4096;  // lines; beyond it nobody asked for them
constexpr std::chrono::milliseconds kGrace{500};

}  // namespace

std::optional<ParserAnswer> read_answer(std::string_view line) {
  if (line == "refuse" || line.starts_with("refuse ")) return ParserAnswer{};
  if (line == "accept") return ParserAnswer{.accepts = true};
  constexpr std::string_view kWithValue = "accept ";
  if (!line.starts_with(kWithValue)) return std::nullopt;
  return ParserAnswer{.accepts = true, .canonical = std::string(line.substr(kWithValue.size()))};
}

// The child and the lines that came from it.
class PipeParser::Impl : public transport::Observer {
 public:
  explicit Impl(const std::vector<std::string>& command) {
    transport::StdioOptions options;
    options.spawn.command = command;
    options.limits.max_line_bytes = kMaxAnswerBytes;
    options.limits.max_stdout_bytes = std::numeric_limits<std::size_t>::max();  // line by line
    options.exit_grace = kGrace;
    options.terminate_grace = kGrace;
    child_ = std::make_unique<transport::StdioChild>(std::move(options), *this);
  }
  ~Impl() override { child_->close(transport::Deadline::clock::now() + 2 * kGrace); }

  std::optional<std::string> open() {
    if (const auto failure = child_->open()) return failure->detail;
    return std::nullopt;
  }
  void send(std::string_view line) { child_->send(line); }

  struct Line {
    std::string bytes;
    bool is_whole = true;
  };
  // The next line; nothing if none comes in time, or if the child is gone.
  std::optional<Line> next(transport::Deadline deadline) {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [&] { return !lines_.empty() || is_gone_; });
    if (lines_.empty()) return std::nullopt;
    Line line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }
  bool has_line() const {
    const std::lock_guard lock(mutex_);
    return !lines_.empty();
  }
  bool is_gone() const {
    const std::lock_guard lock(mutex_);
    return is_gone_;
  }
  // Why it went, for people.
  std::string last_words() {
    const auto exit = child_->wait_for_exit(transport::Deadline::clock::now() + kGrace);
    if (!exit) return "it closed its output";
    if (exit->signal)
      return fmt::format("it was ended by {}", transport::signal_words(*exit->signal));
    return fmt::format("it ended with status {}", exit->code);
  }

  void observe(const Observation& observation) override {
    if (observation.speaker != transport::Party::kServer) return;
    const bool is_stdio = observation.lane.kind == transport::Lane::Kind::kStdio;
    const std::lock_guard lock(mutex_);
    if (observation.kind == Observation::Kind::kLine && lines_.size() < kMostWaiting) {
      lines_.push_back(
          {observation.bytes, !observation.is_truncated && !observation.is_unterminated});
    } else if (observation.kind == Observation::Kind::kExit ||
               observation.kind == Observation::Kind::kCutOff ||
               (is_stdio && (observation.kind == Observation::Kind::kClosed ||
                             observation.kind == Observation::Kind::kBroken))) {
      is_gone_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::unique_ptr<transport::StdioChild> child_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Line> lines_;
  bool is_gone_ = false;
};

PipeParser::PipeParser(std::vector<std::string> command, std::chrono::milliseconds patience)
    : command_(std::move(command)), patience_(patience) {}

PipeParser::~PipeParser() = default;

std::optional<std::string> PipeParser::start() {
  impl_ = nullptr;
  auto fresh = std::make_unique<Impl>(command_);
  auto trouble = fresh->open();
  if (!trouble) impl_ = std::move(fresh);
  return trouble;
}

PipeParser::Round PipeParser::ask(std::span<const std::string> texts) {
  Round round;
  const auto end = [&](End how, std::string detail) {
    round.end = how;
    round.detail = std::move(detail);
    impl_ = nullptr;
    return round;
  };
  if (!impl_) return end(End::kExited, "it was not started");
  if (impl_->has_line()) return end(End::kDamaged, "it answered what was not asked");
  for (const std::string& text : texts) impl_->send(wire::encode_base64(text));
  while (round.answers.size() < texts.size()) {
    const auto line = impl_->next(transport::Deadline::clock::now() + patience_);
    if (!line) {
      return impl_->is_gone() ? end(End::kExited, impl_->last_words())
                              : end(End::kHung, "it did not answer in time");
    }
    auto answer = line->is_whole ? read_answer(line->bytes) : std::nullopt;
    if (!answer) {
      return end(End::kDamaged, fmt::format("it answered '{}'", printable_bytes(line->bytes)));
    }
    round.answers.push_back(*std::move(answer));
  }
  return round;
}

}  // namespace assay::harness
