#include "reference/transport/socket_stream.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "reference/transport/self_contained.h"
#include "reference/transport/tcp_connect.h"
#include "reference/transport/trust.h"

namespace assay::transport {
namespace {

constexpr int kNoTimeout = -1;

template <auto Function>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Function(pointer);
  }
};

Failure unreachable(const HttpUrl& url, std::string_view why) {
  return {Failure::Kind::kUnreachable, fmt::format("{}: {}", url.origin(), why)};
}

bool is_ip_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> ignored;
  return ::inet_pton(AF_INET, host.c_str(), ignored.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), ignored.data()) == 1;
}

using RefusedCertificate = std::unique_ptr<X509, Deleter<X509_free>>;

// The session forgets a certificate that it refuses; whoever reads why wants to know which one.
int keep_refused(int is_good, X509_STORE_CTX* store) {
  if (is_good != 0) return is_good;
  auto* session =
      static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* refused = static_cast<RefusedCertificate*>(SSL_get_app_data(session));
  X509* certificate = X509_STORE_CTX_get_current_cert(store);
  if (refused == nullptr || certificate == nullptr) return 0;
  X509_up_ref(certificate);
  refused->reset(certificate);
  return 0;
}

int milliseconds_until(Deadline deadline) {
  const auto rest = std::chrono::ceil<std::chrono::milliseconds>(deadline - Deadline::clock::now());
  return static_cast<int>(rest.count());
}

}  // namespace

struct SocketStream::Tls {
  std::unique_ptr<SSL_CTX, Deleter<SSL_CTX_free>> context;
  std::unique_ptr<SSL, Deleter<SSL_free>> session;
  RefusedCertificate refused;
};

SocketStream::SocketStream() : interrupted_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
SocketStream::~SocketStream() = default;

std::optional<Failure> SocketStream::connect(const HttpUrl& url, const ConnectOptions& options) {
  disconnect();
  if (!interrupted_.is_open()) return Failure{Failure::Kind::kOther, "too many open files"};
  auto connected = connect_tcp(url, options.timeout, interrupted_.get(), options.reach);
  if (auto* failure = std::get_if<Failure>(&connected)) return std::move(*failure);
  socket_ = std::get<UniqueFd>(std::move(connected));
  auto failure = url.is_tls ? start_tls(url, options) : std::nullopt;
  if (failure) disconnect();
  return failure;
}

std::optional<Failure> SocketStream::start_tls(const HttpUrl& url, const ConnectOptions& options) {
  tls_ = std::make_unique<Tls>();
  tls_->context.reset(SSL_CTX_new(TLS_client_method()));
  if (!tls_->context) return Failure{Failure::Kind::kOther, "no TLS context"};
  SSL_CTX_set_default_verify_paths(tls_->context.get());
  if (const std::string bundle = authorities_file(); !bundle.empty()) {
    SSL_CTX_load_verify_file(tls_->context.get(), bundle.c_str());
  }
  if (const auto trouble = add_further_authorities(tls_->context.get())) {
    return unreachable(url, *trouble);
  }
  SSL_CTX_set_verify(tls_->context.get(),
                     options.verify_certificate ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, keep_refused);
  tls_->session.reset(SSL_new(tls_->context.get()));
  SSL* session = tls_->session.get();
  if (session == nullptr) return Failure{Failure::Kind::kOther, "no TLS session"};
  SSL_set_fd(session, socket_.get());
  SSL_set_app_data(session, &tls_->refused);
  if (is_ip_address(url.host)) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), url.host.c_str());
  } else {
    SSL_set1_host(session, url.host.c_str());
    SSL_set_tlsext_host_name(session, url.host.c_str());
  }
  const Deadline deadline = Deadline::clock::now() + options.timeout;
  while (true) {
    ERR_clear_error();
    const int outcome = SSL_connect(session);
    if (outcome == 1) return std::nullopt;
    const int rest = milliseconds_until(deadline);
    if (rest > 0 && wait_for_tls(outcome, rest)) continue;
    if (milliseconds_until(deadline) <= 0) {
      return unreachable(
          url, fmt::format("the TLS handshake took longer than {} ms", options.timeout.count()));
    }
    const long verdict = SSL_get_verify_result(session);
    if (verdict != X509_V_OK) {
      return unreachable(url, certificate_complaint(verdict, tls_->refused.get()));
    }
    return unreachable(url, "the TLS handshake failed");
  }
}

// 1: ready; 0: not in time; -1: interrupted.
int SocketStream::wait_for(short events, int timeout_ms) const {
  std::array<pollfd, 2> watched{{{interrupted_.get(), POLLIN, 0}, {socket_.get(), events, 0}}};
  int count = 0;
  do {
    count = ::poll(watched.data(), watched.size(), timeout_ms);
  } while (count < 0 && errno == EINTR);
  if (count < 0 || watched[0].revents != 0) return -1;
  return count > 0 ? 1 : 0;
}

// After a TLS call that did not succeed: true once it is worth calling again.
bool SocketStream::wait_for_tls(int outcome, int timeout_ms) {
  switch (SSL_get_error(tls_->session.get(), outcome)) {
    case SSL_ERROR_WANT_READ:
      return wait_for(POLLIN, timeout_ms) == 1;
    case SSL_ERROR_WANT_WRITE:
      return wait_for(POLLOUT, timeout_ms) == 1;
    default:
      return false;
  }
}

bool SocketStream::has_input() const {
  pollfd watched{socket_.get(), POLLIN, 0};
  return ::poll(&watched, 1, 0) != 0;
}

ssize_t SocketStream::read(char* buffer, std::size_t size) {
  while (socket_.is_open()) {
    if (tls_) {
      ERR_clear_error();
      const int count = SSL_read(tls_->session.get(), buffer, static_cast<int>(size));
      if (count > 0) return count;
      if (SSL_get_error(tls_->session.get(), count) == SSL_ERROR_ZERO_RETURN) return 0;
      if (!wait_for_tls(count, kNoTimeout)) return -1;
      continue;
    }
    if (wait_for(POLLIN, kNoTimeout) != 1) return -1;
    const ssize_t count = ::recv(socket_.get(), buffer, size, 0);
    if (count >= 0) return count;
    if (errno != EAGAIN && errno != EINTR) return -1;
  }
  return -1;
}

// A write to a connection that the peer has reset must not raise SIGPIPE: plain sockets are told
// so; for TLS the thread has to block the signal, as the threads of HttpExchanges do.
bool SocketStream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    if (!socket_.is_open()) return false;
    ssize_t count = 0;
    if (tls_) {
      ERR_clear_error();
      count = SSL_write(tls_->session.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (count <= 0 && !wait_for_tls(static_cast<int>(count), kNoTimeout)) return false;
    } else {
      count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
      if (count < 0 && wait_for(POLLOUT, kNoTimeout) != 1) return false;
    }
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

void SocketStream::disconnect() {
  tls_.reset();
  socket_.reset();
}

void SocketStream::interrupt() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto ignored = ::write(interrupted_.get(), &one, sizeof one);
}

}  // namespace assay::transport
