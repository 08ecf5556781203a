// What a watch knows: the sessions that passed, and the last of what was said of them.
//
// Taps write, viewers read at their own pace; whoever falls behind misses what went meanwhile, and
// is told how much. All of it is bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/waker.h"
#include "reference/wire/json.h"

namespace assay::harness {

struct WatchedSession {
  int number = 0;  // counts from 1
  std::string name;
  std::string target;
  std::string transport;
  std::uint64_t messages = 0;
  std::uint64_t violations = 0;
  std::uint64_t left_out = 0;
  bool has_ended = false;
};

// For who drives a client by hand.
struct WatchGuide {
  std::string where;              // what the client is to connect to
  std::vector<std::string> next;  // what to do with it; empty once nothing is left
};

// Thread safety: all functions may be called from any thread.
class WatchBoard {
 public:
  static constexpr std::size_t kMostLines = 2'000;
  static constexpr std::size_t kMostSessions = 200;

  // A tap has come; the number of its session.
  int begin();
  // A line of its. What is none is passed over.
  void take(int session, std::string_view line);
  // It has gone.
  void end(int session);
  // From now on it has a guide, and this one.
  void guide(WatchGuide guide);

  struct Line {
    int session = 0;
    Json json;
  };
  // Where a viewer is: the sessions' changes and lines it has seen.
  struct Place {
    std::uint64_t next = 0;  // line
    std::uint64_t seen = 0;  // change
  };
  struct News {
    std::vector<WatchedSession> sessions;  // all of them, where one has changed
    std::vector<Line> lines;
    std::uint64_t missed = 0;         // lines
    std::optional<WatchGuide> guide;  // where it has changed
  };
  // What has come since `place`, which moves on.
  News since(Place& place) const;

  // From now on the waker is told of news, as long as somebody else holds it.
  void watch(const std::shared_ptr<transport::Waker>& waker);

 private:
  void changed_locked();

  mutable std::mutex mutex_;  // guards all below
  std::map<int, WatchedSession> sessions_;
  std::deque<Line> lines_;
  std::uint64_t first_ = 0;    // the number of the first line
  std::uint64_t changes_ = 1;  // of sessions, and of the guide
  std::optional<WatchGuide> guide_;
  std::uint64_t guided_ = 0;  // the last change of the guide
  int begun_ = 0;
  std::vector<std::weak_ptr<transport::Waker>> wakers_;
};

}  // namespace assay::harness
