// The exchanges of an HTTP wire: many cases at once, each step of a case behind the one before.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "fuzz/live/target/courtesy.h"
#include "fuzz/live/values/request_states.h"
#include "fuzz/live/wire/delays.h"
#include "fuzz/live/wire/http_inbox.h"
#include "fuzz/live/wire/wire.h"
#include "reference/transport/http_client.h"
#include "reference/transport/workers.h"

namespace assay::fuzz {

// How an exchange went.
struct ExchangeFate {
  int status = 0;
  bool is_over = false;
  bool has_broken = false;  // the server broke it off
};

// Used by one thread.
class HttpTraffic {
 public:
  using Clock = std::chrono::steady_clock;
  using Key = std::uint64_t;  // lane_key() of an exchange
  // Cases that are under way at once, and those among them whose tools take long and that are left
  // behind while others go on.
  static constexpr std::size_t kMostAtOnce = 16;
  static constexpr std::size_t kMostLeftBehind = 24;
  // A tool that takes longer is left behind.
  static constexpr std::chrono::milliseconds kPromptTime{10};

  // All of the setting, and the judge, outlive it.
  HttpTraffic(const WireSetting& setting, LiveJudge& judge);
  ~HttpTraffic();

  std::optional<transport::Failure> open();
  transport::HttpClient& client(int session) { return *sides_[index(session)].link.http; }
  void set_manners(int manners) { manners_ = manners; }

  // Begins a case once there is room for it.
  void start(const Case& made, std::size_t number);
  // A message of our own.
  Key send(int session, const std::string& text);
  // Goes on until that exchange is over, at most for `patience`, and takes it away.
  ExchangeFate wait_for(Key key, std::chrono::milliseconds patience);
  // Goes on until no case is under way but those that are left behind; what is more than may be is
  // cancelled, the oldest first.
  void finish_prompt();
  // Goes on until no case is under way, at most until `deadline`.
  void finish_all(Clock::time_point deadline);
  // Takes what has come; waits for something, until `deadline` at most.
  void hear(Clock::time_point deadline = Clock::now()) { pump(deadline); }
  // Takes what comes within the time.
  void rest(std::chrono::milliseconds time);
  // Opens the stream for what the server says by itself in the session. Goes on until the server
  // has agreed or refused, at most for `patience`. It is broken off when the session is renewed.
  void listen(int session, std::chrono::milliseconds patience);
  // How often our roots were told in the session.
  std::size_t roots_told(int session) const { return sides_[index(session)].roots_told; }
  // The session begins anew.
  void renew(int session);
  // Ends the sessions and breaks off what is under way.
  void close();

  // kAlive, kGone or kCut.
  WireState state() const { return state_; }
  std::size_t case_number() const { return case_number_; }
  const Delays& delays() const { return delays_; }

 private:
  // A case under way.
  struct Run {
    Case made;
    std::size_t number = 0;
    std::size_t next = 0;               // the step that comes next
    std::size_t open = 0;               // exchanges that have begun and are not over
    std::optional<Key> waits_for = {};  // before the next step
    std::optional<std::uint64_t> waits_for_raw = {};
  };
  using RunPtr = std::shared_ptr<Run>;
  struct Open {
    ExchangeFate exchange;
    RunPtr run = nullptr;  // null for a message of our own
    const Step* step = nullptr;
    std::string body = {};  // of a step with headers of its own
    std::size_t case_number = 0;
    Clock::time_point began;
    Clock::time_point deadline;
    Delay delay = Delay::kAnswer;
    bool had_ended = false;  // the session, before this was sent
    bool has_result = false;
  };
  struct Side {
    harness::Link link;
    bool has_ended = false;  // it was told to end, and agreed
    std::size_t roots_told = 0;
    std::optional<transport::Lane> stream = {};  // that we listen to
  };

  static std::size_t index(int session) { return static_cast<std::size_t>(session); }
  bool goes_on() const { return state_ == WireState::kAlive; }
  void advance(const RunPtr& run);
  transport::HttpRequest request_of(const std::string& body, const transport::Headers& own) const;
  void start_step(const RunPtr& run, const Step& step);
  void start_raw(const RunPtr& run, const Step& step);
  Open& begin(Key key, std::string_view body, Open open);
  // Hears, and finishes what is over or has had its time.
  void pump(Clock::time_point deadline);
  void take(HttpEvent event);
  void take_raw(std::uint64_t number, const RawReply& reply);
  void take_message(const HttpEvent& event, Open* open);
  void finish(Key key);
  void check_success(const Open& open, int session);
  void hear_status(int status, std::string_view what);
  bool takes_long(const Open& open) const;
  bool cancel_oldest();
  std::size_t count_prompt() const;
  std::optional<Delay> waited_for() const;
  void unreachable(std::string_view why);

  const WireSetting& setting_;
  LiveJudge& judge_;
  Courtesy courtesy_;
  RequestStates states_;
  HttpInbox inbox_;
  std::array<Side, 2> sides_;
  WireState state_ = WireState::kAlive;
  std::map<Key, Open> open_;
  std::map<std::uint64_t, std::pair<RunPtr, const Step*>> raws_;
  std::map<std::size_t, RunPtr> runs_;  // by case number
  Delays delays_;
  int manners_ = 0;
  std::size_t case_number_ = 0;  // of the case that began last
  std::uint64_t last_raw_ = 0;
  bool is_closed_ = false;
  transport::Workers workers_;  // for raw requests
};

}  // namespace assay::fuzz
