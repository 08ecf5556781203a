// A TCP connection, with TLS where the URL asks for it, that can be broken off at any moment.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "reference/transport/http_url.h"
#include "reference/transport/public_address.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {

struct ConnectOptions {
  // Certificates are checked against the system's authorities. False is for servers with a
  // certificate of their own making.
  bool verify_certificate = true;
  // For each address of the host, and for the TLS handshake as a whole. Looking up the host's name
  // is bounded by the system's resolver.
  std::chrono::milliseconds timeout{5000};
  Reach reach = Reach::kAnywhere;
};

// Used by one thread at a time, but for interrupt().
class SocketStream {
 public:
  SocketStream();
  ~SocketStream();

  std::optional<Failure> connect(const HttpUrl& url, const ConnectOptions& options);
  bool is_connected() const { return socket_.is_open(); }
  // True if the peer has sent something that nobody asked for, or has closed the connection.
  bool has_input() const;
  // Waits for at least one byte. 0 at the end of the stream, negative if it broke or was
  // interrupted.
  ssize_t read(char* buffer, std::size_t size);
  // False if the connection broke or was interrupted.
  bool write(std::string_view bytes);
  void disconnect();

  // From any thread: whatever is under way ends now, and nothing succeeds any more.
  void interrupt();

 private:
  struct Tls;

  std::optional<Failure> start_tls(const HttpUrl& url, const ConnectOptions& options);
  int wait_for(short events, int timeout_ms) const;
  bool wait_for_tls(int outcome, int timeout_ms);

  UniqueFd socket_;
  UniqueFd interrupted_;  // an eventfd, readable from the interruption on
  std::unique_ptr<Tls> tls_;
};

}  // namespace assay::transport
