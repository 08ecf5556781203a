#include "reference/wire/line_framer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace assay::wire {
namespace {

// A buffer that grew beyond this for one long line is given back after it.
constexpr std::size_t kRetainedLineBytes = 256u << 10;

}  // namespace

LineFramer::LineFramer(Handler handler, std::size_t limit)
    : handler_(std::move(handler)), limit_(limit) {}

void LineFramer::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const void* const newline = std::memchr(bytes.data(), '\n', bytes.size());
    if (newline == nullptr) return keep(bytes);
    const auto length = static_cast<std::size_t>(static_cast<const char*>(newline) - bytes.data());
    const std::string_view line = bytes.substr(0, length);
    bytes.remove_prefix(length + 1);
    if (length_ == 0) {
      emit(line, line.size(), line.ends_with('\r'), false);
    } else {
      keep(line);
      emit_partial(false);
    }
  }
}

void LineFramer::finish() {
  if (length_ > 0) emit_partial(true);
}

std::size_t LineFramer::pending() const {
  return partial_.size();
}

void LineFramer::keep(std::string_view bytes) {
  if (bytes.empty()) return;
  partial_.append(bytes.substr(0, limit_ - std::min(limit_, partial_.size())));
  length_ += bytes.size();
  ends_in_cr_ = bytes.back() == '\r';
}

void LineFramer::emit_partial(bool is_unterminated) {
  // The handler may feed another framer, but this one is ready for its next line before it is
  // called.
  const std::string line = std::exchange(partial_, {});
  const std::size_t length = std::exchange(length_, 0);
  emit(line, length, ends_in_cr_ && !is_unterminated, is_unterminated);
  if (line.capacity() <= kRetainedLineBytes) partial_.reserve(line.capacity());
}

// `begin` holds what was kept of a line of `length` bytes.
void LineFramer::emit(std::string_view begin, std::size_t length, bool has_carriage_return,
                      bool is_unterminated) {
  const std::size_t content = length - (has_carriage_return ? 1 : 0);
  handler_({.bytes = begin.substr(0, std::min(content, limit_)),
            .has_carriage_return = has_carriage_return,
            .is_truncated = content > limit_,
            .is_unterminated = is_unterminated});
}

}  // namespace assay::wire
