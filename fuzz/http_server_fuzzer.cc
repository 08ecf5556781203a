// Any bytes into a connection of the HTTP server: it never crashes, leaks or hangs, and whatever it
// answers is HTTP, with no status of its own fault, and with bodies and events that are JSON-RPC.
//
// The sessions are called "s1", "s2", ..., so that an input can name them.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "reference/server/server.h"
#include "reference/transport/http_server.h"
#include "reference/wire/message.h"
#include "reference/wire/sse.h"

namespace {

using assay::Json;
using assay::fuzz::require;
using namespace assay::transport;
using namespace std::chrono_literals;
namespace wire = assay::wire;

class CountedSessions : public HttpConduct {
 public:
  std::string session_id(std::string) const override { return "s" + std::to_string(++count_); }

 private:
  mutable std::atomic<int> count_ = 0;
};

// Answers in place of the tool that takes as long as the client likes.
class Hurried : public ServerSession {
 public:
  explicit Hurried(std::shared_ptr<ServerSession> inner) : inner_(std::move(inner)) {}
  void receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) override {
    const auto* message = std::get_if<wire::Message>(&arrived);
    if (message != nullptr && message->bytes().find("test_") != std::string_view::npos) {
      if (calls_slow_tool(*message)) return answers->finish();
    }
    inner_->receive(arrived, answers);
  }
  std::optional<assay::model::Revision> revision() const override { return inner_->revision(); }
  void close() override { inner_->close(); }

 private:
  static bool calls_slow_tool(const wire::Message& message) {
    const Json& params = message.params();
    if (params.is_object() && params.contains("name") && params["name"] == "test_slow") return true;
    return std::any_of(message.members().begin(), message.members().end(), calls_slow_tool);
  }

  const std::shared_ptr<ServerSession> inner_;
};

class HurriedServer : public SessionFactory {
 public:
  std::shared_ptr<ServerSession> open(WireKind wire, std::shared_ptr<Sink> unrelated) override {
    return std::make_shared<Hurried>(server_.open(wire, std::move(unrelated)));
  }

 private:
  static assay::server::Options options() {
    assay::server::Options options;
    options.page_size = 3;
    options.client_timeout = 5ms;
    options.bounds.workers = 2;
    return options;
  }
  assay::server::Server server_{options()};
};

// Reads what the server wrote.
class Responses {
 public:
  explicit Responses(std::string_view bytes) : rest_(bytes) {}

  void check() {
    while (!rest_.empty()) {
      require(!is_last_, "nothing follows an answer that closes the connection");
      check_one();
    }
  }

 private:
  std::string_view line() {
    const std::size_t end = rest_.find("\r\n");
    require(end != std::string_view::npos, "every line of a head ends");
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end + 2);
    return text;
  }
  std::string_view take(std::size_t size) {
    require(size <= rest_.size(), "a body is as long as it was said to be");
    const std::string_view text = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return text;
  }

  void check_one() {
    const std::string_view first = line();
    require(first.starts_with("HTTP/1.1 ") && first.size() >= 12, "a status line");
    int status = 0;
    std::from_chars(first.data() + 9, first.data() + 12, status);
    const bool is_beyond_us = status == 501 || status == 505;  // codings and versions
    require((status >= 100 && status < 500) || is_beyond_us, "no fault of the server's");
    Headers headers;
    for (std::string_view text = line(); !text.empty(); text = line()) {
      const std::size_t colon = text.find(": ");
      require(colon != std::string_view::npos, "a header has a name and a value");
      headers.emplace_back(text.substr(0, colon), text.substr(colon + 2));
    }
    if (status == 100) return;
    is_last_ = find_header(headers, "Connection") == "close";
    if (find_header(headers, "Transfer-Encoding")) return check_stream();
    const auto length = find_header(headers, "Content-Length");
    if (!length) return check_until_close(media_type(headers));
    std::size_t size = 0;
    std::from_chars(length->data(), length->data() + length->size(), size);
    const std::string_view body = take(size);
    if (media_type(headers) == "application/json") check_message(body);
  }

  // An HTTP/1.0 client knows no chunks: the end of the connection ends its stream.
  void check_until_close(const std::string& type) {
    if (type != "text/event-stream") return;
    require(is_last_, "what has no length ends with the connection");
    wire::SseParser parser(check_event);
    parser.feed(take(rest_.size()));
  }

  // In chunks; the last one is missing where the client went away first.
  void check_stream() {
    wire::SseParser parser(check_event);
    while (!rest_.empty()) {
      const std::string_view text = line();
      std::size_t size = 0;
      const auto parsed = std::from_chars(text.data(), text.data() + text.size(), size, 16);
      require(parsed.ec == std::errc() && !text.empty(), "a chunk has a size");
      parser.feed(take(size));
      require(take(2) == "\r\n", "a chunk ends");
      if (size == 0) return;
    }
  }

  static void check_event(const wire::SseEvent& event) {
    if (event.event.empty() && !event.data.empty()) check_message(event.data);
  }
  static void check_message(std::string_view text) {
    const wire::Decoded decoded = wire::decode(text);
    const auto* message = std::get_if<wire::Message>(&decoded);
    require(message != nullptr && message->kind() != wire::MessageKind::kMalformed,
            "the server sends JSON-RPC");
  }

  std::string_view rest_;
  bool is_last_ = false;
};

std::string read_all(int socket) {
  std::string bytes;
  char buffer[16384];
  for (ssize_t count = 0; (count = ::recv(socket, buffer, sizeof buffer, 0)) > 0;) {
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  HurriedServer server;
  const CountedSessions conduct;
  // What is not read in time is not sent: the peer reads only when all is over.
  HttpServer http(server, {.write_timeout = 100ms}, &conduct);
  int ends[2];
  require(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "there are sockets");
  const bool is_sent = ::send(ends[1], data, size, 0) == static_cast<ssize_t>(size);
  require(is_sent, "the input fits into the socket");
  ::shutdown(ends[1], SHUT_WR);
  http.serve(ends[0]);
  const std::string answers = read_all(ends[1]);
  ::close(ends[1]);
  http.stop();
  // What was cut off by its length is no answer to judge; and an answer to HEAD has no body, but
  // says how long it would be.
  constexpr std::size_t kSurelyWhole = 100'000;
  const bool has_head = assay::fuzz::view(data, size).find("HEAD") != std::string_view::npos;
  if (answers.size() < kSurelyWhole && !has_head) Responses(answers).check();
  return 0;
}
