#include "reference/server/either_era.h"

#include <algorithm>
#include <string>

#include "reference/server/handlers.h"
#include "reference/wire/message.h"

namespace assay::server {

void EitherEra::receive(const wire::Decoded& arrived,
                        const std::shared_ptr<transport::Sink>& answers) {
  const auto* message = std::get_if<wire::Message>(&arrived);
  if (message && message->kind() == wire::MessageKind::kRequest && is_stateless(*message)) {
    stateless_->receive(arrived, answers);
    return;
  }
  // It names a request of either era.
  const bool is_cancellation = message && message->kind() == wire::MessageKind::kNotification &&
                               message->method() == "notifications/cancelled";
  if (is_cancellation && message->has_params()) stateless_->cancel(*message);
  handshake_->receive(arrived, answers);
}

bool EitherEra::is_stateless(const wire::Message& request) const {
  static const Json kNone = nullptr;
  const Json& params = request.has_params() ? request.params() : kNone;
  const Json& version = member(member(params, "_meta"), kProtocolVersionKey);
  if (version.is_string()) {
    const auto named = model::Revision::parse(version.get_ref<const std::string&>());
    const auto& spoken = handshake_->options().revisions;
    return !named || std::find(spoken.begin(), spoken.end(), *named) == spoken.end();
  }
  if (!version.is_null()) return true;
  // Without a session, a request has to say for itself what it speaks.
  const bool can_begin = request.method() == "initialize" || request.method() == "ping";
  return !handshake_->has_begun() && !can_begin;
}

void EitherEra::close() {
  stateless_->close();
  handshake_->close();
}

}  // namespace assay::server
