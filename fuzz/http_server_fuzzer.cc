// Any bytes into a connection of the HTTP server: it never crashes, leaks or hangs, and whatever it
// answers is HTTP, with no status of its own fault, and with bodies and events that are JSON-RPC.
//
// The sessions are called "s1", "s2", ..., so that an input can name them.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "reference/server/server.h"
#include "reference/transport/http_head.h"
#include "reference/transport/http_server.h"
#include "reference/wire/http.h"
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

// Judges what the server wrote.
class Responses {
 public:
  explicit Responses(std::string_view bytes) : bytes_(bytes) {}

  void check() {
    std::string_view rest = bytes_;
    auto event = Event::kMore;
    while ((event = parser_.next(rest)) != Event::kMore) take(event);
    event = parser_.finish();
    if (event == Event::kBroken && is_stream_) {
      // The client went away first: then the last chunk is missing, and no more.
      require(bytes_.ends_with("\r\n"), "every chunk is whole");
    } else if (event != Event::kMore) {
      take(event);
    }
  }

 private:
  using Event = wire::HttpParser::Event;

  void take(Event event) {
    require(event != Event::kBroken, "the server speaks HTTP");
    if (event == Event::kHead || event == Event::kInterim) check_head(event == Event::kHead);
    if (event == Event::kBody && is_stream_) events_.feed(parser_.body());
    if (event == Event::kBody && !is_stream_) body_ += parser_.body();
    if (event != Event::kEnd) return;
    if (is_stream_) events_.finish();
    if (is_json_) check_message(body_);
  }

  void check_head(bool is_final) {
    require(!is_last_, "nothing follows an answer that closes the connection");
    require(parser_.raw().starts_with("HTTP/1.1 "), "it speaks HTTP/1.1");
    const int status = parser_.status();
    const bool is_beyond_us = status == 501 || status == 505;  // codings and versions
    require(status < 500 || is_beyond_us, "no fault of the server's");
    HttpHead head;
    copy_head(parser_, head);
    // The parser reads of a response what nobody should write.
    std::string written;
    wire::HttpWriter writer(written);
    for (const auto& [name, value] : head.headers) writer.field(name, value);
    require(writer.end_head() && parser_.raw().ends_with(written), "each field is one sound line");
    if (!is_final) return;
    body_.clear();
    is_last_ = find_header(head.headers, "Connection") == "close";
    const std::string type = media_type(head.headers);
    is_stream_ = parser_.has_body() && type == "text/event-stream";
    is_json_ = type == "application/json";
    const bool has_length = parser_.content_length().has_value();
    require(!is_json_ || has_length, "a message has a length");
    require(is_last_ || has_length || !parser_.has_body() || parser_.keeps_open(),
            "what has no length ends with the connection");
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

  const std::string_view bytes_;
  wire::HttpParser parser_{wire::HttpParser::Role::kResponses};
  wire::SseParser events_{check_event};
  std::string body_;
  bool is_last_ = false;
  bool is_stream_ = false;
  bool is_json_ = false;
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
