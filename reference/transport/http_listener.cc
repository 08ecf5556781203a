#include "reference/transport/http_listener.h"

#include <fmt/format.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <future>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "reference/transport/workers.h"

namespace assay::transport {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kSocketReadSize = 16u << 10;
constexpr std::size_t kSocketFlushSize = 64u << 10;  // what gathers before it is sent anyway
// How often a stream with nothing to say looks whether its client is still there.
constexpr milliseconds kLiveness{200};
// What is still read, and dropped, of a connection that we close before its client does: closed at
// once, TCP would take back the answer that is on its way.
constexpr std::size_t kMostDropped = 1u << 20;
constexpr milliseconds kMostLingering{500};

// A connection. What is written gathers until flush(), so that head and body leave together.
class SocketStream : public httplib::Stream {
 public:
  SocketStream(int socket, milliseconds read_timeout)
      : socket_(socket), read_timeout_(read_timeout), input_(kSocketReadSize, '\0') {}

  bool wait_for_input(milliseconds timeout) const {
    if (begin_ < end_) return true;
    pollfd descriptor{socket_, POLLIN, 0};
    int ready = 0;
    do {
      ready = ::poll(&descriptor, 1, static_cast<int>(timeout.count()));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
  }
  // False when the connection is broken.
  bool flush() {
    std::size_t sent = 0;
    while (sent < output_.size() && !is_broken_) {
      const ssize_t count =
          ::send(socket_, output_.data() + sent, output_.size() - sent, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) is_broken_ = true;
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
    output_.clear();
    return !is_broken_;
  }

  // Says that nothing follows, and reads on for a while.
  void linger() {
    ::shutdown(socket_, SHUT_WR);
    const auto deadline = std::chrono::steady_clock::now() + kMostLingering;
    std::size_t dropped = 0;
    while (dropped < kMostDropped) {
      begin_ = end_;
      const auto left =
          std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0 || !wait_for_input(left)) return;
      const ssize_t count = ::recv(socket_, input_.data(), input_.size(), 0);
      if (count <= 0) return;
      dropped += static_cast<std::size_t>(count);
    }
  }

  bool is_readable() const override { return wait_for_input(milliseconds(0)); }
  // Also sends what has gathered: the library asks before each piece of a stream.
  bool is_writable() const override {
    if (!const_cast<SocketStream*>(this)->flush()) return false;
    char byte = 0;
    const ssize_t count = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
  }
  ssize_t read(char* to, std::size_t size) override {
    if (begin_ == end_) {
      if (!wait_for_input(read_timeout_)) return -1;
      const ssize_t count = ::recv(socket_, input_.data(), input_.size(), 0);
      if (count <= 0) return count;
      begin_ = 0;
      end_ = static_cast<std::size_t>(count);
    }
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(to, input_.data() + begin_, count);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    output_.append(from, size);
    if (output_.size() >= kSocketFlushSize) flush();
    return is_broken_ ? -1 : static_cast<ssize_t>(size);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

 private:
  const int socket_;
  const milliseconds read_timeout_;
  std::string input_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string output_;
  bool is_broken_ = false;
};

std::string status_line_host(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// Whether we know where the request ends, once the library has called us with it: it reads the body
// of some methods only, takes the first of several lengths, and reads as a number what begins as
// one.
bool is_read_whole(const httplib::Request& request) {
  const std::size_t lengths = request.get_header_value_count("Content-Length");
  const std::size_t encodings = request.get_header_value_count("Transfer-Encoding");
  if (lengths + encodings == 0) return true;
  if (lengths + encodings > 1) return false;
  const std::string length = request.get_header_value("Content-Length");
  if (length == "0") return true;
  const bool is_clear =
      encodings == 1
          ? ::strcasecmp(request.get_header_value("Transfer-Encoding").c_str(), "chunked") == 0
          : !length.empty() && length.find_first_not_of("0123456789") == std::string::npos;
  const std::string& method = request.method;
  return is_clear &&
         (method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE");
}

void put_reply(HttpReply reply, httplib::Response& response) {
  response.status = reply.status;
  std::string type;
  for (auto& [name, value] : reply.headers) {
    if (::strcasecmp(name.c_str(), "content-type") == 0) {
      type = value;
    } else {
      response.headers.emplace(name, value);
    }
  }
  if (!reply.stream) {
    if (!reply.body.empty()) response.set_content(std::move(reply.body), type);
    return;
  }
  response.set_chunked_content_provider(
      type, [stream = std::move(reply.stream), chunk = std::string()](
                std::size_t, httplib::DataSink& sink) mutable {
        chunk.clear();
        const bool has_more = stream->read(chunk, kLiveness);
        if (!chunk.empty() && !sink.write(chunk.data(), chunk.size())) return false;
        if (!sink.is_writable()) return false;
        if (!has_more) sink.done();
        return true;
      });
}

}  // namespace

class HttpListener::Server : public httplib::Server {
 public:
  Server(HttpListener::Options options, HttpListener::Handler handler)
      : options_(std::move(options)), handler_(std::move(handler)) {
    const auto handle = [this](const httplib::Request& request, httplib::Response& response) {
      may_go_on_ = is_read_whole(request);
      HttpHead head{request.method, request.target, 0, {}};
      head.headers.reserve(request.headers.size());
      for (const auto& header : request.headers) head.headers.push_back(header);
      put_reply(handler_(head, request.body), response);
    };
    const char* any = ".*";
    Get(any, handle);
    Post(any, handle);
    Put(any, handle);
    Patch(any, handle);
    Delete(any, handle);
    Options(any, handle);
    set_post_routing_handler([](const httplib::Request&, httplib::Response& response) {
      if (may_go_on_) return;
      response.headers.erase("Keep-Alive");
      response.headers.erase("Connection");
      response.set_header("Connection", "close");
    });
    set_payload_max_length(options_.most_body_bytes);
    // What the library tells clients of our connections, which we serve ourselves.
    set_keep_alive_max_count(1'000'000);
    set_keep_alive_timeout(options_.idle_timeout.count() / 1000);
    // The library's default would let two servers share a port, and none would say so.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
  }

  std::optional<std::string> start() {
    const bool is_any = options_.port == 0;
    errno = 0;
    port_ = is_any ? bind_to_any_port(options_.host)
                   : (bind_to_port(options_.host, options_.port) ? options_.port : -1);
    if (port_ < 0) {
      return fmt::format("cannot listen on {}:{}: {}", status_line_host(options_.host),
                         options_.port, errno == 0 ? "no such address" : std::strerror(errno));
    }
    std::promise<void> is_ready;
    new_task_queue = [this, &is_ready]() -> httplib::TaskQueue* {
      is_ready.set_value();
      return new Queue(*this);  // owned by the library
    };
    // The library's five would let the sixth of several clients that come at once wait a second,
    // until TCP tries again.
    ::listen(svr_sock_, SOMAXCONN);
    thread_ = std::thread([this] { listen_after_bind(); });
    is_ready.get_future().wait();
    return std::nullopt;
  }

  int port() const { return port_; }

  void serve_open(int socket) {
    const bool is_started = thread_.joinable();
    if (!is_started) svr_sock_ = socket;  // without one the library sends no streams
    process_and_close_socket(socket);
    if (!is_started) svr_sock_ = INVALID_SOCKET;
  }

  void close() {
    if (!thread_.joinable()) return;
    is_stopping_ = true;
    stop();
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    }
    thread_.join();
  }

 private:
  // The library's queue of connections, on our bounded pool.
  class Queue : public httplib::TaskQueue {
   public:
    explicit Queue(Server& server)
        : server_(server),
          workers_(std::make_unique<Workers>(server.options_.most_connections,
                                             server.options_.most_waiting)) {}
    void enqueue(std::function<void()> serve) override {
      if (workers_->run(serve)) return;
      server_.is_refusing_ = true;
      serve();
      server_.is_refusing_ = false;
    }
    void shutdown() override { workers_.reset(); }

   private:
    Server& server_;
    std::unique_ptr<Workers> workers_;
  };

  // By itself so that ci/tsan-suppressions.txt can name it, and nothing else.
  [[gnu::noinline]] static void close_accepted(int socket) {
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
  }

  bool process_and_close_socket(socket_t socket) override {
    if (is_refusing_ && std::this_thread::get_id() == thread_.get_id()) {
      close_accepted(socket);
      return false;
    }
    const int yes = 1;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    {
      const std::lock_guard lock(mutex_);
      sockets_.insert(socket);
    }
    serve(socket);
    {
      const std::lock_guard lock(mutex_);
      sockets_.erase(socket);
    }
    close_accepted(socket);
    return true;
  }

  void serve(int socket) {
    SocketStream stream(socket, options_.read_timeout);
    const auto set_up = [](httplib::Request& request) {
      // Answers are sent as they are: compressing short messages costs more than it saves.
      request.headers.erase("Accept-Encoding");
      // The library would cut any answer to the range that was asked for, errors included.
      request.ranges.clear();
    };
    while (!is_stopping_ && stream.wait_for_input(options_.idle_timeout)) {
      bool is_closed = false;
      may_go_on_ = false;
      const bool is_served = process_request(stream, false, is_closed, set_up);
      if (!stream.flush() || !is_served || is_closed) return;
      if (!may_go_on_) return stream.linger();
    }
  }

  // Whether another request may follow on the connection that this thread serves. Where the library
  // refused one by itself, or left its body unread, the next bytes may be anything: read as a
  // request, they would let one client speak in the name of another.
  static thread_local bool may_go_on_;

  const HttpListener::Options options_;
  const HttpListener::Handler handler_;
  int port_ = -1;
  std::thread thread_;
  std::atomic<bool> is_stopping_ = false;
  std::atomic<bool> is_refusing_ = false;
  std::mutex mutex_;  // guards sockets_
  std::set<int> sockets_;
};

thread_local bool HttpListener::Server::may_go_on_ = false;

HttpListener::HttpListener(Options options, Handler handler)
    : server_(std::make_unique<Server>(std::move(options), std::move(handler))) {}

HttpListener::~HttpListener() {
  stop();
}

std::optional<std::string> HttpListener::start() {
  return server_->start();
}

int HttpListener::port() const {
  return server_->port();
}

void HttpListener::serve(int socket) {
  server_->serve_open(socket);
}

void HttpListener::stop() {
  server_->close();
}

}  // namespace assay::transport
