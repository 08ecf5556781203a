// What one thread of an HttpListener does: it waits for all its connections at once, and serves
// those that have something.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "reference/transport/http_listener.h"
#include "reference/transport/listener_memory.h"
#include "reference/transport/served_connection.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {

// Where other threads leave word for a loop. Outlives it where a waker is kept.
//
// Thread safety: any thread may call any member.
class HttpMailbox {
 public:
  struct Mail {
    std::vector<UniqueFd> sockets;  // to be served
    std::vector<std::shared_ptr<ConnectionWaker>> woken;
    bool makes_room = false;  // a descriptor is wanted elsewhere
    bool is_stopping = false;
  };

  HttpMailbox();
  bool is_open() const { return bell_.is_open(); }
  int descriptor() const { return bell_.get(); }  // readable when there is mail

  void give(UniqueFd socket);
  void wake(std::shared_ptr<ConnectionWaker> waker);
  void ask_for_room();
  void stop();
  void take(Mail& mail);
  // Nobody reads it any more: what lies in it goes, and so does all that still comes. A waker holds
  // its mailbox, so that one left in it would hold both for ever.
  void close();

 private:
  template <typename Change>
  void post(const Change& change);

  UniqueFd bell_;     // an eventfd
  std::mutex mutex_;  // guards the members below
  bool has_mail_ = false;
  bool is_closed_ = false;
  Mail mail_;
};

class HttpLoop {
 public:
  // `memory` is shared with other loops; all arguments outlive it.
  HttpLoop(const HttpListener::Options& options, const HttpListener::Handler& handler,
           ListenerMemory& memory, std::size_t most_connections);
  ~HttpLoop();

  // False when the system has no descriptors for it.
  bool is_open() const { return epoll_.is_open() && mailbox_->is_open(); }
  // From any thread: serves the connection.
  void give(UniqueFd socket) { mailbox_->give(std::move(socket)); }
  // From any thread: run() closes all connections and returns.
  void stop() { mailbox_->stop(); }

  // Before run(): also accepts connections, and shares them out among `loops`, in turn.
  bool accept_from(int listening_socket, std::vector<HttpLoop*> loops);
  void run();
  // Serves this one connection until it ends or stop() is called.
  void run_for(UniqueFd socket);

 private:
  using Connections = std::list<std::unique_ptr<ServedConnection>>;

  bool wait_once();
  int patience() const;
  bool read_mail();
  void accept_all();
  void pause_accepting(bool is_paused);
  void adopt(UniqueFd socket);
  bool make_room();
  void settle(ServedConnection& connection);
  void admit_waiting();
  void check_times();
  void close_all();

  const std::size_t most_connections_;
  const std::chrono::milliseconds patience_;  // between two looks at who is slow
  UniqueFd epoll_;
  std::shared_ptr<HttpMailbox> mailbox_;
  HttpMailbox::Mail mail_;
  ServingContext context_;

  int listening_ = -1;
  bool is_accepting_ = true;
  std::chrono::steady_clock::time_point paused_;  // when it stopped to accept
  std::vector<HttpLoop*> loops_;
  std::size_t turn_ = 0;

  // Each in the order in which they came to stand so.
  Connections idle_;
  Connections reading_;
  Connections serving_;
  Connections closed_;  // destroyed when nothing can refer to them any more
  std::size_t count_ = 0;
  // Of reading_, those that wait for memory, in the order in which they began to.
  std::deque<ServedConnection*> waiting_;
  std::chrono::steady_clock::time_point checked_;
};

}  // namespace assay::transport
