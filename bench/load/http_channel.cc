#include "bench/load/http_channel.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "bench/load/judge.h"
#include "reference/transport/client_transport.h"
#include "reference/transport/observer.h"
#include "reference/transport/tcp_connect.h"
#include "reference/wire/http_text.h"

namespace assay::bench {
namespace {

constexpr unsigned kMostFailures = 20;  // to connect, before the connection is given up
constexpr std::chrono::milliseconds kConnectPatience{5000};
constexpr std::size_t kHttpReadBytes = 128u << 10;
constexpr std::size_t kMostBodyBytes = transport::kMaxMessageBytes;  // of one answer

}  // namespace

std::variant<Address, transport::Failure> look_up(const transport::HttpUrl& url) {
  auto probe = transport::connect_tcp(url, kConnectPatience);
  if (auto* failure = std::get_if<transport::Failure>(&probe)) {
    failure->detail = "cannot connect to " + failure->detail;
    return *std::move(failure);
  }
  Address address;
  address.size = sizeof address.storage;
  ::getpeername(std::get<transport::UniqueFd>(probe).get(),
                reinterpret_cast<sockaddr*>(&address.storage), &address.size);
  return address;
}

HttpChannel::HttpChannel(Setting setting, Poller& poller, std::uint32_t number, ChannelOwner& owner)
    : setting_(std::move(setting)),
      poller_(poller),
      number_(number),
      owner_(owner),
      input_(kHttpReadBytes),
      parser_(wire::HttpParser::Role::kResponses),
      events_([this](const wire::SseEvent& event) {
        const bool is_message = event.event.empty() || event.event == "message";
        if (is_message && event.has_data && !event.data.empty()) take_message(event.data);
      }) {}

void HttpChannel::start() {
  connect();
  if (state() == State::kDead) return;
  if (!setting_.is_plain && setting_.http.revision.has_handshake()) {
    begin_session();
    return;
  }
  for (std::size_t i = 0; i < setting_.sessions; ++i) add_session("");
  step_ = Step::kRequests;
  watch_for_writing(true);  // then it is connected
}

void HttpChannel::connect() {
  ++connections_;
  is_busy_ = false;
  parser_.reset();
  is_in_answer_ = false;
  events_.finish();  // what a stream that broke off left behind
  output_.clear();
  written_ = 0;
  waits_to_write_ = false;
  const auto* address = reinterpret_cast<const sockaddr*>(&setting_.address.storage);
  socket_.reset(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_.is_open()) {
    die_without_socket("no socket");
    return;
  }
  const int yes = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(socket_.get(), address, setting_.address.size) != 0 && errno != EINPROGRESS) {
    die_without_socket("cannot connect");
    return;
  }
  poller_.watch(socket_.get(), EPOLLIN, {number_, 0});
}

// Ends the connection and whatever was under way on it, and opens another.
void HttpChannel::disconnect(std::string_view trouble) {
  const bool is_starting = state() == State::kStarting;
  if (socket_.is_open()) poller_.forget(socket_.get());
  socket_.reset();
  if (const auto lost = pending_.take_oldest()) owner_.answered(*lost, at_, trouble);
  if (is_starting || ++failures_ > kMostFailures) {
    die(std::string(trouble));
    return;
  }
  connect();
}

void HttpChannel::watch_for_writing(bool is_wanted) {
  if (waits_to_write_ == is_wanted) return;
  waits_to_write_ = is_wanted;
  poller_.change(socket_.get(), is_wanted ? EPOLLIN | EPOLLOUT : EPOLLIN, {number_, 0});
}

void HttpChannel::on_event(const Poller::Event& event) {
  if (!socket_.is_open()) return;
  const bool is_failed = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  if ((event.events & EPOLLOUT) != 0 && !is_failed) {
    if (state() == State::kStarting && step_ == Step::kRequests) become_ready();
    flush();
  }
  if (socket_.is_open() && (event.events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read();
}

void HttpChannel::tick(std::uint64_t oldest) {
  if (!is_busy_ || busy_since_ >= oldest) return;
  at_ = now_ns();
  if (pending_.count() > 0) {
    disconnect("no answer in time");
  } else {
    owner_.disturbed("an event stream that did not end after its answer");
    disconnect("an event stream that did not end after its answer");
  }
}

void HttpChannel::send(const PendingRequest& request) {
  std::vector<RequestText>& texts = texts_[turn_];
  if (++turn_ == texts_.size()) turn_ = 0;
  current_ = pending_.add(request);
  is_busy_ = true;
  busy_since_ = request.sent;
  output_ += texts[request.entry].with_id(current_);
}

void HttpChannel::flush() {
  while (written_ < output_.size() && socket_.is_open()) {
    const ssize_t count =
        ::send(socket_.get(), output_.data() + written_, output_.size() - written_, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == ENOTCONN)) {
      watch_for_writing(true);
      return;
    }
    if (count < 0) {
      at_ = now_ns();
      disconnect(fmt::format("the connection broke: {}", std::strerror(errno)));
      return;
    }
    owner_.transferred(static_cast<std::size_t>(count), 0);
    written_ += static_cast<std::size_t>(count);
  }
  output_.clear();
  written_ = 0;
  watch_for_writing(false);
}

void HttpChannel::write(std::string_view bytes) {
  output_ += bytes;
  flush();
}

void HttpChannel::read() {
  const ssize_t count = ::recv(socket_.get(), input_.data(), input_.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  at_ = now_ns();
  if (count < 0) {
    disconnect(fmt::format("the connection broke: {}", std::strerror(errno)));
    return;
  }
  const std::uint64_t connection = connections_;
  const auto is_same = [&] { return socket_.is_open() && connection == connections_; };
  if (count > 0) {
    owner_.transferred(0, static_cast<std::size_t>(count));
    std::string_view bytes(input_.data(), static_cast<std::size_t>(count));
    while (is_same() && take_event(parser_.next(bytes))) {
    }
    return;
  }
  take_event(parser_.finish());
  if (is_same()) disconnect("the connection was closed without an answer");
}

// False when there is nothing without further bytes.
bool HttpChannel::take_event(wire::HttpParser::Event event) {
  using Event = wire::HttpParser::Event;
  switch (event) {
    case Event::kMore:
      return false;
    case Event::kInterim:
      break;
    case Event::kHead:
      is_in_answer_ = true;
      begin_answer();
      break;
    case Event::kBody:
      take_body(parser_.body());
      break;
    case Event::kEnd:
      is_in_answer_ = false;
      end_answer();
      break;
    case Event::kBroken:
      disconnect(is_in_answer_ ? "the answer broke off"
                               : "what answers does not speak HTTP, or hung up");
      return false;
  }
  return true;
}

void HttpChannel::begin_answer() {
  failures_ = 0;
  body_.clear();
  trouble_.clear();
  const int status = parser_.status();
  const bool is_good = status >= 200 && status < 300;
  if (!is_good) trouble_ = fmt::format("HTTP status {}", status);
  is_event_stream_ = false;
  if (step_ == Step::kInitializing && is_good) session_.clear();
  for (const wire::HttpField& field : parser_.fields()) {
    if (wire::equals_without_case(field.name, "content-type")) {
      is_event_stream_ = wire::equals_without_case(
          wire::trim_blanks(field.value.substr(0, field.value.find(';'))), "text/event-stream");
    } else if (step_ == Step::kInitializing && is_good &&
               wire::equals_without_case(field.name, "mcp-session-id")) {
      // It is sent back: what could end a line of our head stays out.
      if (transport::is_field_value(field.value)) session_ = field.value;
    }
  }
}

void HttpChannel::take_body(std::string_view piece) {
  if (setting_.is_plain) return;
  if (is_event_stream_) {
    events_.feed(piece);
  } else if (body_.size() + piece.size() <= kMostBodyBytes) {
    body_ += piece;
  } else {
    disconnect("an answer of more than 64 MiB");
  }
}

// A JSON body, or the data of one event.
void HttpChannel::take_message(std::string_view message) {
  if (step_ == Step::kInitializing) {
    const Judged judged = judge(message);
    if (judged.kind == Judged::Kind::kAnswer && opened_ == 0) take_initialize_answer(message);
    return;
  }
  if (step_ != Step::kRequests) return;
  const Judged judged = judge(message);
  if (judged.kind == Judged::Kind::kBad) owner_.disturbed(judged.trouble);
  if (judged.kind != Judged::Kind::kAnswer) return;
  if (judged.id != current_) {
    owner_.disturbed("an answer to another request");
    return;
  }
  give(trouble_.empty() ? judged.trouble : std::string_view(trouble_));
}

void HttpChannel::give(std::string_view trouble) {
  if (const auto request = pending_.take(current_)) owner_.answered(*request, at_, trouble);
}

void HttpChannel::end_answer() {
  is_busy_ = false;
  const bool keeps_open = parser_.keeps_open();
  if (is_event_stream_) {
    events_.finish();
  } else if (!body_.empty() && step_ != Step::kConfirming) {
    take_message(body_);
  }
  if (step_ == Step::kRequests) {
    const std::string_view none = setting_.is_plain ? "" : "the answer holds no response";
    give(trouble_.empty() ? none : std::string_view(trouble_));
  }
  if (!keeps_open && socket_.is_open()) {
    poller_.forget(socket_.get());
    connect();
  }
  if (step_ != Step::kRequests && state() != State::kDead) end_handshake_step();
}

void HttpChannel::end_handshake_step() {
  if (!trouble_.empty()) {
    die(fmt::format("the server did not accept {}: {}",
                    step_ == Step::kInitializing ? "initialize" : "notifications/initialized",
                    trouble_));
    return;
  }
  if (step_ == Step::kInitializing) {
    if (revision().empty()) {
      die("the server's answer to initialize holds no result");
      return;
    }
    add_session(session_);
    step_ = Step::kConfirming;
    const MixEntry notification{"notifications/initialized"};
    write(post_head(setting_.http, session_, &notification, kInitialized.size()) +
          std::string(kInitialized));
    return;
  }
  if (++opened_ < setting_.sessions) {
    begin_session();
    return;
  }
  step_ = Step::kRequests;
  become_ready();
}

void HttpChannel::begin_session() {
  step_ = Step::kInitializing;
  const std::string body = initialize_text(setting_.http.revision);
  write(post_head(setting_.http, "", nullptr, body.size()) + body);
}

void HttpChannel::add_session(const std::string& id) {
  std::vector<RequestText>& texts = texts_.emplace_back();
  for (const MixEntry& entry : *setting_.mix) {
    RequestText text(entry, setting_.http.revision);
    text.wrap(post_head(setting_.http, id, &entry, text.size()), "");
    texts.push_back(std::move(text));
  }
}

}  // namespace assay::bench
