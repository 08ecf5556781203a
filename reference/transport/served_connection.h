// One connection of an HttpListener: what has arrived of a request, and what is still to be sent.
//
// Nothing here waits. Whatever may have changed something is followed by advance(), which does all
// that can be done now.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/http_listener.h"
#include "reference/transport/listener_memory.h"
#include "reference/transport/unique_fd.h"
#include "reference/wire/http.h"

namespace assay::transport {

class HttpMailbox;
class ServedConnection;

// Tells a loop that a connection should advance.
class ConnectionWaker : public Waker, public std::enable_shared_from_this<ConnectionWaker> {
 public:
  ConnectionWaker(std::shared_ptr<HttpMailbox> mailbox, ServedConnection* connection)
      : mailbox_(std::move(mailbox)), connection_(connection) {}
  void wake() override;
  // On the loop's thread: whom to look at, or nobody; later wakes count again.
  ServedConnection* take() {
    is_pending_ = false;
    return connection_;
  }
  // On the loop's thread: the connection is closed.
  void let_go() { connection_ = nullptr; }

 private:
  const std::shared_ptr<HttpMailbox> mailbox_;
  ServedConnection* connection_;
  std::atomic<bool> is_pending_ = false;
};

// A request whose head has arrived.
struct ArrivingRequest {
  HttpHead head;
  std::string body;  // what has arrived of it, where that came in several pieces
};

// What the connections of one loop share. Of its thread alone, but for the memory.
struct ServingContext {
  // Buffers of that size, and that many requests, are kept for the next connection that needs one.
  static constexpr std::size_t kKeptBytes = 64u << 10;
  static constexpr std::size_t kKeptRequests = 16;

  const HttpListener::Options& options;
  const HttpListener::Handler& handler;
  ListenerMemory& memory;
  int epoll;  // the loop's, which watches the sockets
  std::shared_ptr<HttpMailbox> mailbox;
  std::string input;  // where all connections read into
  std::string chunk;
  std::string spare_output;  // a buffer that no connection uses
  std::vector<std::unique_ptr<ArrivingRequest>> spare_requests = {};
  std::chrono::steady_clock::time_point now = {};
};

class ServedConnection {
 public:
  using Clock = std::chrono::steady_clock;

  // Where it stands, for its loop.
  enum class Standing {
    kIdle,     // between two requests
    kReading,  // in the middle of one
    kServing,  // its request is being served, or its answer sent
    kClosed,
  };

  ServedConnection(UniqueFd socket, ServingContext& context);
  ~ServedConnection();
  ServedConnection(const ServedConnection&) = delete;
  ServedConnection& operator=(const ServedConnection&) = delete;

  int socket() const { return socket_.get(); }
  // What epoll has said of the socket; advance() follows.
  void take_events(std::uint32_t events);
  void advance();

  Standing standing() const;
  Clock::time_point since() const { return since_; }
  // Whether it waits for memory, and not for the client. It goes on, with advance(), once
  // take_wanted_memory() is true.
  bool waits_for_memory() const { return wanted_bytes_ > 0; }
  bool take_wanted_memory();
  // Whether its client has been too slow.
  bool is_slow() const;
  // Whether it holds memory that others need, and makes little use of it.
  bool is_in_the_way() const;
  // Ends what is too slow or in the way, and says so if a request was being read.
  void end_slow();
  void close();

  // Kept by its loop: where it is in the list of its standing, and whether in that of those that
  // wait for memory.
  std::list<std::unique_ptr<ServedConnection>>::iterator place;
  Standing listed = Standing::kIdle;
  bool is_queued = false;

 private:
  enum class Phase { kRequest, kReply, kStream, kLinger, kClosed };

  bool step();
  bool flush();
  std::string& output();

  ssize_t receive();
  bool read_request();
  bool parse(std::string_view bytes);
  void begin_request(bool is_all_read);
  void take_piece(std::string_view piece);

  bool hold(std::size_t bytes);
  void want(std::size_t bytes);
  void stop_wanting();
  bool has_room_for_body();
  void account();
  void let_go_of_request();

  void handle_request();
  bool take_late_reply();
  void refuse(int status, std::string_view why);
  void write_reply(HttpReply&& reply);
  bool write_head(const HttpReply& reply);
  bool pull_stream();
  void begin_linger();
  bool drop_input();
  const std::shared_ptr<ConnectionWaker>& waker();

  ServingContext& context_;
  UniqueFd socket_;
  wire::HttpParser parser_;
  Phase phase_ = Phase::kRequest;
  bool is_readable_ = false;  // there is, or may be, something to read
  bool has_ended_ = false;    // the client sends nothing more
  bool is_gone_ = false;      // nor does it receive anything
  bool closes_ = false;       // after the answer under way
  bool is_chunked_ = false;   // the body of that answer
  bool is_http_1_0_ = false;  // the request that it answers
  bool asks_for_head_ = false;

  std::string input_;  // read, not yet parsed
  std::unique_ptr<ArrivingRequest> request_;
  std::string_view whole_body_;  // of request_, if it came in one piece
  std::string output_;
  std::size_t sent_ = 0;  // of output_
  std::shared_ptr<LateReply> late_;
  std::shared_ptr<BodyStream> stream_;
  std::shared_ptr<ConnectionWaker> waker_;

  std::size_t held_bytes_ = 0;       // taken from the common memory for the request
  std::size_t wanted_bytes_ = 0;     // waited for
  std::size_t accounted_bytes_ = 0;  // taken from it for what is to be sent, or parsed
  Clock::time_point since_;          // idle, reading, waiting, or not able to send
  std::uint64_t received_ = 0;       // of the request
  std::size_t dropped_ = 0;          // while lingering
};

}  // namespace assay::transport
