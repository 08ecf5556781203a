// Judges traffic while it passes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "harness/finding.h"
#include "harness/script/link.h"
#include "harness/transcript/transcript.h"
#include "reference/model/revision.h"

namespace assay::harness {

// Of one session, from its beginning. What only its end shows is not told.
class LiveWatch {
 public:
  // `has_gap`: what came before a message, nobody knows for certain. Only what it shows by itself
  // is held against anybody then.
  explicit LiveWatch(TransportKind transport, bool has_gap = false);
  ~LiveWatch();

  // What the event shows to be broken, by either party. Nothing as long as no revision is known:
  // then all that has passed is judged at once. Nothing either beyond what one session may hold.
  Findings show(const EventPtr& event);
  // The rules that the party was seen to keep so far.
  std::set<std::string_view> held(Party party) const;
  // Something passed that is not shown: nothing is judged any more.
  void give_up();
  std::optional<model::Revision> revision() const { return revision_; }

 private:
  class Impl;
  void begin();

  const TransportKind transport_;
  const bool has_gap_;
  std::optional<model::Revision> revision_;
  std::vector<EventPtr> early_;  // before that
  std::size_t events_ = 0;
  std::size_t bytes_ = 0;
  bool has_server_spoken_ = false;
  bool is_over_ = false;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay::harness
