// Stands between a client and the stdio server that it wanted to start: passes every byte on,
// unchanged and at once, and the ends, signals and the exit as well.
//
// The client sees the server's own standard error, and its exit status. What passes is told to a
// watcher before it goes on, so that no answer is told before what it answers.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/transport/client_transport.h"
#include "reference/transport/observer.h"

namespace assay::transport {

// Called on the threads that pass the bytes on, one for each party. The bytes wait meanwhile: it
// must neither block nor do any work worth the name.
class PassageWatcher {
 public:
  virtual ~PassageWatcher() = default;
  virtual void passed(Party speaker, std::string_view bytes) = 0;
  // Nothing of the party is passed on any more: it has closed its end, or else (`is_unread`) the
  // other one reads nothing more.
  virtual void ended(Party speaker, bool is_unread) = 0;
};

class Passage {
 public:
  // Takes our own standard streams for those of the client. Once per process, on a thread that
  // lives as long as the passage, while no other thread takes signals: from then on those that end
  // a process or mean something to it are for the server.
  static std::variant<std::unique_ptr<Passage>, Failure> open(std::vector<std::string> command,
                                                              PassageWatcher& watcher);
  ~Passage();

  // Waits until the server has exited and what it wrote has been passed on. Our own standard
  // streams are closed then.
  ProcessExit wait();

 private:
  class Impl;
  explicit Passage(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Ends this process as that one ended: by its signal, or with its exit code. Does not return.
[[noreturn]] void end_like(const ProcessExit& exit);

}  // namespace assay::transport
