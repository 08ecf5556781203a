#include "reference/transport/resolve.h"

namespace assay::transport {

std::variant<Addresses, std::string> resolve(const std::string& host, int port, Purpose purpose) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  // A port is a number here: no file of services is asked.
  hints.ai_flags = AI_NUMERICSERV | (purpose == Purpose::kListen ? AI_PASSIVE : 0);
  const std::string service = std::to_string(port);
  addrinfo* found = nullptr;
  int error = ::getaddrinfo(host.c_str(), service.c_str(), &hints, &found);
  if (error != 0 && host == "localhost") {
    hints.ai_flags = AI_NUMERICSERV;  // without a name and AI_PASSIVE: the loopback
    error = ::getaddrinfo(nullptr, service.c_str(), &hints, &found);
  }
  if (error != 0) return std::string(::gai_strerror(error));
  return Addresses(found, &::freeaddrinfo);
}

}  // namespace assay::transport
