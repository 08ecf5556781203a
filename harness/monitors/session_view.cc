#include "harness/monitors/session_view.h"

#include "harness/script/capability.h"

namespace assay::harness {

bool SessionView::server_declares(std::string_view path) const {
  return declares(server_, path);
}
bool SessionView::client_declares(std::string_view path) const {
  return declares(client_, path);
}

const Exchange* SessionView::exchange(const wire::Id& id, bool is_from_target) const {
  const auto found = exchanges_.find({is_from_target, id});
  return found == exchanges_.end() ? nullptr : &found->second;
}

const Exchange* SessionView::answered_by(const wire::Message& answer, bool is_from_target) {
  const auto found = exchanges_.find({!is_from_target, *answer.id()});
  if (found == exchanges_.end()) return nullptr;
  ++found->second.answers;
  return &found->second;
}

void SessionView::note(const Sighting& sighting) {
  const wire::Message& message = sighting.message;
  const bool is_ours = !sighting.is_from_target;
  // What we send malformed on purpose may be answered with its id, where that can be read.
  const bool is_bad_request =
      is_ours && message.kind() == wire::MessageKind::kMalformed && message.id();
  if (sighting.is_request() || is_bad_request) {
    exchanges_.insert_or_assign(
        {sighting.is_from_target, *message.id()},
        Exchange{sighting.event, message, sighting.is_from_target, 0, nullptr});
    // What counts is the one that the target accepts: one before it may have been refused.
    if (is_ours && message.method() == "initialize" && server_.is_null()) {
      client_ = message.params();
    }
  } else if (sighting.is_notification()) {
    if (is_ours && message.method() == "notifications/initialized") is_initialized_ = true;
    if (message.method() == "notifications/cancelled" && message.params().is_object()) {
      const Json id = message.params().value("requestId", Json());
      const auto found =
          exchanges_.find({sighting.is_from_target, wire::Id::from_json_text(id.dump())});
      if (found != exchanges_.end()) found->second.cancelled = sighting.event;
    }
  } else if (!is_ours && sighting.is_result_of("initialize") && server_.is_null()) {
    server_ = message.result();
  }
}

}  // namespace assay::harness
