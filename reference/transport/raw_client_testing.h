// A TCP client of the loopback, which says exactly what a test wants said, and waits for no longer
// than a server may need.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <string>
#include <string_view>

#include "reference/transport/unique_fd.h"

namespace assay::transport {

class RawClient {
 public:
  explicit RawClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    is_connected_ =
        ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  bool is_connected() const { return is_connected_; }
  int socket() const { return socket_.get(); }
  // False once the other side is gone.
  bool write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  // What has been read, once `text` is in it; or all there is, if the other side closes first.
  const std::string& read_until(std::string_view text) {
    char chunk[4096];
    while (read_.find(text) == std::string::npos) {
      const ssize_t count = ::recv(socket_.get(), chunk, sizeof chunk, 0);
      if (count <= 0) break;
      read_.append(chunk, static_cast<std::size_t>(count));
    }
    return read_;
  }
  // All that the other side says until it closes.
  const std::string& read_to_end() { return read_until(std::string_view("\0 never sent \0", 14)); }
  void forget() { read_.clear(); }
  void say_no_more() const { ::shutdown(socket_.get(), SHUT_WR); }
  void close() { socket_.reset(); }

 private:
  UniqueFd socket_;
  bool is_connected_ = false;
  std::string read_;
};

}  // namespace assay::transport
