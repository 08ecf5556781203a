#include <algorithm>

#include "reference/wire/http.h"
#include "reference/wire/http_text.h"

namespace assay::wire {
namespace {

// What is kept of a buffer between two messages.
constexpr std::size_t kKeptBytes = 4096;
constexpr std::string_view kVersion1 = "HTTP/1.";

// Takes the carriage return off the end of a line. What else ends lines for some readers is allowed
// in responses only.
HttpFault end_line(std::string_view& line, HttpParser::Role role, bool may_have_nul) {
  const bool is_request = role == HttpParser::Role::kRequests;
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  } else if (is_request) {
    return HttpFault::kBareLineFeed;
  }
  if (!is_request) return HttpFault::kNone;
  if (line.find('\r') != std::string_view::npos) return HttpFault::kBareCarriageReturn;
  if (may_have_nul && line.find('\0') != std::string_view::npos) return HttpFault::kNul;
  return HttpFault::kNone;
}

}  // namespace

HttpParser::Event HttpParser::next(std::string_view& bytes) {
  if (is_block_out_) let_go_of_block();
  while (true) {
    switch (state_) {
      case State::kHead:
        if (!take_block(bytes)) return Event::kMore;
        return fault_ == HttpFault::kNone ? end_head() : break_off(fault_);
      case State::kLength:
      case State::kChunk:
      case State::kUntilClose:
        return take_piece(bytes);
      case State::kChunkSize:
        if (!take_chunk_size(bytes)) return Event::kMore;
        break;
      case State::kChunkEnd:
        if (!take_chunk_end(bytes)) return Event::kMore;
        break;
      case State::kTrailer:
        if (!take_block(bytes)) return Event::kMore;
        if (fault_ != HttpFault::kNone) return break_off(fault_);
        place_fields();
        return end_message();
      case State::kEnd:
        return end_message();
      case State::kBroken:
        return Event::kBroken;
    }
    if (fault_ != HttpFault::kNone) return break_off(fault_);
  }
}

HttpParser::Event HttpParser::finish() {
  if (is_block_out_) let_go_of_block();
  if (state_ == State::kBroken) return Event::kBroken;
  if (state_ == State::kEnd || state_ == State::kUntilClose) return end_message();
  if (!is_in_message()) return Event::kMore;
  return break_off(HttpFault::kCutOff);
}

void HttpParser::reset() {
  let_go_of_block();
  state_ = State::kHead;
  fault_ = HttpFault::kNone;
  expects_no_body_ = false;
  interims_ = 0;
}

void HttpParser::let_go_of_block() {
  is_block_out_ = false;
  held_.clear();
  if (held_.capacity() > kKeptBytes) held_ = std::string();
  block_ = method_ = target_ = {};
  has_skipped_ = false;
  line_begin_ = 0;
  places_.clear();
  fields_.clear();
}

HttpParser::Event HttpParser::break_off(HttpFault fault) {
  let_go_of_block();
  state_ = State::kBroken;
  fault_ = fault;
  return Event::kBroken;
}

// True, so that whoever waits for more goes on and looks.
bool HttpParser::set_fault(HttpFault fault) {
  fault_ = fault;
  return true;
}

// True once block_ is whole, or fault_ is set.
bool HttpParser::take_block(std::string_view& bytes) {
  if (!held_.empty()) return take_held_block(bytes);
  block_ = bytes;
  // Looked for once, and not in each line.
  may_have_nul_ = bytes.substr(0, limits_.head_bytes).find('\0') != std::string_view::npos;
  while (true) {
    const std::size_t newline = block_.find('\n', line_begin_);
    if (newline == std::string_view::npos) break;
    switch (take_line(newline + 1)) {
      case Line::kMiddle:
        break;
      case Line::kSkipped:
        bytes.remove_prefix(newline + 1);
        block_ = bytes;
        line_begin_ = 0;
        break;
      case Line::kLast:
        block_ = bytes.substr(0, newline + 1);
        bytes.remove_prefix(newline + 1);
        return true;
      case Line::kBroken:
        return true;
    }
  }
  if (check_open_line()) return true;
  held_ = bytes;
  bytes = {};
  return false;
}

bool HttpParser::take_held_block(std::string_view& bytes) {
  may_have_nul_ = true;
  while (!bytes.empty()) {
    const std::size_t newline = bytes.find('\n');
    const std::size_t line = newline == std::string_view::npos ? bytes.size() : newline + 1;
    const std::size_t count = std::min(line, limits_.head_bytes + 1 - held_.size());
    const bool is_whole = newline != std::string_view::npos && count == line;
    held_.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    block_ = held_;
    if (!is_whole) {
      if (check_open_line()) return true;
      continue;
    }
    switch (take_line(held_.size())) {
      case Line::kMiddle:
        break;
      case Line::kSkipped:
        held_.clear();
        line_begin_ = 0;
        return take_block(bytes);
      case Line::kLast:
      case Line::kBroken:
        return true;
    }
  }
  return false;
}

// Of a line whose end has not come: true, and fault_ is set, when it need not be waited for.
bool HttpParser::check_open_line() {
  if (is_first_line() && !is_plausible(block_)) return set_fault(HttpFault::kNotHttp);
  if (block_.size() > limits_.head_bytes) return set_fault(HttpFault::kHeadTooLong);
  return false;
}

// Whether it may be, or become, the first line of a message. What another protocol says first need
// not have a line end that could be waited for. What is beyond the limit is not looked at: it is
// not there when it comes byte by byte.
bool HttpParser::is_plausible(std::string_view first_line) const {
  first_line = first_line.substr(0, limits_.head_bytes);
  if (role_ == Role::kResponses) {
    return first_line.substr(0, kVersion1.size()) == kVersion1.substr(0, first_line.size());
  }
  if (first_line.empty() || (first_line == "\r" && !has_skipped_)) return true;
  const std::size_t end = count_token_bytes(first_line);
  return end > 0 && (end == first_line.size() || first_line[end] == ' ');
}

// The line from line_begin_ to `end`, behind its line feed.
HttpParser::Line HttpParser::take_line(std::size_t end) {
  std::string_view line = block_.substr(line_begin_, end - 1 - line_begin_);
  const bool is_first = is_first_line();
  const auto take = [&]() -> HttpFault {
    if (is_first && !is_plausible(line)) return HttpFault::kNotHttp;
    if (end > limits_.head_bytes) return HttpFault::kHeadTooLong;
    if (const HttpFault fault = end_line(line, role_, may_have_nul_); fault != HttpFault::kNone)
      return fault;
    if (line.empty()) {
      const bool may_be_empty = !is_first || role_ == Role::kRequests;
      return may_be_empty ? HttpFault::kNone : HttpFault::kNotHttp;
    }
    return is_first ? take_first_line(line) : take_field(line);
  };
  fault_ = take();
  if (fault_ != HttpFault::kNone) return Line::kBroken;
  line_begin_ = end;
  if (!line.empty()) return Line::kMiddle;
  if (!is_first) return Line::kLast;
  has_skipped_ = true;
  return Line::kSkipped;
}

HttpParser::Event HttpParser::take_piece(std::string_view& bytes) {
  if (bytes.empty()) return Event::kMore;
  if (state_ == State::kUntilClose) {
    left_ = std::min<std::uint64_t>(bytes.size(), limits_.body_bytes - taken_);
    if (left_ == 0) return break_off(HttpFault::kBodyTooLong);
    taken_ += left_;
  }
  body_ = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size())));
  bytes.remove_prefix(body_.size());
  left_ -= body_.size();
  if (left_ == 0 && state_ == State::kLength) state_ = State::kEnd;
  if (left_ == 0 && state_ == State::kChunk) state_ = State::kChunkEnd;
  return Event::kBody;
}

// True once the line is whole, and state_ says what it led to, or once fault_ is set.
bool HttpParser::take_chunk_size(std::string_view& bytes) {
  const std::size_t newline = bytes.find('\n');
  const std::size_t most = limits_.head_bytes - std::min(limits_.head_bytes, held_.size());
  if (std::min(newline, bytes.size()) > most) return set_fault(HttpFault::kChunkLinesTooLong);
  if (newline == std::string_view::npos) {
    held_.append(bytes);
    bytes = {};
    return false;
  }
  std::string_view line = bytes.substr(0, newline);
  bytes.remove_prefix(newline + 1);
  if (held_.empty()) return set_fault(read_chunk_size(line));
  held_.append(line);
  const HttpFault fault = read_chunk_size(held_);
  held_.clear();
  return set_fault(fault);
}

// A hexadecimal number, and extensions that nobody uses: "1a0;name=value".
HttpFault HttpParser::read_chunk_size(std::string_view line) {
  if (const HttpFault fault = end_line(line, role_, true); fault != HttpFault::kNone) return fault;
  const std::size_t end = std::min(line.find_first_of("; \t"), line.size());
  const std::string_view extension = trim_blanks(line.substr(end));
  const bool is_sound = extension.empty() ? end == line.size() : extension.front() == ';';
  if (!is_sound && role_ == Role::kRequests) return HttpFault::kBadChunkSize;
  const auto size = read_number(line.substr(0, end), 16);
  if (!size) return HttpFault::kBadChunkSize;
  left_ = *size;
  extension_bytes_ += line.size() - end;
  if (extension_bytes_ > limits_.head_bytes + taken_) return HttpFault::kChunkLinesTooLong;
  if (left_ > limits_.body_bytes - taken_) return HttpFault::kBodyTooLong;
  taken_ += left_;
  state_ = left_ == 0 ? State::kTrailer : State::kChunk;
  return HttpFault::kNone;
}

bool HttpParser::take_chunk_end(std::string_view& bytes) {
  while (!bytes.empty()) {
    const char c = bytes.front();
    bytes.remove_prefix(1);
    if (c == '\n') {
      if (held_.empty() && role_ == Role::kRequests) return set_fault(HttpFault::kBareLineFeed);
      held_.clear();
      state_ = State::kChunkSize;
      return true;
    }
    if (c != '\r' || !held_.empty()) return set_fault(HttpFault::kBadChunkEnd);
    held_ = c;
  }
  return false;
}

HttpParser::Event HttpParser::end_message() {
  is_block_out_ = true;
  state_ = State::kHead;
  interims_ = 0;
  expects_no_body_ = false;
  return Event::kEnd;
}

}  // namespace assay::wire
