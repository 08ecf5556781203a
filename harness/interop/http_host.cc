#include "harness/interop/http_host.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>
#include <variant>

#include "harness/host/house.h"
#include "reference/transport/unique_fd.h"

namespace assay::harness {
namespace {

// Somebody may take the port between our look and the server's start.
constexpr int kMostPortTries = 3;
// At a URL at which somebody else has started something. One that sleeps may need two to wake up.
constexpr int kMostLooks = 3;

// A port of the loopback that is free now; 0 where there is none.
int free_port() {
  const transport::UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* where = reinterpret_cast<sockaddr*>(&address);
  if (!socket.is_open() || ::bind(socket.get(), where, sizeof address) != 0 ||
      ::getsockname(socket.get(), where, &size) != 0) {
    return 0;
  }
  return ntohs(address.sin_port);
}

std::string with_port(std::string text, const std::string& port) {
  replace_mark(text, kPortMark, port);
  return text;
}

}  // namespace

std::optional<std::string> HttpHost::start(const InteropServer& server,
                                           std::chrono::milliseconds limit,
                                           const std::stop_token& stop) {
  std::optional<std::string> trouble;
  const int tries = server.start ? kMostPortTries : 1;
  for (int i = 0; i < tries; ++i) {
    trouble = try_start(server, limit, stop);
    const bool has_ended = server_ && !server_->end().empty();
    if (!trouble || !has_ended || stop.stop_requested()) break;
  }
  return trouble;
}

std::optional<std::string> HttpHost::try_start(const InteropServer& server,
                                               std::chrono::milliseconds limit,
                                               const std::stop_token& stop) {
  server_.reset();
  const std::string port = std::to_string(free_port());
  auto parsed = transport::HttpUrl::parse(with_port(server.url, port));
  if (const auto* failure = std::get_if<transport::Failure>(&parsed)) return failure->detail;
  url_ = std::get<transport::HttpUrl>(std::move(parsed));
  if (!server.start) return why_unanswered(stop);
  Launch launch = *server.start;
  for (std::string& word : launch.words) word = with_port(std::move(word), port);
  for (auto& [name, value] : launch.environment) value = with_port(std::move(value), port);
  // By convention servers read it where nothing else tells them.
  launch.environment.emplace_back("PORT", port);
  server_ = std::make_unique<StartedServer>(std::move(launch.words), std::move(launch.environment),
                                            launch.directory, "the command that starts it");
  return server_->start(url_, limit, stop);
}

std::optional<std::string> HttpHost::why_unanswered(const std::stop_token& stop) const {
  for (int i = 0; i < kMostLooks; ++i) {
    if (stop.stop_requested()) return "interrupted before the first look at it";
    if (StartedServer::is_answered(url_)) return std::nullopt;
  }
  return fmt::format("nothing answers at {}", url_.text());
}

}  // namespace assay::harness
