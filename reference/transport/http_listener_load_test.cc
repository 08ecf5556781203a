// What clients can take from one another: with slow, silent, greedy and countless ones there.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "reference/transport/http_listener.h"
#include "reference/transport/raw_client_testing.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {
namespace {

using std::chrono::milliseconds;

// A reply that somebody gives later.
class Promise : public LateReply {
 public:
  std::optional<HttpReply> take() override {
    const std::lock_guard lock(mutex_);
    return std::exchange(reply_, std::nullopt);
  }
  void watch(std::shared_ptr<Waker> waker) override {
    const std::lock_guard lock(mutex_);
    waker_ = std::move(waker);
  }
  void keep(HttpReply reply) {
    const std::lock_guard lock(mutex_);
    reply_ = std::move(reply);
    if (waker_) waker_->wake();
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::optional<HttpReply> reply_;
  std::shared_ptr<Waker> waker_;
};

// A body of as many pieces as are added, until it ends.
class Pieces : public BodyStream {
 public:
  bool read(std::string& chunk) override {
    const std::lock_guard lock(mutex_);
    chunk += std::exchange(text_, {});
    return !has_ended_;
  }
  void watch(std::shared_ptr<Waker> waker) override {
    const std::lock_guard lock(mutex_);
    waker_ = std::move(waker);
  }
  void add(std::string_view text, bool is_last) {
    const std::lock_guard lock(mutex_);
    text_ += text;
    has_ended_ = is_last;
    if (waker_) waker_->wake();
  }

 private:
  std::mutex mutex_;  // guards the members below
  std::string text_;
  bool has_ended_ = false;
  std::shared_ptr<Waker> waker_;
};

HttpReply text_reply(std::string text) {
  return {200, {{"Content-Type", "text/plain"}}, std::move(text), nullptr};
}

// On one thread, so that whatever makes it wait would keep everybody waiting.
class Listening {
 public:
  explicit Listening(HttpListener::Options options = {})
      : listener_(on_one_thread(options), handler()) {
    EXPECT_EQ(listener_.start(), std::nullopt);
  }
  RawClient connect() const { return RawClient(listener_.port()); }
  int port() const { return listener_.port(); }
  void stop() { listener_.stop(); }

  const std::shared_ptr<Promise> promise = std::make_shared<Promise>();
  const std::shared_ptr<Pieces> pieces = std::make_shared<Pieces>();

 private:
  static HttpListener::Options on_one_thread(HttpListener::Options options) {
    options.threads = 1;
    return options;
  }
  HttpListener::Handler handler() {
    return [this](const HttpHead& request, std::string_view body) {
      HttpReply reply = text_reply(fmt::format("{} bytes", body.size()));
      if (request.target == "/later") reply.later = promise;
      if (request.target == "/stream") reply.stream = pieces;
      if (request.target == "/large") reply.body = std::string(std::size_t{32} << 20, 'x');
      return reply;
    };
  }

  HttpListener listener_;
};

std::string get(std::string_view target) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
}

std::string post_head(std::string_view fields) {
  return fmt::format("POST / HTTP/1.1\r\nHost: localhost\r\n{}\r\n\r\n", fields);
}

void expect_service(RawClient client) {
  ASSERT_TRUE(client.write(get("/")));
  EXPECT_THAT(client.read_until("0 bytes"), testing::HasSubstr("0 bytes"));
}

TEST(HttpListenerLoad, ServesOthersWhileAReplyIsMade) {
  Listening server;
  RawClient waiting = server.connect();
  waiting.write(get("/later") + get("/behind"));
  expect_service(server.connect());
  server.promise->keep(text_reply("at last"));
  const std::string& answers = waiting.read_until("0 bytes");
  EXPECT_LT(answers.find("at last"), answers.find("0 bytes")) << answers;
}

TEST(HttpListenerLoad, SpreadsItsConnectionsOverItsThreads) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  HttpListener listener({.threads = 3}, [&](const HttpHead&, std::string_view body) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
    return text_reply(fmt::format("{} bytes", body.size()));
  });
  ASSERT_EQ(listener.start(), std::nullopt);
  for (int i = 0; i < 6; ++i) expect_service(RawClient(listener.port()));
  listener.stop();
  EXPECT_EQ(threads.size(), 3u);
}

TEST(HttpListenerLoad, SendsAStreamAsItComes) {
  Listening server;
  RawClient client = server.connect();
  client.write(get("/stream") + get("/behind"));
  client.read_until("\r\n\r\n");
  server.pieces->add("one", false);
  EXPECT_TRUE(client.read_until("one\r\n").ends_with("\r\n3\r\none\r\n"));
  server.pieces->add("four", true);
  EXPECT_NE(client.read_until("0 bytes").find("4\r\nfour\r\n0\r\n\r\nHTTP/1.1 200"),
            std::string::npos);
}

TEST(HttpListenerLoad, EndsAStreamOfHttp10WithTheConnection) {
  Listening server;
  server.pieces->add("all of it", true);
  RawClient client = server.connect();
  client.write("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(client.read_to_end().ends_with("Connection: close\r\n\r\nall of it"));
}

TEST(HttpListenerLoad, AsksForABodyThatIsHeldBack) {
  Listening server;
  RawClient client = server.connect();
  client.write(post_head("Expect: 100-continue\r\nContent-Length: 3"));
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.write("abc");
  EXPECT_THAT(client.read_until("3 bytes"), testing::HasSubstr("3 bytes"));
}

TEST(HttpListenerLoad, TakesMoreConnectionsThanItHasThreads) {
  Listening server;
  std::vector<RawClient> idle;
  for (int i = 0; i < 400; ++i) {
    idle.push_back(server.connect());
    ASSERT_TRUE(idle.back().is_connected());
    idle.back().write(i % 2 == 0 ? "" : "GET / HTTP/1.1\r\nHost: lo");  // some in the middle
  }
  expect_service(server.connect());
  idle[1].write("calhost\r\n\r\n");
  EXPECT_THAT(idle[1].read_until("0 bytes"), testing::HasSubstr("0 bytes"));
}

TEST(HttpListenerLoad, LetsTheIdleMakeRoom) {
  Listening server({.most_connections = 2});
  RawClient first = server.connect();
  first.write(get("/"));
  first.read_until("0 bytes");
  RawClient second = server.connect();
  second.write(get("/later"));
  expect_service(server.connect());
  first.forget();
  EXPECT_EQ(first.read_to_end(), "");
  server.promise->keep(text_reply("still served"));
  EXPECT_THAT(second.read_until("still served"), testing::HasSubstr("still served"));
}

TEST(HttpListenerLoad, RefusesAnEndlessBody) {
  Listening server({.most_body_bytes = 100'000});
  RawClient client = server.connect();
  client.write(post_head("Transfer-Encoding: chunked"));
  const std::string chunk = fmt::format("{:x}\r\n{}\r\n", 1000, std::string(1000, 'x'));
  int sent = 0;
  while (sent < 10'000 && client.write(chunk)) ++sent;
  EXPECT_LT(sent, 10'000);
  expect_service(server.connect());
}

TEST(HttpListenerLoad, SaysThatABodyIsTooLong) {
  Listening server({.most_body_bytes = 100'000});
  RawClient client = server.connect();
  client.write(post_head("Transfer-Encoding: chunked") + "186a1\r\n");
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 413 "));
}

TEST(HttpListenerLoad, LetsBodiesWaitForMemoryAndServesTheOthers) {
  Listening server({.most_memory = 100'000});
  const std::string head = post_head("Content-Length: 80000");
  RawClient first = server.connect();
  first.write(head + std::string(40'000, 'x'));
  // The first holds what is there; the second waits, and who needs little does not.
  RawClient second = server.connect();
  second.write(head + std::string(80'000, 'x'));
  expect_service(server.connect());
  first.write(std::string(40'000, 'x'));
  EXPECT_THAT(first.read_until("80000 bytes"), testing::HasSubstr("80000 bytes"));
  EXPECT_THAT(second.read_until("80000 bytes"), testing::HasSubstr("80000 bytes"));
}

TEST(HttpListenerLoad, TakesMemoryFromWhoeverMakesNoUseOfIt) {
  Listening server({.most_memory = 100'000});
  const std::string head = post_head("Content-Length: 80000");
  RawClient silent = server.connect();
  silent.write(head + std::string(10'000, 'x'));
  silent.write("x");
  expect_service(server.connect());
  RawClient second = server.connect();
  second.write(head + std::string(80'000, 'x'));
  EXPECT_THAT(second.read_until("80000 bytes"), testing::HasSubstr("80000 bytes"));
  EXPECT_TRUE(silent.read_to_end().starts_with("HTTP/1.1 408 "));
}

TEST(HttpListenerLoad, GivesAllMemoryBack) {
  Listening server({.most_memory = 100'000});
  for (int i = 0; i < 20; ++i) {
    RawClient lengthy = server.connect();
    lengthy.write(post_head("Content-Length: 90000") +
                  std::string(i % 2 == 0 ? 90'000 : 50'000, 'x'));
    if (i % 2 == 0) lengthy.read_until("90000 bytes");
    RawClient chunked = server.connect();
    if (i % 2 == 1) lengthy.close();
    chunked.write(post_head("Transfer-Encoding: chunked") + "13880\r\n" + std::string(80'000, 'x') +
                  "\r\n0\r\n\r\n");
    EXPECT_THAT(chunked.read_until("80000 bytes"), testing::HasSubstr("80000 bytes")) << i;
  }
}

TEST(HttpListenerLoad, EndsARequestThatComesTooSlowly) {
  Listening server({.read_timeout = milliseconds(20)});
  RawClient client = server.connect();
  client.write("POST / HTTP/1.1\r\nHost: loc");
  EXPECT_TRUE(client.read_to_end().starts_with("HTTP/1.1 408 "));
}

TEST(HttpListenerLoad, ClosesWhatIsIdle) {
  Listening server({.idle_timeout = milliseconds(20)});
  RawClient client = server.connect();
  EXPECT_EQ(client.read_to_end(), "");
}

TEST(HttpListenerLoad, GivesUpOnAClientThatDoesNotRead) {
  Listening server({.write_timeout = milliseconds(20)});
  RawClient client = server.connect();
  client.write(get("/large"));
  expect_service(server.connect());
  // It is closed at some time; then there is less to read than was promised.
  while (client.write(get("/"))) {
  }
  EXPECT_LT(client.read_to_end().size(), std::size_t{32} << 20);
}

// Holds what the test has open at that time, but for one descriptor, as a process does that is just
// being started.
class Holder {
 public:
  explicit Holder(int left_out) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reading(ends[0]);
    pipe_ = UniqueFd(ends[1]);
    process_ = ::fork();
    if (process_ != 0) return;
    ::close(ends[1]);
    ::close(left_out);
    char ignored = 0;
    ::_exit(static_cast<int>(::read(ends[0], &ignored, 1)));
  }
  ~Holder() {
    pipe_.reset();
    ::waitpid(process_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

 private:
  UniqueFd pipe_;  // its end is the other process's
  pid_t process_ = -1;
};

// What is held elsewhere stays watched when it is closed here. The sanitizer sees who is looked for
// then.
TEST(HttpListenerLoad, ForgetsAConnectionThatAnotherProcessHoldsOpen) {
  Listening server;
  RawClient held = server.connect();
  ASSERT_TRUE(held.write(get("/")));
  expect_service(server.connect());
  const Holder holder(held.socket());
  held.say_no_more();
  expect_service(server.connect());
  // With the answer unread, this is told to whoever holds the other end.
  held.close();
  expect_service(server.connect());
}

TEST(HttpListenerLoad, StopsWhateverIsUnderWay) {
  Listening server;
  RawClient idle = server.connect();
  RawClient waiting = server.connect();
  waiting.write(get("/later"));
  RawClient streaming = server.connect();
  streaming.write(get("/stream"));
  streaming.read_until("\r\n\r\n");
  server.stop();
  EXPECT_EQ(idle.read_to_end(), "");
  EXPECT_EQ(waiting.read_to_end(), "");
  server.promise->keep(text_reply("to nobody"));
  server.pieces->add("to nobody", true);
}

}  // namespace
}  // namespace assay::transport
