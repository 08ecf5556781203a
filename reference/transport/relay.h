// A server's process that is not the server: a client starts `mcp-assay relay SOCKET`, and who
// listens at the Unix socket has its standard streams, its signals and its exit.
//
// The descriptors themselves are handed over, so no byte is copied on the way.
#pragma once

#include <optional>
#include <string>

#include "reference/transport/observer.h"
#include "reference/transport/unique_fd.h"

namespace assay::transport {

// The relay's part: hands over our standard streams, passes on the signals that we get, and ends
// this process as it is told to. Returns only where there is nobody at the socket: why, as a
// sentence.
std::string run_relay(const std::string& socket_path);

// The same for a listener that cannot take descriptors over, such as a server in a program of
// Node.js: copies every byte between our standard streams and the socket, and exits with 0 when the
// listener closes it.
std::string run_copying_relay(const std::string& socket_path);

// One relay, seen from who listens.
class RelayedProcess {
 public:
  // Takes over an accepted connection; nothing if what is there is no relay.
  static std::optional<RelayedProcess> accept(UniqueFd connection);

  // The process's standard streams.
  int input() const { return input_.get(); }
  int output() const { return output_.get(); }
  int errors() const { return errors_.get(); }
  // Readable when a signal has come, or the process is gone.
  int control() const { return control_.get(); }
  // The signal that came; 0 if the process is gone. Waits for one of them.
  int next_signal() const;
  // The process ends like that. Its streams are closed before.
  void end(const ProcessExit& exit);

 private:
  RelayedProcess() = default;

  UniqueFd control_;
  UniqueFd input_;
  UniqueFd output_;
  UniqueFd errors_;
};

}  // namespace assay::transport
