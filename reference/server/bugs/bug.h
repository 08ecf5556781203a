// Planted bugs: ways in which servers really break, for the live fuzzer to find.
//
// A fault (faults/) breaks a requirement whenever it is asked to; a bug waits for the input that
// triggers it, crashes, hangs, leaks or mixes things up, and is found only by whoever goes looking.
// To add one, write an entry into the table of its kind.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/server/faults/departure.h"
#include "reference/server/faults/fault.h"
#include "reference/server/options.h"
#include "reference/transport/http_conduct.h"

namespace assay::server {

// What bugs remember, over all sessions of a server.
struct BugState {
  std::mutex mutex;  // guards all below
  std::set<std::string> seen_ids;
  std::set<std::string> answered_ids;
  std::string last_id;
  int last_session = 0;
  bool is_upset = false;  // something went wrong before, and what comes next suffers
  bool has_begun = false;
  std::vector<std::unique_ptr<std::vector<char>>> leaked;
};

struct Bug {
  // Stable, in words joined by hyphens.
  std::string_view id;
  std::string_view description;  // "Crashes when ..."
  // What the live fuzzer should call it: "crash", "hang", "missing-answer", ...
  std::string_view shows_as;
  SeenOver seen_over = SeenOver::kAnyWire;
  bool has_handshake = true;  // false: it shows only in the revisions without one

  // How it is done: at least one of these. The state's lock is held.
  // Returns true if the message goes no further.
  bool (*arrival)(BugState&, const wire::Decoded&, transport::Sink&) = nullptr;
  void (*departure)(BugState&, Departure&, int session) = nullptr;
  void (*read)(std::string_view piece) = nullptr;  // stdio: one read of standard input
  std::optional<Switch> inside = std::nullopt;
  std::optional<transport::HttpDuty> neglects = std::nullopt;
  void (*reply)(const transport::HttpHead&, std::string_view body, transport::HttpReply&) = nullptr;
};

// All of them.
const std::vector<Bug>& all_bugs();
// Nothing if there is none of that id.
const Bug* find_bug(std::string_view id);

// The tables.
std::vector<Bug> crash_bugs();
std::vector<Bug> answer_bugs();
std::vector<Bug> argument_bugs();
std::vector<Bug> file_bugs();
std::vector<Bug> http_bugs();
std::vector<Bug> note_bugs();
std::vector<Bug> order_bugs();
std::vector<Bug> stateless_bugs();

}  // namespace assay::server
