// A TCP server on a free port of the loopback, which says exactly what a test wants said.
#pragma once

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "reference/transport/http_url.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {

// One accepted connection.
class RawConnection {
 public:
  explicit RawConnection(int fd) : fd_(fd) {}

  // False once the other side is gone.
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // One HTTP request, head and body; empty once the other side is gone.
  std::string read_request() {
    std::string request;
    std::size_t head_end = std::string::npos;
    std::size_t length = 0;
    while (head_end == std::string::npos || request.size() < head_end + 4 + length) {
      char chunk[4096];
      const ssize_t count = ::recv(fd_, chunk, sizeof chunk, 0);
      if (count <= 0) return {};
      request.append(chunk, static_cast<std::size_t>(count));
      if (head_end != std::string::npos) continue;
      head_end = request.find("\r\n\r\n");
      const auto at = request.find("Content-Length: ");
      if (head_end != std::string::npos && at < head_end)
        length = std::stoul(request.substr(at + 16));
    }
    return request;
  }
  // Returns when the other side has closed the connection.
  void wait_for_end() const {
    char byte = 0;
    while (::recv(fd_, &byte, 1, 0) > 0) {
    }
  }

 private:
  int fd_;
};

class RawServer {
 public:
  using Handler = std::function<void(RawConnection&)>;

  // The handler runs on a thread for each connection, which is closed when it returns.
  explicit RawServer(Handler handler) : handler_(std::move(handler)) {
    listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    ::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::listen(listener_.get(), 64);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~RawServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const int fd : open_) ::shutdown(fd, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
  }

  std::uint16_t port() const { return port_; }
  HttpUrl url(std::string_view target = "/mcp") const {
    return std::get<HttpUrl>(HttpUrl::parse(fmt::format("http://127.0.0.1:{}{}", port_, target)));
  }

 private:
  void accept_all() {
    while (true) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      const int one = 1;
      ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
      const std::lock_guard lock(mutex_);
      open_.insert(fd);
      threads_.emplace_back([this, fd] {
        RawConnection connection(fd);
        handler_(connection);
        const std::lock_guard closing(mutex_);
        open_.erase(fd);
        ::close(fd);
      });
    }
  }

  Handler handler_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::thread acceptor_;
  std::mutex mutex_;  // guards open_ and, until the acceptor is joined, threads_
  std::set<int> open_;
  std::vector<std::thread> threads_;
};

// A whole answer with a body of known length.
inline std::string http_answer(int status, std::string_view headers, std::string_view body) {
  return fmt::format("HTTP/1.1 {} X\r\n{}Content-Length: {}\r\n\r\n{}", status, headers,
                     body.size(), body);
}

inline std::string http_chunk(std::string_view bytes) {
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

// Answers every request on every connection with the same bytes.
inline RawServer::Handler always(std::string answer) {
  return [answer = std::move(answer)](RawConnection& connection) {
    while (!connection.read_request().empty()) connection.write(answer);
  };
}

inline constexpr std::string_view kJsonType = "Content-Type: application/json\r\n";
inline constexpr std::string_view kChunkedSseHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

}  // namespace assay::transport
