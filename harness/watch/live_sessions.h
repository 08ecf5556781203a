// Judges the sessions that pass at one place while they pass.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/monitors/live_watch.h"

namespace assay::harness {

// Over HTTP those sessions that begin here and have an id, and what has no sessions; of the latter
// only what a message shows by itself, for clients may be mixed.
class LiveSessions {
 public:
  explicit LiveSessions(TransportKind transport) : transport_(transport), stdio_(transport) {}

  struct Breach {
    Finding finding;
    model::Revision revision;
  };
  std::vector<Breach> show(const EventPtr& event);
  // The rules that came up so far, in any of the sessions: the party kept or broke them.
  const std::set<std::string_view>& exercised(Party party) { return exercised_[party]; }
  // Something passed that is not shown: nothing is judged any more.
  void give_up();

 private:
  // One exchange until it ends.
  struct Lane {
    std::vector<EventPtr> held;  // until it is known whose it is
    bool is_known = false;
    bool is_initialize = false;
    std::optional<std::string> session;  // nothing: nobody judges it
  };
  static constexpr std::size_t kMostSessions = 64;
  static constexpr std::size_t kMostLanes = 1'000;

  void note(const Event& event, Lane& lane);
  void judge(LiveWatch& session, const EventPtr& event, std::vector<Breach>& out);

  const TransportKind transport_;
  LiveWatch stdio_;
  std::map<transport::Lane, Lane> lanes_;
  std::map<std::string, LiveWatch> sessions_;
  std::map<Party, std::set<std::string_view>> exercised_;
  std::size_t bytes_ = 0;
  bool is_over_ = false;
};

}  // namespace assay::harness
