// Ends a process group when this process dies, however it dies.
//
// Nothing of ours runs behind a SIGKILL. So a second process waits for the end of the first: a
// pipe between them tells.
#pragma once

#include <sys/types.h>

#include "reference/transport/unique_fd.h"

namespace assay::transport {

class Guardian {
 public:
  // Forks. The second process makes only calls that are safe there, and holds none of our
  // descriptors.
  Guardian();
  // Dismisses it: the group lives on.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  // From now on the group ends with this process.
  void guard(pid_t group);

 private:
  pid_t pid_ = -1;
  UniqueFd line_;  // to the guardian
};

}  // namespace assay::transport
