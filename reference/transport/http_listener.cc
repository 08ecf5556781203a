#include "reference/transport/http_listener.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "reference/transport/http_loop.h"
#include "reference/transport/listener_memory.h"
#include "reference/transport/resolve.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {
namespace {

struct Listening {
  UniqueFd socket;
  int port = 0;
};

int port_of(const sockaddr_storage& address) {
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

// The first address of the host that can be listened on; otherwise why none can.
std::variant<Listening, std::string> listen_on(const std::string& host, int port) {
  const auto resolved = resolve(host, port, Purpose::kListen);
  if (std::holds_alternative<std::string>(resolved)) return std::string("no such address");
  int trouble = EADDRNOTAVAIL;
  for (const addrinfo* each = std::get<Addresses>(resolved).get(); each != nullptr;
       each = each->ai_next) {
    UniqueFd socket(::socket(each->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int yes = 1;
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (socket.is_open() &&
        ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        ::bind(socket.get(), each->ai_addr, each->ai_addrlen) == 0 &&
        ::listen(socket.get(), SOMAXCONN) == 0 &&
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&bound), &size) == 0) {
      return Listening{std::move(socket), port_of(bound)};
    }
    trouble = errno;
  }
  return std::string(std::strerror(trouble));
}

std::size_t thread_count(std::size_t wanted) {
  if (wanted > 0) return wanted;
  // Whoever asks needs processors too: a loop that shares its own with them costs more than it
  // serves.
  return std::clamp<std::size_t>(std::thread::hardware_concurrency() / 2, 1, 4);
}

}  // namespace

class HttpListener::Server {
 public:
  Server(HttpListener::Options options, HttpListener::Handler handler)
      : options_(std::move(options)), handler_(std::move(handler)), memory_(options_.most_memory) {}

  std::optional<std::string> start() {
    auto listening = listen_on(options_.host, options_.port);
    if (const auto* why = std::get_if<std::string>(&listening)) {
      const bool is_ipv6 = options_.host.find(':') != std::string::npos;
      return fmt::format("cannot listen on {}{}{}:{}: {}", is_ipv6 ? "[" : "", options_.host,
                         is_ipv6 ? "]" : "", options_.port, *why);
    }
    const std::size_t count = thread_count(options_.threads);
    std::vector<HttpLoop*> loops;
    for (std::size_t i = 0; i < count; ++i) {
      loops_.push_back(make_loop((options_.most_connections + count - 1) / count));
      loops.push_back(loops_.back().get());
    }
    listening_ = std::get<Listening>(std::move(listening));
    const bool are_open = std::all_of(loops.begin(), loops.end(),
                                      [](const HttpLoop* loop) { return loop->is_open(); });
    if (!are_open || !loops.front()->accept_from(listening_.socket.get(), loops)) {
      loops_.clear();
      return std::string("cannot serve: too many open files");
    }
    for (HttpLoop* loop : loops) threads_.emplace_back([loop] { loop->run(); });
    return std::nullopt;
  }

  int port() const { return listening_.port; }

  void serve(int socket) {
    UniqueFd owned(socket);
    ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
    const std::unique_ptr<HttpLoop> loop = make_loop(1);
    if (!loop->is_open()) return;
    {
      const std::lock_guard lock(mutex_);
      if (is_stopped_) return;
      guests_.insert(loop.get());
    }
    loop->run_for(std::move(owned));
    const std::lock_guard lock(mutex_);
    guests_.erase(loop.get());
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopped_ = true;
      for (HttpLoop* guest : guests_) guest->stop();
    }
    for (const auto& loop : loops_) loop->stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    loops_.clear();
    listening_.socket.reset();
  }

 private:
  std::unique_ptr<HttpLoop> make_loop(std::size_t most_connections) {
    return std::make_unique<HttpLoop>(options_, handler_, memory_, most_connections);
  }

  const HttpListener::Options options_;
  const HttpListener::Handler handler_;
  ListenerMemory memory_;
  Listening listening_;
  std::vector<std::unique_ptr<HttpLoop>> loops_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  // guards the members below
  bool is_stopped_ = false;
  std::set<HttpLoop*> guests_;  // of serve()
};

HttpListener::HttpListener(Options options, Handler handler)
    : server_(std::make_unique<Server>(std::move(options), std::move(handler))) {}

HttpListener::~HttpListener() {
  stop();
}

std::optional<std::string> HttpListener::start() {
  return server_->start();
}

int HttpListener::port() const {
  return server_->port();
}

void HttpListener::serve(int socket) {
  server_->serve(socket);
}

void HttpListener::stop() {
  server_->stop();
}

}  // namespace assay::transport
