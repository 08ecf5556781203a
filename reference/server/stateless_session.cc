#include "reference/server/stateless_session.h"

#include <utility>

#include "reference/server/apps.h"
#include "reference/server/call.h"
#include "reference/server/extensions.h"
#include "reference/server/handlers.h"
#include "reference/server/identity.h"
#include "reference/server/stateless_methods.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {

using transport::Outgoing;
using transport::Sink;

namespace {

void refuse_message(Round& round, const std::optional<wire::Id>& id, std::int64_t code,
                    std::string_view why) {
  round.refuse(wire::encode_error(id, code, why));
}

// Who opens a server of this era with `initialize` learns from this error alone what is spoken.
Refusal refuse_initialize(const Options& options, Refusal refusal) {
  std::string versions;
  for (const model::Revision revision : options.stateless_revisions) {
    versions += (versions.empty() ? "" : ", ") + std::string(revision.text());
  }
  refusal.message = "There is no initialize in " + versions + ": " + refusal.message;
  if (refusal.data.is_null()) refusal.data = {{"supported", supported_versions(options)}};
  return refusal;
}

Answer dispatch_stateless(StatelessSession& session, const std::shared_ptr<StatelessCall>& call) {
  const Options& options = session.services().options;
  const wire::Message& request = call->request();
  const bool is_initialize = request.method() == "initialize";
  auto meta = read_meta(options, call->params());
  if (auto* refusal = std::get_if<Refusal>(&meta)) {
    return is_initialize ? refuse_initialize(options, *refusal) : std::move(*refusal);
  }
  const StatelessMethod* method = find_stateless_method(options, request.method());
  if (!method) {
    Refusal unknown{wire::kMethodNotFound, "Method not found", nullptr,
                    Outgoing::Kind::kUnknownMethod};
    return is_initialize ? refuse_initialize(options, std::move(unknown)) : std::move(unknown);
  }
  if (method->is_limited && session.services().rate_limit.is_exceeded()) {
    return Refusal{wire::kInternalError, "Rate limit exceeded"};
  }
  std::optional<Inputs> inputs;
  if (method->may_need_input) {
    auto read = Inputs::read(request, session.services().seal, session.user());
    if (auto* refusal = std::get_if<Refusal>(&read)) return std::move(*refusal);
    inputs = std::get<Inputs>(std::move(read));
  }
  call->set_hints(method->hints);
  const auto context = std::make_shared<StatelessContext>(
      session.shared_from_this(), request, std::get<RequestMeta>(meta), std::move(inputs));
  return method->handle(*context, call);
}

// The members that each result has: `, "resultType": ...` and so on.
Json common_members(const std::optional<CachingHints>& hints) {
  Json members = {{"resultType", "complete"}};
  if (hints) {
    members["ttlMs"] = hints->ttl.count();
    members["cacheScope"] = hints->is_public ? "public" : "private";
  }
  return members;
}

}  // namespace

void StatelessSession::receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) {
  const auto round = std::make_shared<Round>(answers, false);
  if (const auto* error = std::get_if<wire::DecodeError>(&arrived)) {
    refuse_message(*round, std::nullopt, wire::kParseError, "Parse error: " + error->detail);
    return;
  }
  take(std::get<wire::Message>(arrived), round);
}

void StatelessSession::take(const wire::Message& message, const std::shared_ptr<Round>& round) {
  switch (message.kind()) {
    case wire::MessageKind::kRequest:
      take_request(message, round);
      return;
    case wire::MessageKind::kNotification:
      if (message.method() == "notifications/cancelled") cancel(message);
      return;
    case wire::MessageKind::kResult:
    case wire::MessageKind::kError:
      // Nobody asked. Over stdio an answer to an answer would be a surprise.
      if (wire_ != transport::WireKind::kStatelessHttp) return;
      refuse_message(*round, std::nullopt, wire::kInvalidRequest,
                     "Clients send requests and notifications");
      return;
    case wire::MessageKind::kBatch:
      refuse_message(*round, std::nullopt, wire::kInvalidRequest,
                     "Batches are not part of this revision");
      return;
    case wire::MessageKind::kMalformed: {
      const std::optional<wire::Id> id = message.id();
      refuse_message(*round, id && id->is_valid() ? id : std::nullopt, wire::kInvalidRequest,
                     "Invalid request: " + std::string(message.defect()));
      return;
    }
  }
}

void StatelessSession::take_request(const wire::Message& request,
                                    const std::shared_ptr<Round>& round) {
  std::optional<wire::Id> id = request.id();
  if (!id->is_valid()) {
    refuse_message(*round, std::nullopt, wire::kInvalidRequest,
                   "Invalid request: the id must be a string or an integer");
    return;
  }
  const auto call = std::make_shared<StatelessCall>(request, *std::move(id), round);
  call->answer(dispatch_stateless(*this, call));
}

void StatelessSession::cancel(const wire::Message& notification) {
  const Json& id = member(notification.params(), "requestId");
  if (!id.is_string() && !id.is_number_integer()) return;
  if (services_.options.has(Switch::kCancelsEverything)) calls_.cancel_all();
  const auto call = calls_.take(wire::Id::from_json_text(wire::encode(id)));
  if (!call) return;
  if (services_.options.has(Switch::kAnswersCancelled) &&
      call->request().method() == "tools/call") {
    call->answer(Refusal{wire::kInternalError, "Cancelled"});
  }
  services_.subscriptions.cancel(*call);
  if (services_.options.has(Switch::kWorksOnWhenCancelled)) {
    call->withhold();
  } else {
    call->cancel();
  }
}

void StatelessSession::close() {
  services_.subscriptions.end(this);
  calls_.cancel_all();
}

std::string StatelessCall::compose(const Answer& answer) const {
  const auto* result = std::get_if<Json>(&answer);
  if (!result) return Call::compose(answer);
  Json whole = *result;
  if (!whole.contains("resultType")) whole.update(common_members(hints_));
  whole["_meta"][kServerInfoKey] = {{"name", kServerName}, {"version", ASSAY_VERSION}};
  return answer_text(id(), whole);
}

StatelessContext::StatelessContext(std::shared_ptr<StatelessSession> session, wire::Message request,
                                   RequestMeta meta, std::optional<Inputs> inputs)
    : Context(session->services().options, session->services().workers),
      session_(std::move(session)),
      request_(std::move(request)),
      meta_(meta),
      inputs_(std::move(inputs)) {}

bool StatelessContext::can_ask(std::string_view method, const Json& params) const {
  return allows_asking(client_capabilities(), method, params);
}

const Json& StatelessContext::client_capabilities() const {
  return member(member(request_.params(), "_meta"), kClientCapabilitiesKey);
}

bool StatelessContext::declares_tasks() const {
  return is_agreed(options(), tasks_extension(), speaks(), client_capabilities());
}

bool StatelessContext::declares_apps() const {
  return is_agreed(options(), apps_extension(), speaks(), client_capabilities());
}

std::shared_ptr<DurableTask> StatelessContext::create_task() {
  return session_->services().durable_tasks.create(session_->user());
}

bool StatelessContext::wants_log(LogLevel level) const {
  return meta_.log_level && (level >= *meta_.log_level || options().has(Switch::kIgnoresLogLevel));
}

void StatelessContext::announce(std::string_view method, Json params) {
  session_->services().subscriptions.tell(method, params);
}

}  // namespace assay::server
