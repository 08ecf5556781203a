// One session after another on which the scenarios of a round take turns, where each session of its
// own would be a process: one that starts slowly costs more than what a scenario has to ask.
//
// A session goes on to the next scenario only if nothing of the last one is left in it: no request
// and no task is open on either side (left_open.h), a fence is answered, nothing was found to be
// missing, and the server has not ended it.
// Otherwise it is closed, and the next scenario opens its own. Which scenarios take turns, and in
// which order, does not depend on threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/runner/run_record.h"
#include "harness/script/script.h"

namespace assay::harness {

class Turns {
 public:
  explicit Turns(RunRecord& record) : record_(record) {}
  // Closes the session that is open.
  ~Turns() { close(); }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // The session whose turn it is; null where the next scenario has to open one.
  Connection* session() const { return session_.get(); }
  // After a scenario: what its script opened by session() goes on, if none is open.
  void take_from(Script& script);
  // The turn of the scenario is over, which began at index `from`. `is_well`: it was played to its
  // end, found nothing that is to be looked at again, and leaves the session to others.
  void end_turn(std::string_view scenario, std::size_t from, bool is_well);

 private:
  // What monitors see in the session is held against the scenario whose turn it was.
  void close();

  RunRecord& record_;
  std::unique_ptr<Connection> session_;
  Clock::duration waited_{0};  // on it, by those whose turn is over
  // Where in the session whose turn began, in order.
  std::vector<std::pair<std::size_t, std::string>> turns_;
};

}  // namespace assay::harness
