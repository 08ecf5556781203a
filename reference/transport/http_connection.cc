#include "reference/transport/http_connection.h"

#include <fmt/format.h>

#include <utility>

#include "reference/transport/http_head.h"

namespace assay::transport {
namespace {

using wire::HttpFault;
using wire::HttpParser;

// A connection that idled longer is not used again: a server may be closing it at this very moment,
// which could not be told from one that breaks off an exchange.
constexpr std::chrono::milliseconds kMaxIdle{1000};
constexpr std::size_t kReadBytes = 64u << 10;
// Many times what servers send, and so are the interim answers: one for each tenth of a second, for
// as long as an answer is waited for.
constexpr std::size_t kMostFields = 2000;
constexpr unsigned kMostInterims = 1000;

Failure other(std::string_view why) {
  return {Failure::Kind::kOther, std::string(why)};
}

Failure cut_off(bool has_head) {
  return other(has_head ? "the connection broke off in the middle of the answer"
                        : "the connection broke off in the head of the answer");
}

Failure too_large(std::string why) {
  return {Failure::Kind::kTooLarge, std::move(why)};
}

}  // namespace

void complete_headers(HttpMessage& message) {
  if (find_header(message.headers, "Content-Length")) return;
  if (find_header(message.headers, "Transfer-Encoding")) return;
  if (message.body.empty() && message.method != "POST" && message.method != "PUT") return;
  message.headers.emplace_back("Content-Length", std::to_string(message.body.size()));
}

std::optional<std::string> write_head(const HttpMessage& message) {
  std::string head;
  wire::HttpWriter writer(head);
  writer.request_line(message.method, message.target);
  for (const auto& [name, value] : message.headers) writer.field(name, value);
  if (!writer.end_head()) return std::nullopt;
  return head;
}

HttpConnection::HttpConnection(HttpUrl url, ConnectOptions options, std::size_t max_head_bytes)
    : url_(std::move(url)),
      options_(options),
      max_head_bytes_(max_head_bytes),
      parser_(HttpParser::Role::kResponses,
              {.head_bytes = max_head_bytes, .fields = kMostFields, .interims = kMostInterims}),
      input_(kReadBytes) {}

std::optional<Failure> HttpConnection::perform(const HttpMessage& message,
                                               const Handlers& handlers) {
  const bool is_fresh = std::chrono::steady_clock::now() - idle_since_ < kMaxIdle;
  if (!keep_open_ || !is_fresh || !stream_.is_connected() || stream_.has_input()) {
    if (auto failure = stream_.connect(url_, options_)) return failure;
  }
  keep_open_ = false;
  auto failure = exchange(message, handlers);
  if (failure) keep_open_ = false;
  if (!keep_open_) stream_.disconnect();
  idle_since_ = std::chrono::steady_clock::now();
  return failure;
}

std::optional<Failure> HttpConnection::exchange(const HttpMessage& message,
                                                const Handlers& handlers) {
  std::optional<std::string> request = write_head(message);
  if (!request) return other("the request cannot be written in HTTP");
  request->append(message.body);
  // An answer may come before all of the request is sent, and then the rest cannot be: it still
  // counts.
  const bool is_sent = stream_.write(*request);
  request.reset();
  parser_.reset();
  if (message.method == "HEAD") parser_.expect_no_body();
  has_heard_ = has_head_ = is_answered_ = false;
  auto failure = read_answer(handlers);
  if (failure && !is_sent && !has_heard_) {
    return other("the connection broke while the request was sent");
  }
  return failure;
}

std::optional<Failure> HttpConnection::read_answer(const Handlers& handlers) {
  while (true) {
    const ssize_t count = stream_.read(input_.data(), input_.size());
    if (count <= 0) {
      if (count == 0 && parser_.finish() == HttpParser::Event::kEnd) return std::nullopt;
      return no_more_to_read(count);
    }
    has_heard_ = true;
    std::string_view bytes(input_.data(), static_cast<std::size_t>(count));
    auto event = HttpParser::Event::kMore;
    while ((event = parser_.next(bytes)) != HttpParser::Event::kMore) {
      if (auto failure = take(event, handlers)) return failure;
      if (!is_answered_) continue;
      // Bytes beyond the answer mean that we and the server do not agree on where it ends.
      keep_open_ = parser_.keeps_open() && bytes.empty();
      return std::nullopt;
    }
  }
}

std::optional<Failure> HttpConnection::take(HttpParser::Event event, const Handlers& handlers) {
  switch (event) {
    case HttpParser::Event::kMore:
    case HttpParser::Event::kInterim:
      return std::nullopt;
    case HttpParser::Event::kHead: {
      has_head_ = true;
      HttpHead head;
      copy_head(parser_, head);
      if (!handlers.on_head(head)) return other("given up by the reader");
      return std::nullopt;
    }
    case HttpParser::Event::kBody:
      if (!handlers.on_body(parser_.body())) return other("given up by the reader");
      return std::nullopt;
    case HttpParser::Event::kEnd:
      is_answered_ = true;
      return std::nullopt;
    case HttpParser::Event::kBroken:
      return trouble_with_answer();
  }
  return std::nullopt;
}

// Why there is no whole answer where reading came to that: `count` is what the stream said.
Failure HttpConnection::no_more_to_read(ssize_t count) const {
  if (!has_head_ && !parser_.is_in_message() && parser_.fault() == HttpFault::kNone) {
    return other("the connection was closed without an answer");
  }
  if (count == 0) return trouble_with_answer();
  return cut_off(has_head_);
}

Failure HttpConnection::trouble_with_answer() const {
  const HttpFault fault = parser_.fault();
  const std::string_view part = has_head_ ? "trailer" : "head";
  if (fault == HttpFault::kNotHttp || fault == HttpFault::kVersion) {
    return {Failure::Kind::kNotHttp,
            fmt::format("what answers at {} does not speak HTTP", url_.origin())};
  }
  if (fault == HttpFault::kHeadTooLong) {
    return too_large(
        fmt::format("the {} of the answer is longer than {} bytes", part, max_head_bytes_));
  }
  if (fault == HttpFault::kTooManyFields) {
    return too_large(
        fmt::format("the {} of the answer has more than {} fields", part, kMostFields));
  }
  if (fault == HttpFault::kTooManyInterims) {
    return too_large(
        fmt::format("more than {} interim answers (1xx) came before the answer", kMostInterims));
  }
  if (fault == HttpFault::kCutOff) return cut_off(has_head_);
  return other(fmt::format("the answer cannot be read as HTTP: {}", wire::describe(fault)));
}

}  // namespace assay::transport
