// Specification: basic/utilities/cancellation.
#include "reference/server/call.h"
#include "reference/server/handlers.h"
#include "reference/server/session.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

// The id as JSON.
std::string text_of(const Session& session, const Json& id) {
  const bool is_taken_for_number =
      session.options().has(Switch::kCancelsByTextOfId) && id.is_string() && id != "" &&
      id.get_ref<const std::string&>().find_first_not_of("0123456789") == std::string::npos;
  return is_taken_for_number ? id.get<std::string>() : wire::encode(id);
}

}  // namespace

// Stops the work and its answer. What names no request under way is ignored, as is one that came
// too late; `initialize` is answered before anything else is read, so that it cannot be cancelled.
void cancelled(Session& session, const wire::Message& notification) {
  if (!notification.has_params()) return;
  const Json& id = member(notification.params(), "requestId");
  if (!id.is_string() && !id.is_number_integer()) return;
  if (session.options().has(Switch::kCancelsEverything)) session.calls().cancel_all();
  const auto call = session.calls().take(wire::Id::from_json_text(text_of(session, id)));
  if (!call) return;
  if (session.options().has(Switch::kAnswersCancelled) &&
      call->request().method() == "tools/call") {
    call->answer(Refusal{wire::kInternalError, "Cancelled"});
  }
  if (session.options().has(Switch::kWorksOnWhenCancelled)) {
    call->withhold();
  } else {
    call->cancel();
  }
}

}  // namespace assay::server
