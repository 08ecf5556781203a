#include "bench/load/stdio_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <variant>

#include "bench/load/judge.h"
#include "reference/transport/client_transport.h"
#include "reference/transport/offspring.h"
#include "reports/escape.h"

namespace assay::bench {
namespace {

constexpr std::size_t kReadBytes = 256u << 10;
constexpr std::size_t kKeptErrorBytes = 2048;
// Of answers to a server that asks and does not read: beyond that it gets none.
constexpr std::size_t kMostUnwrittenBytes = 1u << 20;
constexpr int kExitGraceMs = 500;  // for a server whose input has ended
constexpr std::chrono::seconds kKillTime{2};

enum What : std::uint32_t { kInput, kOutput, kErrors };

std::string_view last_line(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

}  // namespace

StdioChannel::StdioChannel(Setting setting, Poller& poller, std::uint32_t number,
                           ChannelOwner& owner)
    : setting_(std::move(setting)),
      poller_(poller),
      number_(number),
      owner_(owner),
      buffer_(kReadBytes),
      framer_(
          [this](const wire::LineFramer::Line& line) {
            if (!line.bytes.empty()) take_line(line.bytes);
          },
          transport::kMaxMessageBytes),
      pending_(setting_.pipeline) {
  for (const MixEntry& entry : *setting_.mix) {
    texts_.emplace_back(entry, setting_.revision).wrap("", "\n");
  }
}

StdioChannel::~StdioChannel() {
  if (child_.pid <= 0) return;
  close_input();
  const auto descendants = transport::descendants_of(child_.pid);
  pollfd exited{child_.exited.get(), POLLIN, 0};
  ::poll(&exited, 1, kExitGraceMs);
  ::kill(-child_.pid, SIGKILL);
  ::kill(child_.pid, SIGKILL);
  transport::end_offspring(child_.pid, descendants, "",
                           std::chrono::steady_clock::now() + kKillTime);
  ::waitpid(child_.pid, nullptr, 0);
}

void StdioChannel::close_input() {
  if (!child_.stdin_pipe.is_open()) return;
  if (waits_to_write_) poller_.forget(child_.stdin_pipe.get());
  child_.stdin_pipe.reset();
}

void StdioChannel::start() {
  auto spawned = transport::spawn(setting_.spawn);
  if (const auto* failure = std::get_if<transport::Failure>(&spawned)) {
    die(failure->detail);
    return;
  }
  child_ = std::get<transport::Spawned>(std::move(spawned));
  // Larger pipes let a pipelined load go on while the other side is not scheduled.
  ::fcntl(child_.stdin_pipe.get(), F_SETPIPE_SZ, 1 << 20);
  ::fcntl(child_.stdout_pipe.get(), F_SETPIPE_SZ, 1 << 20);
  poller_.watch(child_.stdout_pipe.get(), EPOLLIN, {number_, kOutput});
  poller_.watch(child_.stderr_pipe.get(), EPOLLIN, {number_, kErrors});
  if (setting_.is_plain || !setting_.revision.has_handshake()) {
    become_ready();
    return;
  }
  output_ = initialize_text(setting_.revision) + "\n";
  flush();
}

void StdioChannel::on_event(const Poller::Event& event) {
  if (state() == State::kDead) return;
  switch (event.key.what) {
    case kInput:
      flush();
      return;
    case kOutput:
      read_output();
      return;
    default:
      read_errors();
      return;
  }
}

void StdioChannel::tick(std::uint64_t oldest) {
  while (pending_.count() > 0 && pending_.oldest_sent() < oldest) {
    owner_.answered(*pending_.take_oldest(), now_ns(), "no answer in time");
  }
}

void StdioChannel::send(const PendingRequest& request) {
  RequestText& text = texts_[request.entry];
  output_ += text.with_id(pending_.add(request));
}

void StdioChannel::flush() {
  while (written_ < output_.size() && child_.stdin_pipe.is_open()) {
    const ssize_t count =
        ::write(child_.stdin_pipe.get(), output_.data() + written_, output_.size() - written_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {
      watch_for_writing(true);
      return;
    }
    if (count < 0) {
      close_input();  // its output tells what became of it
      break;
    }
    owner_.transferred(static_cast<std::size_t>(count), 0);
    written_ += static_cast<std::size_t>(count);
  }
  output_.clear();
  written_ = 0;
  watch_for_writing(false);
}

void StdioChannel::watch_for_writing(bool is_wanted) {
  if (waits_to_write_ == is_wanted) return;
  waits_to_write_ = is_wanted;
  if (!child_.stdin_pipe.is_open()) return;
  if (is_wanted) {
    poller_.watch(child_.stdin_pipe.get(), EPOLLOUT, {number_, kInput});
  } else {
    poller_.forget(child_.stdin_pipe.get());
  }
}

void StdioChannel::read_output() {
  const ssize_t count = ::read(child_.stdout_pipe.get(), buffer_.data(), buffer_.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  at_ = now_ns();
  if (count <= 0) {
    lose_child();
    return;
  }
  owner_.transferred(0, static_cast<std::size_t>(count));
  framer_.feed({buffer_.data(), static_cast<std::size_t>(count)});
}

void StdioChannel::read_errors() {
  const ssize_t count = ::read(child_.stderr_pipe.get(), buffer_.data(), buffer_.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    poller_.forget(child_.stderr_pipe.get());
    return;
  }
  last_words_.append(buffer_.data(), static_cast<std::size_t>(count));
  if (last_words_.size() > kKeptErrorBytes) {
    last_words_.erase(0, last_words_.size() - kKeptErrorBytes);
  }
}

void StdioChannel::lose_child() {
  poller_.forget(child_.stdout_pipe.get());
  read_errors();
  siginfo_t info{};
  pollfd exited{child_.exited.get(), POLLIN, 0};
  ::poll(&exited, 1, kExitGraceMs);
  ::waitid(P_PID, static_cast<id_t>(child_.pid), &info, WEXITED | WNOHANG | WNOWAIT);
  std::string trouble = "the server closed its output";
  if (info.si_pid == child_.pid) {
    trouble = info.si_code == CLD_EXITED
                  ? fmt::format("the server exited with status {}", info.si_status)
                  : fmt::format("the server was ended by signal {}", info.si_status);
  }
  while (pending_.count() > 0) owner_.answered(*pending_.take_oldest(), at_, trouble);
  if (const std::string_view words = last_line(last_words_); !words.empty()) {
    trouble += ": " + reports::printable_line(reports::cut(words, 200));
  }
  die(std::move(trouble));
}

void StdioChannel::take_line(std::string_view line) {
  if (state() == State::kDead) return;
  if (state() == State::kReady) {
    take_answer(line);
    return;
  }
  const Judged judged = judge(line);
  if (judged.kind == Judged::Kind::kRequest) answer(judged.request_id, judged.is_ping);
  if (judged.kind != Judged::Kind::kAnswer || !take_initialize_answer(line)) return;
  output_ += std::string(kInitialized) + "\n";
  become_ready();
  flush();
}

void StdioChannel::take_answer(std::string_view line) {
  if (setting_.is_plain) {
    if (const auto request = pending_.take_oldest()) owner_.answered(*request, at_, "");
    return;
  }
  const Judged judged = judge(line);
  switch (judged.kind) {
    case Judged::Kind::kAnswer:
      if (const auto request = pending_.take(judged.id)) {
        owner_.answered(*request, at_, judged.trouble);
      } else {
        owner_.disturbed("an answer to no request that was sent");
      }
      return;
    case Judged::Kind::kRequest:
      answer(judged.request_id, judged.is_ping);
      return;
    case Judged::Kind::kOther:
      return;
    case Judged::Kind::kBad:
      owner_.disturbed(judged.trouble);
      return;
  }
}

// We declared no capability, so that a ping is all that a server may ask.
void StdioChannel::answer(const std::string& id, bool is_ping) {
  if (output_.size() - written_ > kMostUnwrittenBytes) return;
  output_ += fmt::format(R"({{"jsonrpc":"2.0","id":{},{}}})", id,
                         is_ping ? R"("result":{})"
                                 : R"("error":{"code":-32601,"message":"Method not found"})") +
             "\n";
  flush();
}

}  // namespace assay::bench
