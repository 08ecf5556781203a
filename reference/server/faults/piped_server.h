// A server at the other end of a pipe in this process, as a client reaches it: no I/O, no child.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "reference/server/faults/faulty_server.h"
#include "reference/server/options.h"
#include "reference/server/server.h"
#include "reference/transport/client_transport.h"
#include "reference/transport/observer.h"
#include "reference/transport/pipe.h"

namespace assay::server {

// One connection, with a server of its own.
class PipedServer : public transport::ClientTransport {
 public:
  // The switches of `faults` are turned in `options` already. `observer` outlives it.
  PipedServer(const Options& options, const Faults& faults, transport::Observer& observer);
  ~PipedServer() override;

  std::optional<transport::Failure> open() override;
  transport::Lane send(std::string_view message) override { return pipe_.send(message); }
  transport::Lane send_raw(std::string_view bytes) override;
  void close(transport::Deadline deadline) override;

 private:
  void end_session();

  transport::Pipe pipe_;
  const std::shared_ptr<transport::Sink> sink_;
  Server server_;
  FaultyServer faulty_;
  std::shared_ptr<transport::ServerSession> session_;  // null until the pipe is open
};

}  // namespace assay::server
