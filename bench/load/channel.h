// One connection to a server under load: what the generator needs of stdio and HTTP alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/load/pending.h"

namespace assay::bench {

// Nanoseconds of the monotonic clock.
std::uint64_t now_ns();

// Descriptors to wait for. A key comes back with whatever happened to its descriptor.
class Poller {
 public:
  Poller();
  ~Poller();
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  struct Key {
    std::uint32_t channel = 0;
    std::uint32_t what = 0;  // for the channel: which of its descriptors
  };
  struct Event {
    Key key;
    std::uint32_t events = 0;  // EPOLLIN, ...
  };
  static constexpr std::size_t kMostEvents = 256;  // of one wait

  void watch(int descriptor, std::uint32_t events, Key key);
  void change(int descriptor, std::uint32_t events, Key key);
  void forget(int descriptor);
  // Waits at most that long. Returns how many of `events` (kMostEvents) are set.
  std::size_t wait(std::uint64_t nanoseconds, Event* events);

 private:
  int descriptor_;
};

// Told of everything a channel brings about; called within Channel's own calls.
class ChannelOwner {
 public:
  virtual ~ChannelOwner() = default;
  // A request has been answered; `trouble` is empty for a good answer.
  virtual void answered(const PendingRequest& request, std::uint64_t at,
                        std::string_view trouble) = 0;
  // Something is wrong that concerns no request.
  virtual void disturbed(std::string_view trouble) = 0;
  virtual void transferred(std::size_t sent, std::size_t received) = 0;
};

class Channel {
 public:
  enum class State {
    kStarting,  // connects, and opens its sessions
    kReady,
    kDead,  // trouble() says why
  };

  virtual ~Channel() = default;
  // Called once.
  virtual void start() = 0;
  virtual void on_event(const Poller::Event& event) = 0;
  // From time to time: gives up what has waited since before `oldest`.
  virtual void tick(std::uint64_t oldest) = 0;

  virtual bool has_room() const = 0;
  virtual std::size_t pending() const = 0;
  // Only when ready and with room. What is sent leaves with flush(), which the generator calls.
  virtual void send(const PendingRequest& request) = 0;
  virtual void flush() = 0;

  State state() const { return state_; }
  const std::string& trouble() const { return trouble_; }
  // It is dead because this machine had no socket or no local port left.
  bool lacks_sockets() const { return lacks_sockets_; }
  // What the server said of itself in the handshake; its name may be empty.
  const std::string& server_name() const { return server_name_; }
  const std::string& revision() const { return revision_; }

 protected:
  // Reads the result of `initialize`; false, and dead, if it is none.
  bool take_initialize_answer(std::string_view message);
  void die(std::string trouble) {
    state_ = State::kDead;
    trouble_ = std::move(trouble);
  }
  // errno says why a socket could not be made or connected.
  void die_without_socket(std::string_view what);
  void become_ready() { state_ = State::kReady; }

 private:
  State state_ = State::kStarting;
  std::string trouble_;
  bool lacks_sockets_ = false;
  std::string server_name_;
  std::string revision_;
};

}  // namespace assay::bench
