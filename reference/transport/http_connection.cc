#include "reference/transport/http_connection.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace assay::transport {
namespace {

// A connection that idled longer is not used again: a server may be closing it at this very moment,
// which could not be told from one that breaks off an exchange.
constexpr std::chrono::milliseconds kMaxIdle{1000};
constexpr std::size_t kReadBytes = 64u << 10;
// A chunk's size in hexadecimal, and extensions that nobody uses.
constexpr std::size_t kMaxChunkLineBytes = 4096;

Failure other(std::string_view why) {
  return {Failure::Kind::kOther, std::string(why)};
}

Failure cut_off() {
  return other("the connection broke off in the middle of the answer");
}

Failure too_large(std::string why) {
  return {Failure::Kind::kTooLarge, std::move(why)};
}

Failure refused() {
  return other("given up by the reader");
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool contains_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string_view item = trim(list.substr(0, comma));
    if (item.size() == token.size() && ::strncasecmp(item.data(), token.data(), item.size()) == 0) {
      return true;
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// "HTTP/1.1 200 OK": the status, or nothing if it is no such line.
std::optional<int> parse_status(std::string_view line) {
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return std::nullopt;
  int status = 0;
  const auto parsed = std::from_chars(line.data() + 9, line.data() + 12, status);
  if (parsed.ec != std::errc() || parsed.ptr != line.data() + 12 || status < 100) {
    return std::nullopt;
  }
  if (line.size() > 12 && line[12] != ' ') return std::nullopt;
  return status;
}

std::string serialize(const HttpMessage& message) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\n", message.method, message.target);
  for (const auto& [name, value] : message.headers) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  text.append("\r\n").append(message.body);
  return text;
}

}  // namespace

void complete_headers(HttpMessage& message) {
  if (find_header(message.headers, "Content-Length")) return;
  if (find_header(message.headers, "Transfer-Encoding")) return;
  if (message.body.empty() && message.method != "POST" && message.method != "PUT") return;
  message.headers.emplace_back("Content-Length", std::to_string(message.body.size()));
}

HttpConnection::HttpConnection(HttpUrl url, ConnectOptions options, std::size_t max_head_bytes)
    : url_(std::move(url)), options_(options), max_head_bytes_(max_head_bytes) {}

std::optional<Failure> HttpConnection::perform(const HttpMessage& message,
                                               const Handlers& handlers) {
  const bool is_fresh = std::chrono::steady_clock::now() - idle_since_ < kMaxIdle;
  if (!keep_open_ || !is_fresh || !stream_.is_connected() || stream_.has_input()) {
    if (auto failure = stream_.connect(url_, options_)) return failure;
  }
  buffer_.clear();
  consumed_ = 0;
  head_bytes_ = 0;
  keep_open_ = false;
  auto failure = exchange(message, handlers);
  // Bytes beyond the answer mean that we and the server do not agree on where it ends.
  if (failure || consumed_ < buffer_.size()) keep_open_ = false;
  if (!keep_open_) stream_.disconnect();
  idle_since_ = std::chrono::steady_clock::now();
  return failure;
}

std::optional<Failure> HttpConnection::exchange(const HttpMessage& message,
                                                const Handlers& handlers) {
  // An answer may come before all of the request is sent, and then the rest cannot be: it still
  // counts.
  const bool is_sent = stream_.write(serialize(message));
  HttpHead head;
  do {
    if (auto failure = read_head(head)) {
      if (!is_sent) return other("the connection broke while the request was sent");
      return failure;
    }
  } while (head.status < 200 && head.status != 101);
  if (!handlers.on_head(head)) return refused();
  return read_body(message, head, handlers);
}

bool HttpConnection::fill() {
  if (consumed_ == buffer_.size()) {
    buffer_.clear();
    consumed_ = 0;
  }
  const std::size_t old_size = buffer_.size();
  buffer_.resize(old_size + kReadBytes);
  const ssize_t count = stream_.read(buffer_.data() + old_size, kReadBytes);
  buffer_.resize(old_size + (count > 0 ? static_cast<std::size_t>(count) : 0));
  return count > 0;
}

// A line without its end (CRLF, or LF alone); nothing if it is longer than `limit` or never ends.
// Valid until the next read.
std::optional<std::string_view> HttpConnection::read_line(std::size_t limit) {
  std::size_t searched = 0;
  while (true) {
    const auto newline = buffer_.find('\n', consumed_ + searched);
    if (newline != std::string::npos) {
      std::string_view line = std::string_view(buffer_).substr(consumed_, newline - consumed_);
      consumed_ = newline + 1;
      if (line.size() > limit) return std::nullopt;
      if (line.ends_with('\r')) line.remove_suffix(1);
      return line;
    }
    searched = buffer_.size() - consumed_;
    if (searched > limit || !fill()) return std::nullopt;
  }
}

std::optional<Failure> HttpConnection::read_head(HttpHead& head) {
  const auto line = read_line(max_head_bytes_);
  if (!line) {
    if (buffer_.empty()) return other("the connection was closed without an answer");
    if (std::string_view(buffer_).starts_with("HTTP/1.")) {
      return buffer_.size() > max_head_bytes_
                 ? too_large(fmt::format("the status line is longer than {} bytes", max_head_bytes_))
                 : other("the status line never ends");
    }
  }
  const auto status = line ? parse_status(*line) : std::nullopt;
  if (!status) {
    return Failure{Failure::Kind::kNotHttp,
                   fmt::format("what answers at {} does not speak HTTP", url_.origin())};
  }
  keep_open_ = line->starts_with("HTTP/1.1");
  head = HttpHead{};
  head.status = *status;
  head_bytes_ += line->size();
  return read_fields(head.headers);
}

std::optional<Failure> HttpConnection::read_fields(Headers& headers) {
  while (true) {
    const auto line = read_line(max_head_bytes_);
    const std::size_t read = line ? line->size() + 1 : buffer_.size() - consumed_;
    if ((head_bytes_ += read) > max_head_bytes_) {
      return too_large(
          fmt::format("the head of the answer is longer than {} bytes", max_head_bytes_));
    }
    if (!line) return other("the head of the answer breaks off");
    if (line->empty()) return std::nullopt;
    const auto colon = std::min(line->find(':'), line->size());
    if (line->front() == ' ' || line->front() == '\t') {
      if (!headers.empty()) headers.back().second.append(" ").append(trim(*line));
      continue;
    }
    headers.emplace_back(line->substr(0, colon),
                         trim(line->substr(std::min(colon + 1, line->size()))));
  }
}

std::optional<Failure> HttpConnection::read_body(const HttpMessage& message, const HttpHead& head,
                                                 const Handlers& handlers) {
  if (const auto connection = find_header(head.headers, "Connection")) {
    if (contains_token(*connection, "close")) keep_open_ = false;
  }
  if (message.method == "HEAD" || head.status < 200 || head.status == 204 || head.status == 304) {
    return std::nullopt;
  }
  if (const auto encoding = find_header(head.headers, "Transfer-Encoding")) {
    if (contains_token(*encoding, "chunked")) return read_chunks(handlers);
  }
  if (const auto text = find_header(head.headers, "Content-Length")) {
    std::size_t length = 0;
    const auto parsed = std::from_chars(text->data(), text->data() + text->size(), length);
    if (parsed.ec != std::errc() || parsed.ptr != text->data() + text->size()) {
      return other("the Content-Length of the answer is no number");
    }
    return read_length(length, handlers);
  }
  keep_open_ = false;
  return read_until_close(handlers);
}

std::optional<Failure> HttpConnection::read_length(std::size_t length, const Handlers& handlers) {
  while (length > 0) {
    if (consumed_ == buffer_.size() && !fill()) return cut_off();
    const std::size_t count = std::min(length, buffer_.size() - consumed_);
    if (!handlers.on_body(std::string_view(buffer_).substr(consumed_, count))) return refused();
    consumed_ += count;
    length -= count;
  }
  return std::nullopt;
}

std::optional<Failure> HttpConnection::read_chunks(const Handlers& handlers) {
  while (true) {
    const auto line = read_line(kMaxChunkLineBytes);
    if (!line) return cut_off();
    std::size_t length = 0;
    const auto parsed = std::from_chars(line->data(), line->data() + line->size(), length, 16);
    const char* const end = line->data() + line->size();
    const bool is_size =
        parsed.ec == std::errc() && (parsed.ptr == end || *parsed.ptr == ';' || *parsed.ptr == ' ');
    if (!is_size) return other("a chunk of the answer has no size");
    if (length == 0) break;
    if (auto failure = read_length(length, handlers)) return failure;
    const auto rest = read_line(kMaxChunkLineBytes);
    if (!rest) return cut_off();
    if (!rest->empty()) return other("a chunk of the answer is longer than its size");
  }
  Headers trailer;
  return read_fields(trailer);
}

std::optional<Failure> HttpConnection::read_until_close(const Handlers& handlers) {
  while (true) {
    const std::string_view bytes = std::string_view(buffer_).substr(consumed_);
    if (!bytes.empty() && !handlers.on_body(bytes)) return refused();
    consumed_ = buffer_.size();
    buffer_.clear();
    consumed_ = 0;
    buffer_.resize(kReadBytes);
    const ssize_t count = stream_.read(buffer_.data(), kReadBytes);
    buffer_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    if (count == 0) return std::nullopt;
    if (count < 0) return cut_off();
  }
}

}  // namespace assay::transport
