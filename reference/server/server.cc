#include "reference/server/server.h"

#include <cassert>
#include <utility>

#include "reference/server/session.h"

namespace assay::server {

Server::Server(Options options)
    : options_(std::move(options)),
      common_requests_(options_.has(Switch::kTakesAnswersFromAnyone)
                           ? std::make_shared<RequestsToClient>()
                           : nullptr),
      workers_(options_.bounds.workers, options_.bounds.queued_work) {
  assert(!options_.revisions.empty() && options_.page_size > 0);
}

Server::~Server() {
  std::vector<std::weak_ptr<Session>> sessions;
  {
    const std::lock_guard lock(mutex_);
    sessions.swap(sessions_);
  }
  for (const auto& weak : sessions) {
    if (const std::shared_ptr<Session> session = weak.lock()) session->close();
  }
}

std::shared_ptr<transport::ServerSession> Server::open(transport::WireKind wire,
                                                       std::shared_ptr<transport::Sink> unrelated) {
  auto session = std::make_shared<Session>(
      options_, workers_, tasks_, wire, std::move(unrelated),
      common_requests_ ? common_requests_ : std::make_shared<RequestsToClient>());
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [](const auto& weak) { return weak.expired(); });
  sessions_.push_back(session);
  return session;
}

}  // namespace assay::server
