#include "bench/load/http_channel.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "bench/load/judge.h"

namespace assay::bench {
namespace {

constexpr unsigned kMostFailures = 20;             // to connect, before the connection is given up
constexpr std::size_t kMostBodyBytes = 64u << 20;  // of one answer: wire::Limits::max_bytes

}  // namespace

std::variant<Address, transport::Failure> look_up(const transport::HttpUrl& url) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      ::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found);
  if (error != 0) {
    return transport::Failure{transport::Failure::Kind::kUnreachable,
                              fmt::format("{}: {}", url.host, ::gai_strerror(error))};
  }
  // Of several addresses the first that accepts a connection.
  Address address;
  int trouble = 0;
  for (const addrinfo* each = found; each && address.size == 0; each = each->ai_next) {
    const transport::UniqueFd probe(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(probe.get(), each->ai_addr, each->ai_addrlen) != 0) {
      trouble = errno;
      continue;
    }
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.size = each->ai_addrlen;
  }
  ::freeaddrinfo(found);
  if (address.size > 0) return address;
  return transport::Failure{
      transport::Failure::Kind::kUnreachable,
      fmt::format("cannot connect to {}: {}", url.origin(), std::strerror(trouble))};
}

HttpChannel::HttpChannel(Setting setting, Poller& poller, std::uint32_t number, ChannelOwner& owner)
    : setting_(std::move(setting)),
      poller_(poller),
      number_(number),
      owner_(owner),
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
  reader_.reset();
  events_.finish();  // what a stream that broke off left behind
  output_.clear();
  written_ = 0;
  waits_to_write_ = false;
  const auto* address = reinterpret_cast<const sockaddr*>(&setting_.address.storage);
  socket_.reset(::socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket_.is_open()) {
    die(fmt::format("no socket: {}", std::strerror(errno)));
    return;
  }
  const int yes = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (::connect(socket_.get(), address, setting_.address.size) != 0 && errno != EINPROGRESS) {
    die(fmt::format("cannot connect: {}", std::strerror(errno)));
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
  const std::span<char> space = reader_.space();
  const ssize_t count = ::recv(socket_.get(), space.data(), space.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  at_ = now_ns();
  if (count < 0) {
    disconnect(fmt::format("the connection broke: {}", std::strerror(errno)));
    return;
  }
  if (count == 0) {
    reader_.closed();
  } else {
    reader_.filled(static_cast<std::size_t>(count));
    owner_.transferred(0, static_cast<std::size_t>(count));
  }
  const std::uint64_t connection = connections_;
  take_items();
  if (count == 0 && socket_.is_open() && connection == connections_) {
    disconnect("the connection was closed without an answer");
  }
}

void HttpChannel::take_items() {
  while (socket_.is_open()) {
    switch (reader_.next()) {
      case HttpReader::Item::kMore:
        return;
      case HttpReader::Item::kHead:
        begin_answer();
        break;
      case HttpReader::Item::kBody:
        take_body(reader_.body());
        break;
      case HttpReader::Item::kEnd:
        end_answer();
        break;
      case HttpReader::Item::kBroken:
        disconnect(reader_.is_in_answer() ? "the answer broke off"
                                          : "what answers does not speak HTTP, or hung up");
        return;
    }
  }
}

void HttpChannel::begin_answer() {
  failures_ = 0;
  body_.clear();
  trouble_.clear();
  const int status = reader_.status();
  const bool is_good = status >= 200 && status < 300;
  if (!is_good) trouble_ = fmt::format("HTTP status {}", status);
  if (step_ == Step::kInitializing && is_good) session_ = reader_.session();
}

void HttpChannel::take_body(std::string_view piece) {
  if (setting_.is_plain) return;
  if (reader_.is_event_stream()) {
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
  const bool keeps_open = reader_.keeps_open();
  if (reader_.is_event_stream()) {
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
