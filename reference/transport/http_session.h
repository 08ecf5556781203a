// What an HTTP server keeps of one session: the session itself and its streams.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reference/transport/event_stream.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/server_transport.h"

namespace assay::transport {

// The streams of one session. As a Sink it takes the messages that relate to no request: each goes
// to one GET stream, the newest that has a reader.
//
// Thread safety: any thread may call any member.
class SessionStreams : public Sink {
 public:
  // Its streams are numbered from behind `last_number`.
  explicit SessionStreams(const HttpConduct& conduct, std::uint64_t last_number = 0)
      : conduct_(conduct), last_number_(last_number) {}

  void send(Outgoing message) override;
  void finish() override {}
  bool is_listened_to() const override;
  bool can_ask() const override { return is_listened_to(); }
  void disconnect(std::chrono::milliseconds) override {}

  // A stream for what one POST gives rise to; not kept until keep() is called.
  std::shared_ptr<EventStream> make();
  // From now on a client may resume the stream.
  void keep(const std::shared_ptr<EventStream>& stream);
  // A stream for a GET. The first one gets what was sent before there was any.
  std::shared_ptr<EventStream> open_get();
  // Nothing if it never was or has been forgotten.
  std::shared_ptr<EventStream> find(std::uint64_t number) const;
  std::vector<std::shared_ptr<EventStream>> all() const;
  // A stream of a POST that is under way and has a reader; nothing if there is none.
  std::shared_ptr<EventStream> other_post() const;
  // Ends every stream.
  void end();

 private:
  static constexpr std::size_t kMostStreams = 64;  // kept; finished ones are forgotten first
  static constexpr std::size_t kMostPending = 64;  // messages that wait for a first GET

  void keep_locked(const std::shared_ptr<EventStream>& stream);

  const HttpConduct& conduct_;
  std::atomic<std::uint64_t> last_number_;
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::uint64_t, std::shared_ptr<EventStream>> streams_;
  std::vector<std::uint64_t> get_streams_;  // oldest first
  std::deque<Outgoing> pending_;
  bool has_ended_ = false;
};

struct HttpSession {
  std::string id;
  std::string user;         // whose token opened it; empty: nobody's
  std::string credentials;  // the Authorization field with which it was opened
  std::shared_ptr<SessionStreams> streams;
  std::shared_ptr<ServerSession> session;
};

// All sessions of a server. The one used longest ago makes room for a new one.
//
// Thread safety: any thread may call any member.
class HttpSessions {
 public:
  explicit HttpSessions(std::size_t most) : most_(most) {}

  void add(const std::shared_ptr<HttpSession>& session);
  std::shared_ptr<HttpSession> find(std::string_view id);
  // The one used last, if there is any.
  std::shared_ptr<HttpSession> newest() const;
  // A stream of that number in any session; nothing if there is none.
  std::shared_ptr<EventStream> find_stream(std::uint64_t number) const;
  // Ends it; false if there is none.
  bool end(const std::string& id);
  void end_all();

 private:
  struct Entry {
    std::shared_ptr<HttpSession> session;
    std::uint64_t used = 0;  // by the clock below
  };
  // Looks a text up that is no std::string.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view id) const { return std::hash<std::string_view>()(id); }
  };
  using Sessions = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;

  static void end(const HttpSession& session);

  const std::size_t most_;
  mutable std::mutex mutex_;  // guards the members below
  std::uint64_t clock_ = 0;   // counts the uses
  Sessions sessions_;
};

}  // namespace assay::transport
