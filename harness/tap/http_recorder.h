// Records HTTP exchanges that pass through us, as recorder.h does of stdio.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "harness/tap/recorder.h"
#include "reference/transport/observer.h"

namespace assay::harness {

class HttpRecorder : public transport::Observer {
 public:
  HttpRecorder(std::shared_ptr<reports::Vault> vault, TakeEvent take,
               std::size_t most_waiting = kMostWaiting);

  // Any thread; takes a copy.
  void observe(const transport::Observation& observation) override;
  // Waits until all has been handed on. Nothing may pass any more.
  void drain() { backlog_.finish(); }
  // The sessions that passed. Call it once; whoever was handed events reads them no more, for they
  // are numbered anew. `endpoint`: see split_http().
  std::vector<RecordedSession> finish(const std::string& endpoint = "");
  // After finish().
  const std::string& shortfall() const { return recording_.shortfall(); }

 private:
  struct Seen {
    transport::Observation observation;
    Clock::time_point at;
  };

  void take(const Seen& seen);

  const std::shared_ptr<reports::Vault> vault_;
  // The backlog's thread's own.
  std::size_t hidden_ids_ = 0;
  Recording recording_;

  Backlog<Seen> backlog_;  // the last: its thread uses all of the above
};

}  // namespace assay::harness
