#include "reference/wire/line_framer.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace assay::wire {
namespace {

// A buffer that grew beyond this for one long line is given back after it.
constexpr std::size_t kRetainedLineBytes = 256u << 10;
// A line that grows is held twice for a moment, and handed on as a copy.
constexpr std::size_t kLineCopies = 2;

}  // namespace

LineFramer::LineFramer(Handler handler, std::size_t limit, BudgetPtr budget)
    : handler_(std::move(handler)), limit_(limit), share_(std::move(budget)) {}

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
  const bool is_whole = partial_.size() == length_;  // what follows a gap is not kept
  const std::size_t kept = std::min(bytes.size(), limit_ - std::min(limit_, partial_.size()));
  if (is_whole && share_.resize(kLineCopies * (partial_.size() + kept))) {
    partial_.append(bytes.substr(0, kept));
  }
  length_ += bytes.size();
  ends_in_cr_ = bytes.back() == '\r';
}

void LineFramer::emit_partial(bool is_unterminated) {
  // The handler may feed another framer, but this one is ready for its next line before it is
  // called.
  const std::string line = std::exchange(partial_, {});
  const std::size_t length = std::exchange(length_, 0);
  emit(line, length, ends_in_cr_ && !is_unterminated, is_unterminated);
  share_.resize(kLineCopies * partial_.size());
  if (line.capacity() <= kRetainedLineBytes) partial_.reserve(line.capacity());
}

// `begin` holds what was kept of a line of `length` bytes.
void LineFramer::emit(std::string_view begin, std::size_t length, bool has_carriage_return,
                      bool is_unterminated) {
  const std::size_t content = length - (has_carriage_return ? 1 : 0);
  handler_({.bytes = begin.substr(0, std::min(content, limit_)),
            .has_carriage_return = has_carriage_return,
            .is_truncated = content > begin.size() || content > limit_,
            .is_unterminated = is_unterminated});
}

}  // namespace assay::wire
