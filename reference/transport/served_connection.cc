#include "reference/transport/served_connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "reference/transport/http_head.h"
#include "reference/transport/http_loop.h"
#include "reference/wire/http_text.h"

namespace assay::transport {
namespace {

using std::chrono::milliseconds;
using wire::HttpFault;
using wire::HttpParser;

// What any connection may hold beside the common memory. Most requests are shorter.
constexpr std::size_t kFreeBytes = 2048;
constexpr std::size_t kReadBytes = 16u << 10;
// The least that is taken from the common memory for a body of unknown length; doubled from there.
constexpr std::size_t kFirstPortion = 64u << 10;
// What may be done for one connection while others wait.
constexpr int kMostSteps = 64;
// What a client sends at least, in the long run; and where memory is short.
constexpr std::uint64_t kSlowestBytesPerSecond = 4u << 10;
constexpr std::uint64_t kSlowestWhenShort = 64u << 10;
constexpr milliseconds kPatienceWhenShort{1000};
// How long a request waits for memory.
constexpr milliseconds kMostWaiting{60000};
// How long what a client still sends is dropped: see begin_linger().
constexpr milliseconds kMostLingering{500};

int status_of(HttpFault fault) {
  switch (fault) {
    case HttpFault::kHeadTooLong:
    case HttpFault::kTooManyFields:
      return 431;
    case HttpFault::kBodyTooLong:
      return 413;
    case HttpFault::kUnknownCoding:
      return 501;
    case HttpFault::kVersion:
      return 505;
    default:
      return 400;
  }
}

bool names_one_host(const HttpParser& parser) {
  const auto hosts = std::count_if(
      parser.fields().begin(), parser.fields().end(),
      [](const wire::HttpField& field) { return wire::equals_without_case(field.name, "host"); });
  return hosts == 1 || (hosts == 0 && parser.is_http_1_0());
}

// Of a client that holds its body back.
bool expects_to_be_asked(const HttpHead& request) {
  const auto expectation = find_header(request.headers, "Expect");
  return expectation && wire::equals_without_case(*expectation, "100-continue");
}

HttpParser::Limits limits_of(const HttpListener::Options& options) {
  return {.head_bytes = options.most_head_bytes,
          .body_bytes = std::min(options.most_body_bytes, options.most_memory)};
}

}  // namespace

void ConnectionWaker::wake() {
  if (!is_pending_.exchange(true)) mailbox_->wake(shared_from_this());
}

ServedConnection::ServedConnection(UniqueFd socket, ServingContext& context)
    : context_(context),
      socket_(std::move(socket)),
      parser_(HttpParser::Role::kRequests, limits_of(context.options)),
      since_(context.now) {}

ServedConnection::~ServedConnection() {
  close();
}

void ServedConnection::take_events(std::uint32_t events) {
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) is_readable_ = true;
  if ((events & EPOLLRDHUP) != 0) has_ended_ = true;
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) is_gone_ = true;
}

void ServedConnection::advance() {
  for (int steps = 1; step(); ++steps) {
    if (steps < kMostSteps) continue;
    waker()->wake();
    break;
  }
  account();
}

// Whether something has been done, so that there may be more to do.
bool ServedConnection::step() {
  if (phase_ == Phase::kClosed || !flush()) return false;
  const bool is_left = phase_ == Phase::kReply && has_ended_ && late_->ends_with_client();
  if (is_left || (is_gone_ && (phase_ == Phase::kReply || phase_ == Phase::kStream))) {
    close();
    return false;
  }
  switch (phase_) {
    case Phase::kRequest:
      if (!closes_) return read_request();
      begin_linger();
      return true;
    case Phase::kReply:
      return take_late_reply();
    case Phase::kStream:
      return pull_stream();
    case Phase::kLinger:
      return drop_input();
    case Phase::kClosed:
      return false;
  }
  return false;
}

// --- What arrives ---

// Fills context_.input. 0 at the end, negative when there is nothing now, or the connection broke.
ssize_t ServedConnection::receive() {
  const std::size_t most = held_bytes_ > 0 ? context_.input.size() : kReadBytes;
  ssize_t count = 0;
  do {
    count = ::recv(socket_.get(), context_.input.data(), most, 0);
  } while (count < 0 && errno == EINTR);
  if (count < 0 && errno != EAGAIN) {
    close();
    return count;
  }
  // What comes after a read that was not filled is announced again.
  const bool is_emptied = count < static_cast<ssize_t>(most) && !has_ended_;
  if (count < 0 || (count > 0 && is_emptied)) is_readable_ = false;
  return count;
}

bool ServedConnection::read_request() {
  if (waits_for_memory()) return false;
  if (!input_.empty()) {
    const std::string input = std::exchange(input_, {});
    return parse(input);
  }
  if (!is_readable_ || !has_room_for_body()) return false;
  const ssize_t count = receive();
  if (count < 0) return false;
  if (count > 0) {
    if (!parser_.is_in_message()) {
      since_ = context_.now;
      received_ = 0;
    }
    received_ += static_cast<std::uint64_t>(count);
    return parse(std::string_view(context_.input).substr(0, static_cast<std::size_t>(count)));
  }
  has_ended_ = true;
  if (parser_.finish() == HttpParser::Event::kMore) {
    close();
    return false;
  }
  refuse(400, wire::describe(parser_.fault()));
  return true;
}

// Always true: what has been read may have led to something.
bool ServedConnection::parse(std::string_view bytes) {
  bool needs_more = false;
  while (!needs_more && phase_ == Phase::kRequest && output_.empty() && !waits_for_memory()) {
    switch (parser_.next(bytes)) {
      case HttpParser::Event::kMore:
        needs_more = true;
        break;
      case HttpParser::Event::kInterim:
        break;
      case HttpParser::Event::kHead:
        begin_request(bytes.empty());
        break;
      case HttpParser::Event::kBody:
        take_piece(parser_.body());
        break;
      case HttpParser::Event::kEnd:
        handle_request();
        break;
      case HttpParser::Event::kBroken:
        refuse(status_of(parser_.fault()), wire::describe(parser_.fault()));
        break;
    }
  }
  if (phase_ != Phase::kClosed && !closes_) input_ = bytes;
  return true;
}

void ServedConnection::begin_request(bool is_all_read) {
  if (context_.spare_requests.empty()) {
    request_ = std::make_unique<ArrivingRequest>();
  } else {
    request_ = std::move(context_.spare_requests.back());
    context_.spare_requests.pop_back();
  }
  if (!names_one_host(parser_)) {
    refuse(400, "Host must be named once");
    return;
  }
  copy_head(parser_, request_->head);
  is_http_1_0_ = parser_.is_http_1_0();
  if (!parser_.has_body()) return;
  if (is_all_read && !is_http_1_0_ && expects_to_be_asked(request_->head)) {
    wire::HttpWriter writer(output());
    writer.status_line(100);
    [[maybe_unused]] const bool is_written = writer.end_head();
  }
  if (const auto length = parser_.content_length()) {
    if (hold(static_cast<std::size_t>(*length))) return;
    want(static_cast<std::size_t>(*length));
  }
}

void ServedConnection::take_piece(std::string_view piece) {
  std::string& body = request_->body;
  if (body.empty() && parser_.content_length() == piece.size()) {
    whole_body_ = piece;
    return;
  }
  if (body.capacity() < held_bytes_) body.reserve(held_bytes_);
  body.append(piece);
}

// --- Memory ---

// Takes from the common memory what the request needs, if it is there.
bool ServedConnection::hold(std::size_t bytes) {
  if (bytes <= std::max(held_bytes_, kFreeBytes)) return true;
  if (!context_.memory.take(bytes - held_bytes_)) return false;
  held_bytes_ = bytes;
  return true;
}

void ServedConnection::want(std::size_t bytes) {
  if (!waits_for_memory()) context_.memory.begin_waiting();
  wanted_bytes_ = bytes;
  since_ = context_.now;
  received_ = 0;
}

bool ServedConnection::take_wanted_memory() {
  if (!hold(wanted_bytes_)) return false;
  stop_wanting();
  since_ = context_.now;
  return true;
}

void ServedConnection::stop_wanting() {
  if (!waits_for_memory()) return;
  wanted_bytes_ = 0;
  context_.memory.end_waiting();
}

// Of a body that does not tell its length: whether what is read next has a place.
bool ServedConnection::has_room_for_body() {
  if (!request_ || parser_.content_length()) return true;
  const std::size_t most = std::min(context_.options.most_body_bytes, context_.options.most_memory);
  if (held_bytes_ >= most || request_->body.size() + kReadBytes <= held_bytes_) return true;
  const std::size_t portion = std::min(std::max(kFirstPortion, 2 * held_bytes_), most);
  if (hold(portion)) return true;
  want(portion);
  return false;
}

// Brings the common memory up to date with what is held though nobody could ask before.
void ServedConnection::account() {
  if (phase_ == Phase::kClosed) return;
  std::size_t bytes = output_.size() - sent_ + input_.size() + parser_.held();
  if (request_ && held_bytes_ == 0) bytes += request_->body.size();
  if (bytes <= kFreeBytes) bytes = 0;
  if (bytes > accounted_bytes_) {
    context_.memory.take_anyway(bytes - accounted_bytes_);
    accounted_bytes_ = bytes;
    const bool is_request = phase_ == Phase::kRequest && output_.empty();
    if (is_request && context_.memory.is_overfull()) {
      refuse(503, "too many requests are under way");
      advance();
    }
    return;
  }
  context_.memory.give_back(accounted_bytes_ - bytes);
  accounted_bytes_ = bytes;
}

void ServedConnection::let_go_of_request() {
  stop_wanting();
  context_.memory.give_back(std::exchange(held_bytes_, 0));
  whole_body_ = {};
  if (!request_) return;
  request_->body.clear();
  if (context_.spare_requests.size() < ServingContext::kKeptRequests &&
      request_->body.capacity() <= ServingContext::kKeptBytes) {
    context_.spare_requests.push_back(std::move(request_));
  }
  request_.reset();
}

// --- What the loop asks ---

ServedConnection::Standing ServedConnection::standing() const {
  if (phase_ == Phase::kClosed) return Standing::kClosed;
  if (phase_ != Phase::kRequest || closes_) return Standing::kServing;
  if (request_ || parser_.is_in_message() || !input_.empty()) return Standing::kReading;
  return output_.empty() ? Standing::kIdle : Standing::kServing;
}

bool ServedConnection::is_slow() const {
  const auto elapsed = context_.now - since_;
  if (phase_ == Phase::kLinger) return elapsed > kMostLingering;
  if (!output_.empty()) return elapsed > context_.options.write_timeout;
  if (phase_ != Phase::kRequest) return false;
  if (waits_for_memory()) return elapsed > kMostWaiting;
  if (standing() == Standing::kIdle) return elapsed > context_.options.idle_timeout;
  return elapsed >
         context_.options.read_timeout + milliseconds(received_ * 1000 / kSlowestBytesPerSecond);
}

bool ServedConnection::is_in_the_way() const {
  const auto elapsed = context_.now - since_;
  if (!output_.empty()) return accounted_bytes_ > 0 && elapsed > kPatienceWhenShort;
  if (held_bytes_ == 0 || phase_ != Phase::kRequest) return false;
  // Of several that wait for one another, one has to give way.
  if (waits_for_memory()) return elapsed > 2 * kPatienceWhenShort;
  return elapsed > kPatienceWhenShort + milliseconds(received_ * 1000 / kSlowestWhenShort);
}

void ServedConnection::end_slow() {
  if (standing() != Standing::kReading || !output_.empty()) {
    close();
    return;
  }
  if (waits_for_memory()) {
    refuse(503, "there is no memory for the request");
  } else {
    refuse(408, "the request came too slowly");
  }
  advance();
}

void ServedConnection::close() {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  let_go_of_request();
  output_ = std::string();
  input_ = std::string();
  sent_ = 0;
  context_.memory.give_back(std::exchange(accounted_bytes_, 0));
  if (waker_) waker_->let_go();
  late_.reset();
  stream_.reset();
  // A process that is just being started may hold the socket open, and it would go on to be
  // watched for a connection that is no more.
  ::epoll_ctl(context_.epoll, EPOLL_CTL_DEL, socket_.get(), nullptr);
  socket_.reset();
}

const std::shared_ptr<ConnectionWaker>& ServedConnection::waker() {
  if (!waker_) waker_ = std::make_shared<ConnectionWaker>(context_.mailbox, this);
  return waker_;
}

}  // namespace assay::transport
