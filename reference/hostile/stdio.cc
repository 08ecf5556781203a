#include "reference/hostile/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <variant>

#include "reference/hostile/polite.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

constexpr std::size_t kStdioBlockBytes = 64u << 10;

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) ::_exit(0);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

std::optional<std::string> Stdio::read_line() {
  std::array<char, kStdioBlockBytes> block;
  while (true) {
    const std::size_t end = unread_.find('\n', looked_at_);
    if (end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      looked_at_ = 0;
      return line;
    }
    looked_at_ = unread_.size();
    const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    unread_.append(block.data(), static_cast<std::size_t>(count));
  }
}

void Stdio::write(std::string_view bytes) {
  const std::lock_guard lock(writing_);
  write_all(STDOUT_FILENO, bytes);
}

void Stdio::say(std::string_view text) {
  write(std::string(text) + "\n");
}

void Stdio::answer(const wire::Message& message) {
  const std::string text = polite_answer(message);
  if (!text.empty()) say(text);
}

void Stdio::complain(std::string_view bytes) {
  write_all(STDERR_FILENO, bytes);
}

void serve(Stdio& stdio, const StdioHook& hook) {
  while (const auto line = stdio.read_line()) {
    const wire::Decoded said = wire::decode(*line);
    const auto* message = std::get_if<wire::Message>(&said);
    if (hook && message != nullptr && hook(*message)) continue;
    const std::string answer = polite_answer(said);
    if (!answer.empty()) stdio.say(answer);
  }
}

void flood(Stdio& stdio, std::string_view unit) {
  std::string block(unit);
  while (block.size() < kStdioBlockBytes) block += unit;
  while (true) stdio.write(block);
}

void drip(Stdio& stdio, std::string_view unit, int pause_ms) {
  while (true) {
    stdio.write(unit);
    wait_ms(pause_ms);
  }
}

void stay() {
  while (true) ::pause();
}

void wait_ms(int milliseconds) {
  ::poll(nullptr, 0, milliseconds);
}

}  // namespace assay::hostile
