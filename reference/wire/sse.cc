#include "reference/wire/sse.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace assay::wire {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// All digits, or nothing. A number beyond 64 bits becomes the largest one.
std::optional<std::uint64_t> milliseconds(std::string_view digits) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    value = value > (kMax - digit) / 10 ? kMax : value * 10 + digit;
  }
  return value;
}

// Where `c` stands next in a chunk; looks again only when the last answer has been passed, so that
// a chunk of many short lines is still read once.
class NextByte {
 public:
  NextByte(std::string_view chunk, char c) : chunk_(chunk), c_(c) {}

  std::size_t from(std::size_t at) {
    if (at > at_ || !is_known_) {
      const void* const found =
          at < chunk_.size() ? std::memchr(chunk_.data() + at, c_, chunk_.size() - at) : nullptr;
      at_ = found == nullptr
                ? chunk_.size()
                : static_cast<std::size_t>(static_cast<const char*>(found) - chunk_.data());
      is_known_ = true;
    }
    return at_;
  }

 private:
  std::string_view chunk_;
  char c_;
  std::size_t at_ = 0;
  bool is_known_ = false;
};

}  // namespace

SseParser::SseParser(Handler handler, std::size_t limit)
    : handler_(std::move(handler)), limit_(limit) {}

void SseParser::feed(std::string_view bytes) {
  bytes = skip_byte_order_mark(bytes);
  NextByte line_feed(bytes, '\n');
  NextByte carriage_return(bytes, '\r');
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (std::exchange(last_was_cr_, false) && bytes[at] == '\n') {
      if (line_was_kept_) append_raw(bytes.substr(at, 1));
      line_start_ = event_.raw.size();
      ++at;
      continue;
    }
    const std::size_t end = std::min(line_feed.from(at), carriage_return.from(at));
    take(bytes.substr(at, end - at));
    if (end == bytes.size()) return;
    end_line(bytes.substr(end, 1));
    last_was_cr_ = bytes[end] == '\r';
    at = end + 1;
  }
}

bool SseParser::finish() {
  const bool is_in_byte_order_mark = leading_bytes_ > 0 && leading_bytes_ < kByteOrderMark.size();
  const bool has_open_event = has_fields_ || line_length_ > 0 || is_in_byte_order_mark;
  reset_event();
  line_length_ = 0;
  is_comment_ = false;
  last_was_cr_ = false;
  leading_bytes_ = 0;
  return has_open_event;
}

// Only the very first bytes of a stream can be a BOM; they may come one by one.
std::string_view SseParser::skip_byte_order_mark(std::string_view bytes) {
  while (leading_bytes_ < kByteOrderMark.size() && !bytes.empty()) {
    if (bytes.front() != kByteOrderMark[leading_bytes_]) {
      take(kByteOrderMark.substr(0, leading_bytes_));
      leading_bytes_ = kByteOrderMark.size();
      break;
    }
    ++leading_bytes_;
    bytes.remove_prefix(1);
  }
  return bytes;
}

// Part of a line.
void SseParser::take(std::string_view bytes) {
  if (bytes.empty()) return;
  if (line_length_ == 0) is_comment_ = bytes.front() == ':';
  line_length_ += bytes.size();
  if (!is_comment_) append_raw(bytes);
}

void SseParser::append_raw(std::string_view bytes) {
  const std::size_t room = limit_ - std::min(limit_, event_.raw.size());
  if (bytes.size() > room) event_.is_truncated = true;
  event_.raw.append(bytes.substr(0, room));
}

void SseParser::end_line(std::string_view terminator) {
  const std::size_t length = std::exchange(line_length_, 0);
  line_was_kept_ = length > 0 && !is_comment_;
  if (length == 0) return dispatch();
  if (std::exchange(is_comment_, false)) {
    ++comment_count_;
    return;
  }
  const std::size_t kept = event_.raw.size() - line_start_;
  const std::string_view line = std::string_view(event_.raw).substr(line_start_);
  take_field(line, kept == length);
  append_raw(terminator);
  line_start_ = event_.raw.size();
}

// `line` may be cut short: then only data is of use.
void SseParser::take_field(std::string_view line, bool is_whole) {
  const std::size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (value.starts_with(' ')) value.remove_prefix(1);
  if (name == "data" && (is_whole || colon < line.size())) {
    if (event_.has_data) event_.data += '\n';
    event_.data += value;
    event_.has_data = true;
  } else if (!is_whole) {
    return;
  } else if (name == "event") {
    event_.event = value;
  } else if (name == "id") {
    if (value.find('\0') != std::string_view::npos) return;
    event_.id = value;
  } else if (name == "retry") {
    const auto retry = milliseconds(value);
    if (!retry) return;
    event_.retry = retry;
  } else {
    return;
  }
  has_fields_ = true;
}

// A blank line: the event is complete.
void SseParser::dispatch() {
  if (event_.id) last_event_id_ = event_.id;
  if (has_fields_ || event_.is_truncated) {
    SseEvent event = std::exchange(event_, {});
    reset_event();
    handler_(std::move(event));
  } else {
    reset_event();
  }
}

void SseParser::reset_event() {
  event_ = {};
  has_fields_ = false;
  line_start_ = 0;
}

std::string SseWriter::event(const SseEvent& event) {
  std::string out;
  out.reserve(event.data.size() + 64);
  constexpr std::string_view kEndsOfLines = "\r\n";
  constexpr std::string_view kNotInId("\r\n\0", 3);
  const auto field = [&out](std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).push_back('\n');
  };
  if (event.id && event.id->find_first_of(kNotInId) == std::string::npos) field("id", *event.id);
  if (!event.event.empty() && event.event.find_first_of(kEndsOfLines) == std::string::npos) {
    field("event", event.event);
  }
  if (event.retry) field("retry", std::to_string(*event.retry));
  if (event.has_data || !event.data.empty()) {
    const std::string_view data = event.data;
    NextByte line_feed(data, '\n');
    NextByte carriage_return(data, '\r');
    for (std::size_t at = 0;;) {
      const std::size_t end = std::min(line_feed.from(at), carriage_return.from(at));
      field("data", data.substr(at, end - at));
      if (end == data.size()) break;
      at = end + (data.substr(end, 2) == "\r\n" ? 2 : 1);
    }
  }
  out.push_back('\n');
  return out;
}

std::string SseWriter::comment(std::string_view text) {
  std::string out = ": ";
  out.append(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return out.append("\n\n");
}

}  // namespace assay::wire
