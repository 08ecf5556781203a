// One launch of the client before a server that spoils what it says: started, watched, held within
// bounds, and gone at the end with all that it started.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fuzz/live/client/spoiling_server.h"
#include "harness/host/guest.h"
#include "harness/runner/recorded_session.h"
#include "reference/model/revision.h"
#include "reports/vault.h"

namespace assay::fuzz {

// How the client is started.
struct ClientTarget {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;
  bool is_stdio = false;
  std::string program;  // mcp-assay, the relay over stdio
  model::Revision revision = model::Revision::v2025_11_25;
};

// Holds what it is given in confidence: the values of its variables.
std::shared_ptr<reports::Vault> vault_of(const ClientTarget& target);

struct LaunchLimits {
  std::chrono::milliseconds start{30'000};  // to say its first word
  std::chrono::milliseconds total{60'000};  // until everything is closed, whatever it does
  // Without a word from it or to it everything is closed.
  std::chrono::milliseconds quiet{1000};
  // Once everything is closed: until it ends where it has no reason to wait, and where it has.
  std::chrono::milliseconds grace{1500};
  std::chrono::milliseconds waiting_grace{700};
  // And for each MiB that it has been sent, which it may be at work on.
  std::chrono::milliseconds grace_for_mebibyte{200};
  // In percent of that: what it must have had of a processor, if it wants one, before it is late.
  int processor_share = 0;
  std::size_t requests = 20'000;
  std::size_t memory = std::size_t{2} << 30;  // then it is ended
};

struct LaunchReport {
  harness::GuestEnd end;  // its errors without what was given in confidence
  ServerNotes notes;
  std::vector<std::string> fetched;  // "GET /...": what was only mentioned
  // What passed: the connections as they began, and what belongs to none of them.
  std::vector<harness::RecordedSession> sessions;
  std::chrono::milliseconds duration{0};
  bool was_closed = false;    // it did not end by itself before everything was closed
  bool was_late = false;      // nor in the time it was left then
  bool was_busy = false;      // and it kept a processor busy all that time
  bool had_too_many = false;  // of requests: see LaunchLimits
  // The longest that we did not come to look at it: longer than a moment where others are at work.
  std::chrono::milliseconds longest_blink{0};
  std::size_t peak_memory = 0;
  std::size_t most_memory = 0;  // beyond which it is ended

  bool was_stopped() const { return end.kind == harness::GuestEnd::Kind::kStopped; }
};

// A client that is there still, once everything is closed.
struct Lingering {
  std::chrono::milliseconds time{0};
  std::chrono::milliseconds processor_time{0};  // that it has had since
  int looks = 0;
  int busy_looks = 0;  // in which it ran, or would have if there had been a processor for it
};
enum class Lateness : std::uint8_t {
  kNotYet,
  kIdle,     // it does not run all the time: it waits for something
  kBusy,     // it ran all the time, and had a processor for as long as it may take
  kStarved,  // it would have run, and others had the processors: nobody knows
};
// `grace`: how long it may take. `needed`: of a processor, if it wants one.
Lateness lateness(const Lingering& client, std::chrono::milliseconds grace,
                  std::chrono::milliseconds needed);

// Otherwise: why no server can be brought up.
std::variant<LaunchReport, std::string> launch(const ClientTarget& target, SpoilPlan plan,
                                               const LaunchLimits& limits,
                                               const std::stop_token& stop);

using LaunchOutcome = std::variant<LaunchReport, std::string>;
// All at once; the outcomes are in the order of the plans.
std::vector<LaunchOutcome> launch_all(const ClientTarget& target,
                                      const std::vector<SpoilPlan>& plans,
                                      const LaunchLimits& limits, const std::stop_token& stop);

}  // namespace assay::fuzz
