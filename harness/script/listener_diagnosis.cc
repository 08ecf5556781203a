#include "harness/script/listener_diagnosis.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace assay::harness {
namespace {

class NetlinkSocket {
 public:
  NetlinkSocket() : fd_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {
    // It answers at once. Should it not, nobody waits for it.
    const timeval patience{1, 0};
    if (fd_ >= 0) ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  }
  ~NetlinkSocket() {
    if (fd_ >= 0) ::close(fd_);
  }
  NetlinkSocket(const NetlinkSocket&) = delete;
  NetlinkSocket& operator=(const NetlinkSocket&) = delete;

  bool ask(int family, std::uint16_t port) const {
    struct {
      nlmsghdr header{};
      inet_diag_req_v2 question{};
    } request;
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.question.sdiag_family = static_cast<std::uint8_t>(family);
    request.question.sdiag_protocol = IPPROTO_TCP;
    request.question.idiag_states = 1U << TCP_LISTEN;
    request.question.id.idiag_sport = htons(port);
    return fd_ >= 0 && ::send(fd_, &request, sizeof request, 0) == sizeof request;
  }

  // What came, in whole messages; 0 where nothing did.
  template <std::size_t Size>
  std::size_t receive(std::array<char, Size>& into) const {
    ssize_t size = 0;
    do size = ::recv(fd_, into.data(), into.size(), MSG_TRUNC);
    while (size < 0 && errno == EINTR);
    const bool is_whole = size > 0 && static_cast<std::size_t>(size) <= into.size();
    return is_whole ? static_cast<std::size_t>(size) : 0;
  }

 private:
  int fd_;
};

constexpr std::size_t kHeaderSize = NLMSG_HDRLEN;

// Whether the end of the answer is a success: an error comes with it where one comes late, or where
// the kernel has no module for the family.
bool is_success(const char* at, std::size_t size) {
  std::int32_t error = 0;
  if (size >= kHeaderSize + sizeof error) std::memcpy(&error, at + kHeaderSize, sizeof error);
  return error >= 0;
}

}  // namespace

Diagnosis read_diagnosis(std::string_view datagram, std::uint16_t port,
                         std::vector<Listener>& listeners) {
  const char* at = datagram.data();
  std::size_t size = datagram.size();
  if (size < sizeof(nlmsghdr)) return Diagnosis::kRefusal;
  while (size >= sizeof(nlmsghdr)) {
    nlmsghdr header{};
    std::memcpy(&header, at, sizeof header);
    if (header.nlmsg_type == NLMSG_DONE) {
      return is_success(at, size) ? Diagnosis::kEnd : Diagnosis::kRefusal;
    }
    if (header.nlmsg_len < kHeaderSize || header.nlmsg_len > size) return Diagnosis::kRefusal;
    inet_diag_msg socket{};
    if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
        header.nlmsg_len < kHeaderSize + sizeof socket) {
      return Diagnosis::kRefusal;
    }
    std::memcpy(&socket, at + kHeaderSize, sizeof socket);
    const bool is_asked_for =
        socket.idiag_state == TCP_LISTEN && ntohs(socket.id.idiag_sport) == port;
    if (auto listener = listener_at(socket.idiag_family, socket.id.idiag_src);
        is_asked_for && listener) {
      listeners.push_back(*std::move(listener));
    }
    const std::size_t step = NLMSG_ALIGN(header.nlmsg_len);
    if (step >= size) break;
    at += step;
    size -= step;
  }
  return Diagnosis::kMore;
}

std::optional<std::vector<Listener>> diagnosed_listeners(int family, std::uint16_t port) {
  if (family != AF_INET && family != AF_INET6) return std::nullopt;
  const NetlinkSocket kernel;
  if (!kernel.ask(family, port)) return std::nullopt;
  std::vector<Listener> listeners;
  std::array<char, 32768> datagram{};  // the kernel sends no larger one
  for (;;) {
    const std::size_t size = kernel.receive(datagram);
    if (size == 0) return std::nullopt;
    const Diagnosis heard = read_diagnosis({datagram.data(), size}, port, listeners);
    if (heard == Diagnosis::kRefusal) return std::nullopt;
    if (heard == Diagnosis::kEnd) return listeners;
  }
}

}  // namespace assay::harness
