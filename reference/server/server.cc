#include "reference/server/server.h"

#include <cassert>
#include <utility>

#include "reference/server/either_era.h"
#include "reference/server/handlers.h"
#include "reference/server/session.h"
#include "reference/server/stateless_methods.h"
#include "reference/server/stateless_session.h"
#include "reference/server/tools.h"
#include "reference/transport/request_headers.h"
#include "reference/wire/message.h"

namespace assay::server {

using transport::ServerSession;
using transport::WireKind;

Server::Server(Options options)
    : options_(std::move(options)),
      common_requests_(options_.has(Switch::kTakesAnswersFromAnyone)
                           ? std::make_shared<RequestsToClient>()
                           : nullptr),
      stateless_(new StatelessServices{.options = options_, .workers = workers_}),
      workers_(options_.bounds.workers, options_.bounds.queued_work) {
  assert(!(options_.revisions.empty() && options_.stateless_revisions.empty()));
  assert(options_.page_size > 0);
}

Server::~Server() {
  std::vector<std::weak_ptr<ServerSession>> sessions;
  {
    const std::lock_guard lock(mutex_);
    sessions.swap(sessions_);
  }
  for (const auto& weak : sessions) {
    if (const std::shared_ptr<ServerSession> session = weak.lock()) session->close();
  }
  stateless_->durable_tasks.stop_all();
}

std::shared_ptr<ServerSession> Server::open_for(const std::string& user, WireKind wire,
                                                std::shared_ptr<transport::Sink> unrelated) {
  std::shared_ptr<ServerSession> opened;
  const bool is_stateless = wire == WireKind::kStatelessHttp || options_.revisions.empty();
  if (is_stateless) {
    opened = std::make_shared<StatelessSession>(*stateless_, wire, user);
  } else {
    auto session = std::make_shared<Session>(
        options_, workers_, tasks_, wire, std::move(unrelated),
        common_requests_ ? common_requests_ : std::make_shared<RequestsToClient>());
    if (wire == WireKind::kStdio && !options_.stateless_revisions.empty()) {
      opened = std::make_shared<EitherEra>(std::move(session),
                                           std::make_shared<StatelessSession>(*stateless_, wire));
    } else {
      opened = std::move(session);
    }
  }
  // One of a single request ends with it.
  if (wire == WireKind::kStatelessHttp) return opened;
  const std::lock_guard lock(mutex_);
  std::erase_if(sessions_, [](const auto& weak) { return weak.expired(); });
  sessions_.push_back(opened);
  return opened;
}

std::vector<transport::MirroredParameter> Server::mirrored(const wire::Message& request) const {
  const auto method = find_stateless_method(options_, request.method());
  if (method != nullptr && method->extension == tasks_extension) {
    return {{std::string(transport::kNameHeader), member(request.params(), "taskId")}};
  }
  if (request.method() != "tools/call") return {};
  const auto name = string_member(request.params(), "name");
  const Tool* const tool = name ? find_tool(revision_asked(request.params()), *name) : nullptr;
  if (!tool) return {};
  return mirrored_parameters(tool->input_schema, member(request.params(), "arguments"));
}

}  // namespace assay::server
