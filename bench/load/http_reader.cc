#include "bench/load/http_reader.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace assay::bench {
namespace {

constexpr std::size_t kBufferBytes = 128u << 10;  // room for a head and a good read behind it

bool equals(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && ::strncasecmp(text.data(), lower.data(), text.size()) == 0;
}

bool contains(std::string_view text, std::string_view lower) {
  for (std::size_t at = 0; at + lower.size() <= text.size(); ++at) {
    if (equals(text.substr(at, lower.size()), lower)) return true;
  }
  return false;
}

bool read_number(std::string_view text, int base, std::size_t& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  const std::string_view rest(read.ptr,
                              static_cast<std::size_t>(text.data() + text.size() - read.ptr));
  return read.ec == std::errc() && (rest.empty() || rest.front() == ';' || rest.front() == ' ');
}

}  // namespace

HttpReader::HttpReader() : buffer_(kBufferBytes) {}

std::span<char> HttpReader::space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
  } else if (buffer_.size() - end_ < buffer_.size() / 4) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  return {buffer_.data() + end_, buffer_.size() - end_};
}

void HttpReader::reset() {
  begin_ = end_ = 0;
  is_closed_ = false;
  state_ = State::kHead;
}

HttpReader::Item HttpReader::next() {
  while (true) {
    switch (state_) {
      case State::kHead: {
        const Item item = read_head();
        const bool is_interim = item == Item::kHead && status_ >= 100 && status_ < 200;
        if (!is_interim) return item;
        state_ = State::kHead;
        break;
      }
      case State::kLength:
      case State::kChunk:
      case State::kUntilClose:
        return read_piece();
      case State::kChunkSize:
      case State::kChunkEnd:
      case State::kTrailer: {
        const Item item = read_line();
        if (item != Item::kEnd) return item;
        break;
      }
      case State::kEnd:
        state_ = State::kHead;
        return Item::kEnd;
    }
  }
}

// kEnd once a line has been read, and state_ says what it led to.
HttpReader::Item HttpReader::read_line() {
  const std::string_view text = available();
  const std::size_t newline = text.find('\n');
  if (newline == std::string_view::npos) {
    return is_closed_ || text.size() > kMostHeadBytes ? Item::kBroken : Item::kMore;
  }
  begin_ += newline + 1;
  std::string_view line = text.substr(0, newline);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return take_line(line) ? Item::kEnd : Item::kBroken;
}

HttpReader::Item HttpReader::read_head() {
  const std::string_view text = available();
  const std::size_t length = text.find("\r\n\r\n");
  if (text.empty()) return Item::kMore;  // closed or not: nothing broke off
  if (length == std::string_view::npos) {
    return is_closed_ || text.size() > kMostHeadBytes ? Item::kBroken : Item::kMore;
  }
  begin_ += length + 4;
  std::string_view head = text.substr(0, length);
  is_event_stream_ = is_chunked_ = has_length_ = is_bad_ = false;
  session_.clear();
  left_ = 0;
  for (bool is_first = true; !head.empty(); is_first = false) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    if (!is_first) {
      take_field(head.substr(0, end));
    } else if (!take_status(head.substr(0, end))) {
      return Item::kBroken;
    }
    head.remove_prefix(std::min(end + 2, head.size()));
  }
  if (is_bad_) return Item::kBroken;
  choose_body();
  return Item::kHead;
}

bool HttpReader::take_status(std::string_view line) {
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return false;
  keeps_open_ = line[7] != '0';
  const auto read = std::from_chars(line.data() + 9, line.data() + 12, status_);
  return read.ec == std::errc() && read.ptr == line.data() + 12;
}

void HttpReader::take_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  const std::string_view name = line.substr(0, colon);
  std::string_view value = line.substr(colon + 1);
  while (!value.empty() && (value.front() == ' ' || value.front() == '\t')) value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  // The length of a name tells most of the fields apart that do not matter.
  switch (name.size()) {
    case 10:
      if (equals(name, "connection")) keeps_open_ = keeps_open_ && !contains(value, "close");
      break;
    case 12:
      if (equals(name, "content-type")) is_event_stream_ = contains(value, "text/event-stream");
      break;
    case 14:
      if (equals(name, "content-length")) {
        has_length_ = true;
        is_bad_ = is_bad_ || !read_number(value, 10, left_);
      } else if (equals(name, "mcp-session-id")) {
        session_ = value;
      }
      break;
    case 17:
      if (equals(name, "transfer-encoding")) is_chunked_ = contains(value, "chunked");
      break;
    default:
      break;
  }
}

void HttpReader::choose_body() {
  if (status_ == 204 || status_ == 304) {
    state_ = State::kEnd;
  } else if (is_chunked_) {
    state_ = State::kChunkSize;
  } else if (has_length_) {
    state_ = left_ > 0 ? State::kLength : State::kEnd;
  } else {
    keeps_open_ = false;
    state_ = State::kUntilClose;
  }
}

HttpReader::Item HttpReader::read_piece() {
  const std::string_view text = available();
  if (text.empty()) {
    if (!is_closed_) return Item::kMore;
    if (state_ != State::kUntilClose) return Item::kBroken;
    state_ = State::kHead;
    return Item::kEnd;
  }
  body_ = state_ == State::kUntilClose ? text : text.substr(0, left_);
  begin_ += body_.size();
  if (state_ != State::kUntilClose) left_ -= body_.size();
  if (left_ == 0 && state_ == State::kLength) state_ = State::kEnd;
  if (left_ == 0 && state_ == State::kChunk) state_ = State::kChunkEnd;
  return Item::kBody;
}

bool HttpReader::take_line(std::string_view line) {
  if (state_ == State::kTrailer) {
    if (line.empty()) state_ = State::kEnd;
    return true;
  }
  if (state_ == State::kChunkEnd) {
    state_ = State::kChunkSize;
    return line.empty();
  }
  if (!read_number(line, 16, left_)) return false;
  state_ = left_ == 0 ? State::kTrailer : State::kChunk;
  return true;
}

}  // namespace assay::bench
