#include "reference/hostile/web.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <variant>
#include <vector>

#include "reference/hostile/polite.h"
#include "reference/hostile/stdio.h"
#include "reference/wire/message.h"

namespace assay::hostile {
namespace {

constexpr std::size_t kWebBlockBytes = 64u << 10;
// Of a request that is read: what the judge sends is smaller.
constexpr std::size_t kMostRequestBytes = 32u << 20;

std::string in_lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool is_local(std::string_view origin) {
  for (const std::string_view host : {"http://127.0.0.1", "http://localhost"}) {
    if (origin.starts_with(host) && (origin.size() == host.size() || origin[host.size()] == ':')) {
      return true;
    }
  }
  return false;
}

// Why a request is refused before its body is looked at; 0 if it is not.
int refusal_status(const WebRequest& request) {
  const std::string origin = request.field("origin");
  if (!origin.empty() && !is_local(origin)) return 403;
  if (request.target != "/mcp") return 404;
  if (request.method != "POST") return 405;
  const std::string version = request.field("mcp-protocol-version");
  return version.empty() || version == kRevision ? 0 : 400;
}

void answer_politely(WebConnection& connection, const wire::Decoded& said) {
  const std::string answer = polite_answer(said);
  const auto* message = std::get_if<wire::Message>(&said);
  const bool is_read = message != nullptr && message->kind() == wire::MessageKind::kRequest &&
                       message->id()->is_valid();
  if (answer.empty()) {
    connection.answer(202, "", "");
  } else {
    connection.answer(is_read ? 200 : 400, WebConnection::kJson, answer);
  }
}

void serve_connection(WebConnection& connection, const WebHooks& hooks) {
  if (hooks.on_connection && hooks.on_connection(connection)) return;
  WebRequest request;
  while (connection.read(request)) {
    if (hooks.on_request && hooks.on_request(connection, request)) continue;
    if (const int status = refusal_status(request); status != 0) {
      connection.answer(status, status == 405 ? "Allow: POST\r\n" : "", "");
      continue;
    }
    const wire::Decoded said = wire::decode(request.body);
    const auto* message = std::get_if<wire::Message>(&said);
    const bool is_taken =
        message != nullptr && hooks.on_message && hooks.on_message({connection, request, *message});
    if (!is_taken) answer_politely(connection, said);
  }
}

int listen_on_loopback(sockaddr_in& address) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      ::listen(listener, 128) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::perror("hostile_peer");
    std::exit(1);
  }
  return listener;
}

}  // namespace

std::string WebRequest::field(std::string_view name) const {
  const std::size_t at = head.find(fmt::format("\r\n{}:", name));
  if (at == std::string::npos) return {};
  const std::size_t begin = head.find_first_not_of(" \t", at + name.size() + 3);
  return head.substr(begin, head.find("\r\n", begin) - begin);
}

bool WebConnection::read(WebRequest& request) {
  std::array<char, kWebBlockBytes> block;
  std::size_t head_end = std::string::npos;
  std::size_t whole = 0;  // bytes of the request, once its head has been read
  while (whole == 0 || unread_.size() < whole) {
    head_end = unread_.find("\r\n\r\n");
    if (whole == 0 && head_end != std::string::npos) {
      request.head = in_lower_case(unread_.substr(0, head_end + 2));
      const std::string length_text = request.field("content-length");
      std::size_t length = 0;
      std::from_chars(length_text.data(), length_text.data() + length_text.size(), length);
      whole = head_end + 4 + std::min(length, kMostRequestBytes);
      continue;
    }
    if (unread_.size() > kMostRequestBytes) return false;
    const ssize_t count = ::recv(fd_, block.data(), block.size(), 0);
    if (count <= 0) return false;
    unread_.append(block.data(), static_cast<std::size_t>(count));
  }
  const std::size_t first_space = unread_.find(' ');
  const std::size_t second_space = unread_.find(' ', first_space + 1);
  if (second_space == std::string::npos || second_space > head_end) return false;
  request.method = unread_.substr(0, first_space);
  request.target = unread_.substr(first_space + 1, second_space - first_space - 1);
  request.body = unread_.substr(head_end + 4, whole - head_end - 4);
  unread_.erase(0, whole);
  return true;
}

void WebConnection::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) throw Gone{};
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void WebConnection::answer(int status, std::string_view fields, std::string_view body) {
  const std::string length =
      status == 202 ? "Content-Length: 0\r\n" : fmt::format("Content-Length: {}\r\n", body.size());
  write(fmt::format("HTTP/1.1 {} X\r\n{}{}\r\n{}", status, fields, length, body));
}

void WebConnection::begin_chunks(std::string_view fields) {
  write(fmt::format("HTTP/1.1 200 OK\r\n{}Transfer-Encoding: chunked\r\n\r\n", fields));
}

void WebConnection::chunk(std::string_view bytes) {
  write(fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes));
}

void WebConnection::flood(std::string_view unit) {
  std::string block(unit);
  while (block.size() < kWebBlockBytes) block += unit;
  while (true) write(block);
}

void WebConnection::drip(std::string_view unit, int pause_ms) {
  while (true) {
    write(unit);
    wait_ms(pause_ms);
  }
}

void WebConnection::hold() {
  stay();
}

void WebConnection::wait_for_end() {
  char byte = 0;
  while (::recv(fd_, &byte, 1, 0) > 0) {
  }
}

void serve_web(const WebHooks& hooks) {
  sockaddr_in address;
  const int listener = listen_on_loopback(address);
  fmt::print("listening on http://127.0.0.1:{}/mcp\n", ntohs(address.sin_port));
  std::fflush(stdout);
  std::vector<std::thread> serving;  // until the process is killed
  while (true) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) {
      wait_ms(1);  // out of descriptors: some will be free again
      continue;
    }
    const int one = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    serving.emplace_back([fd, &hooks] {
      try {
        WebConnection connection(fd);
        serve_connection(connection, hooks);
      } catch (const WebConnection::Gone&) {  // it went while we wrote: nothing is left to do
      }
      ::close(fd);
    });
  }
}

}  // namespace assay::hostile
