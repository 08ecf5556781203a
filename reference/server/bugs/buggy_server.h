// A server with one planted bug.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/server/bugs/bug.h"
#include "reference/transport/http_conduct.h"
#include "reference/transport/server_transport.h"

namespace assay::server {

class BuggyServer : public transport::SessionFactory {
 public:
  // `good` and `bug` outlive it.
  BuggyServer(transport::SessionFactory& good, const Bug& bug) : good_(good), bug_(bug) {}
  std::shared_ptr<transport::ServerSession> open(
      transport::WireKind wire, std::shared_ptr<transport::Sink> unrelated) override {
    return open_for("", wire, std::move(unrelated));
  }
  std::shared_ptr<transport::ServerSession> open_for(
      const std::string& user, transport::WireKind wire,
      std::shared_ptr<transport::Sink> unrelated) override;
  std::vector<transport::MirroredParameter> mirrored(const wire::Message& request) const override {
    return good_.mirrored(request);
  }

 private:
  transport::SessionFactory& good_;
  const Bug& bug_;
  const std::shared_ptr<BugState> state_ = std::make_shared<BugState>();
  std::atomic<int> sessions_ = 0;
};

class BuggyConduct : public transport::HttpConduct {
 public:
  explicit BuggyConduct(const Bug& bug) : bug_(bug) {}
  bool does(transport::HttpDuty duty) const override { return bug_.neglects != duty; }
  void reply(const transport::HttpHead& request, std::string_view body,
             transport::HttpReply& reply) const override {
    if (bug_.reply) bug_.reply(request, body, reply);
  }

 private:
  const Bug& bug_;
};

}  // namespace assay::server
