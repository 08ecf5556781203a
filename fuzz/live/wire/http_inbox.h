// What happens on the two sessions of an HTTP wire, and on its raw connections, in one queue.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "fuzz/live/wire/raw_socket.h"
#include "reference/transport/observer.h"
#include "reference/wire/budget.h"

namespace assay::fuzz {

struct HttpEvent {
  std::uint64_t number = 0;  // of the exchange in its session, or of the raw request
  int session = 0;
  transport::Observation observation = {};
  std::optional<RawReply> raw = {};  // of a raw request; then there is no observation
};

// Thread safety: any thread may call any member.
class HttpInbox {
 public:
  // What may lie here unread, trees of messages included. Beyond it the target is cut off: nothing
  // but the ends of exchanges is kept.
  static constexpr std::size_t kMaxBytes = 48u << 20;

  // `also`, if not null, is told what happens on the sessions, too; it outlives the inbox.
  // What lies here is taken from `budget`, unless that is null.
  HttpInbox(transport::Observer* also, wire::BudgetPtr budget);

  transport::Observer& session(int number) { return taps_[static_cast<std::size_t>(number)]; }
  void add_raw(std::uint64_t number, RawReply reply);

  // Everything since the last call. Waits for something until `deadline`, or until a stop is
  // requested.
  std::vector<HttpEvent> take(std::chrono::steady_clock::time_point deadline,
                              const std::stop_token& stop);
  // Whether the target was cut off.
  bool is_flooded() const;

 private:
  class Tap : public transport::Observer {
   public:
    Tap(HttpInbox& inbox, int session) : inbox_(inbox), session_(session) {}
    void observe(const transport::Observation& observation) override;
    bool is_full() const override;

   private:
    HttpInbox& inbox_;
    const int session_;
  };

  void add(HttpEvent event, std::size_t size, bool is_end);

  transport::Observer* const also_;
  std::array<Tap, 2> taps_;
  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any arrived_;
  std::vector<HttpEvent> waiting_;
  wire::Share share_;  // for what is waiting
  bool is_flooded_ = false;
};

}  // namespace assay::fuzz
