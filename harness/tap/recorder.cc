#include "harness/tap/recorder.h"

#include <fmt/format.h>

#include <utility>

namespace assay::harness {
namespace {

using Kind = transport::Observation::Kind;

std::string fell_behind(std::size_t most_waiting) {
  return fmt::format("the recording fell behind the traffic by more than {} MiB",
                     most_waiting >> 20U);
}

}  // namespace

void Recording::add(const transport::Observation& observation, Clock::time_point at) {
  if (has_ended_) return;
  has_ended_ = observation.kind == Kind::kCutOff;
  if (has_ended_ && shortfall_.empty()) shortfall_ = observation.bytes;
  ++events_;
  if (!builder_.is_cut()) {
    builder_.add(observation, at - start_);
    if (!builder_.is_cut()) return take_(builder_.latest());
    if (shortfall_.empty()) shortfall_ = "more passed than is judged at once";
  }
  // Too much to be judged; whoever keeps it may have room for more.
  auto event = std::make_shared<Event>(keep_masked(observation, {}, *vault_));
  event->n = events_;
  event->at = at - start_;
  take_(event);
}

void Recording::cut_off(const std::string& why, Clock::time_point at) {
  transport::Observation end;
  end.kind = Kind::kCutOff;
  end.bytes = why;
  add(end, at);
}

Recorder::Recorder(std::shared_ptr<reports::Vault> vault, TakeEvent take, std::size_t most_waiting)
    : recording_(std::move(vault), TransportKind::kStdio, std::move(take)),
      client_lines_([this](const auto& line) { take_line(Party::kClient, line); }, kLongestLine),
      server_lines_([this](const auto& line) { take_line(Party::kServer, line); }, kLongestLine),
      backlog_(
          most_waiting, [this](const Chunk& chunk) { this->take(chunk); },
          [this, most_waiting] { recording_.cut_off(fell_behind(most_waiting), Clock::now()); }) {}

void Recorder::passed(Party speaker, std::string_view bytes) {
  put({speaker, Chunk::Kind::kBytes, Clock::now(), std::string(bytes)});
}

void Recorder::ended(Party speaker, bool is_unread) {
  put({speaker, is_unread ? Chunk::Kind::kUnread : Chunk::Kind::kEnd, Clock::now(), {}});
}

void Recorder::put(Chunk chunk) {
  const std::size_t size = chunk.bytes.size();
  backlog_.put(std::move(chunk), size);
}

void Recorder::take(const Chunk& chunk) {
  at_ = chunk.at;
  if (recording_.has_ended()) return;
  wire::LineFramer& lines = chunk.speaker == Party::kClient ? client_lines_ : server_lines_;
  if (chunk.kind == Chunk::Kind::kBytes) {
    lines.feed(chunk.bytes);
    // What comes behind it would wait for its end.
    if (lines.is_cutting()) lines.finish();
  } else {
    lines.finish();
    take_end(chunk);
  }
}

void Recorder::take_line(Party speaker, const wire::LineFramer::Line& line) {
  if (line.is_truncated) {
    return recording_.cut_off(fmt::format("a line is longer than {} MiB", kLongestLine >> 20U),
                              at_);
  }
  transport::Observation observation;
  observation.kind = Kind::kLine;
  observation.speaker = speaker;
  observation.bytes = line.bytes;
  observation.is_unterminated = line.is_unterminated;
  observation.has_carriage_return = line.has_carriage_return;
  recording_.add(observation, at_);
}

void Recorder::take_end(const Chunk& chunk) {
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
  recording_.add(end, at_);
}

RecordedSession Recorder::finish(const transport::ProcessExit& exit) {
  backlog_.finish();
  transport::Observation end;
  end.kind = Kind::kExit;
  end.lane = {transport::Lane::Kind::kProcess, 0};
  end.exit = exit;
  recording_.add(end, Clock::now());
  return recording_.finish();
}

}  // namespace assay::harness
