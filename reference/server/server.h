// A whole reference server: opens sessions, and owns the threads that their slow tools run on.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "reference/server/options.h"
#include "reference/server/tasks.h"
#include "reference/transport/server_transport.h"
#include "reference/transport/workers.h"

namespace assay::server {

class RequestsToClient;
struct StatelessServices;

class Server : public transport::SessionFactory {
 public:
  explicit Server(Options options = {});
  // Closes the sessions that are left and waits for their work to stop.
  ~Server() override;

  std::shared_ptr<transport::ServerSession> open(
      transport::WireKind wire, std::shared_ptr<transport::Sink> unrelated) override {
    return open_for("", wire, std::move(unrelated));
  }
  std::shared_ptr<transport::ServerSession> open_for(
      const std::string& user, transport::WireKind wire,
      std::shared_ptr<transport::Sink> unrelated) override;

  std::vector<transport::MirroredParameter> mirrored(const wire::Message& request) const override;

  const Options& options() const { return options_; }

 private:
  const Options options_;
  std::mutex mutex_;  // guards sessions_
  std::vector<std::weak_ptr<transport::ServerSession>> sessions_;
  TaskDirectory tasks_;
  const std::shared_ptr<RequestsToClient> common_requests_;  // null: each session has its own
  const std::unique_ptr<StatelessServices> stateless_;  // shared by all requests without a session
  // Last, so that its threads end before anything that they use.
  transport::Workers workers_;
};

}  // namespace assay::server
