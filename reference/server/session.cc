#include "reference/server/session.h"

#include <algorithm>
#include <utility>

#include "reference/server/apps.h"
#include "reference/server/call.h"
#include "reference/server/extensions.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {

using transport::Outgoing;
using transport::Sink;

namespace {

std::string error_text(const std::optional<wire::Id>& id, std::int64_t code,
                       std::string_view message) {
  return wire::encode_error(id, code, message);
}

bool is_response(const wire::Message& malformed) {
  const Json& json = malformed.json();
  return json.is_object() && !json.contains("method") &&
         (json.contains("result") || json.contains("error"));
}

bool has_malformed(const wire::Message& batch) {
  return std::any_of(batch.members().begin(), batch.members().end(), [](const auto& member) {
    return member.kind() == wire::MessageKind::kMalformed;
  });
}

}  // namespace

Session::Session(const Options& options, transport::Workers& workers, TaskDirectory& tasks,
                 transport::WireKind wire, std::shared_ptr<Sink> unrelated,
                 std::shared_ptr<RequestsToClient> requests)
    : Context(options, workers),
      wire_(wire),
      unrelated_(std::move(unrelated)),
      calls_(options.bounds.calls),
      rate_limit_(options.bounds.per_second),
      requests_to_client_(std::move(requests)),
      tasks_(*this, tasks) {}

Session::~Session() = default;

void Session::receive(std::string_view bytes, const std::shared_ptr<Sink>& answers) {
  receive(wire::decode(bytes), answers);
}

void Session::receive(const wire::Decoded& arrived, const std::shared_ptr<Sink>& answers) {
  if (const auto* error = std::get_if<wire::DecodeError>(&arrived)) {
    answers->send({Outgoing::Kind::kRefusal,
                   error_text(std::nullopt, wire::kParseError, "Parse error: " + error->detail)});
    answers->finish();
    return;
  }
  const auto& message = std::get<wire::Message>(arrived);
  if (message.kind() == wire::MessageKind::kBatch) {
    take_batch(message, answers);
  } else {
    take(message, std::make_shared<Round>(answers, false), false);
  }
}

void Session::take_batch(const wire::Message& batch, const std::shared_ptr<Sink>& answers) {
  const std::optional<model::Revision> speaks = revision();
  const bool is_allowed =
      (speaks && speaks->has_batching() && !options().has(Switch::kRefusesBatches)) ||
      options().has(Switch::kAcceptsBatches);
  const char* trouble = nullptr;
  if (!is_allowed) {
    trouble = "Batches are not part of this revision";
  } else if (batch.members().empty()) {
    trouble = "An empty batch";
  } else if (options().has(Switch::kRefusesMixedBatches) && has_malformed(batch)) {
    trouble = "A member of the batch is no message";
  } else if (batch.members().size() > options().bounds.batch) {
    trouble = "Too many messages in one batch";
  }
  if (trouble) {
    answers->send(
        {Outgoing::Kind::kRefusal, error_text(std::nullopt, wire::kInvalidRequest, trouble)});
    answers->finish();
    return;
  }
  const auto round = std::make_shared<Round>(answers, true);
  for (const wire::Message& message : batch.members()) take(message, round, true);
}

void Session::take(const wire::Message& message, const std::shared_ptr<Round>& round,
                   bool is_in_batch) {
  switch (message.kind()) {
    case wire::MessageKind::kRequest:
      take_request(message, round, is_in_batch);
      return;
    case wire::MessageKind::kNotification:
      if (const NotificationHandler handle = find_notification(message.method())) {
        handle(*this, message);
      }
      return;
    case wire::MessageKind::kResult:
    case wire::MessageKind::kError:
      if (!requests_to_client_->take(message) && options().has(Switch::kRefusesLateAnswers)) {
        round->refuse(error_text(std::nullopt, wire::kInvalidRequest, "No request has this id"));
      }
      return;
    case wire::MessageKind::kBatch:  // a batch within a batch
    case wire::MessageKind::kMalformed: {
      if (is_response(message)) return;  // a broken answer is not answered
      const bool has_id = message.id() && message.id()->is_valid();
      round->refuse(error_text(has_id ? message.id() : std::nullopt, wire::kInvalidRequest,
                               "Invalid request: " + std::string(message.defect())));
      return;
    }
  }
}

void Session::take_request(const wire::Message& request, const std::shared_ptr<Round>& round,
                           bool is_in_batch) {
  std::optional<wire::Id> id = request.id();
  if (!id->is_valid()) {
    round->refuse(error_text(std::nullopt, wire::kInvalidRequest,
                             "Invalid request: the id must be a string or an integer"));
    return;
  }
  const auto call = std::make_shared<Call>(request, *std::move(id), round);
  call->answer(dispatch(call, is_in_batch));
}

Answer Session::dispatch(const std::shared_ptr<Call>& call, bool is_in_batch) {
  const std::string_view name = call->request().method();
  const Method* method = find_method(name);
  if (!method || !speaks().satisfies(method->exists)) {
    return Refusal{wire::kMethodNotFound, "Method not found"};
  }
  if (method->needs_session && !has_begun_) {
    return Refusal{wire::kInvalidRequest, "Not initialized: the first request is initialize"};
  }
  if (is_in_batch && name == "initialize") {
    return Refusal{wire::kInvalidRequest, "initialize must not be part of a batch"};
  }
  if (call->request().has_params() && !call->params().is_object()) {
    return invalid_params("params must be an object");
  }
  if (method->is_limited && rate_limit_.is_exceeded()) {
    return Refusal{wire::kInternalError, "Rate limit exceeded"};
  }
  return method->handle(*this, call);
}

std::optional<model::Revision> Session::revision() const {
  // It is written before has_begun_ is, and never again.
  return has_begun_ ? revision_ : std::nullopt;
}

model::Revision Session::speaks() const {
  return revision().value_or(options().revisions.back());
}

bool Session::begin(model::Revision revision, Json client_capabilities) {
  const std::lock_guard lock(mutex_);
  if (revision_) return false;
  revision_ = revision;
  client_capabilities_ = std::move(client_capabilities);
  has_begun_ = true;
  return true;
}

bool Session::can_ask(std::string_view method, const Json& params) const {
  if (!is_ready_) return false;
  const std::lock_guard lock(mutex_);
  if (method.starts_with("tasks/")) return can_ask_about_tasks(method);
  if (method == "elicitation/create" && !revision_->has_elicitation()) return false;
  return allows_asking(client_capabilities_, method, params);
}

bool Session::declares_apps() const {
  const std::lock_guard lock(mutex_);
  return revision_ && is_agreed(options(), apps_extension(), *revision_, client_capabilities_);
}

bool Session::can_ask_about_tasks(std::string_view method) const {
  const Json& tasks = member(client_capabilities_, "tasks");
  if (!revision_->has_core_tasks() || !tasks.is_object()) return false;
  if (method == "tasks/list") return tasks.contains("list");
  if (method == "tasks/cancel") return tasks.contains("cancel");
  return tasks.contains("requests");
}

bool Session::can_sample_as_task() const {
  if (!is_ready_) return false;
  const std::lock_guard lock(mutex_);
  const Json& requests = member(member(client_capabilities_, "tasks"), "requests");
  return revision_->has_core_tasks() && client_capabilities_.contains("sampling") &&
         member(member(requests, "sampling"), "createMessage").is_object();
}

void Session::announce(std::string_view method, Json params) {
  if (!is_ready_) return;
  unrelated_->send({Outgoing::Kind::kNotification,
                    wire::encode(wire::make_notification(method, std::move(params)))});
}

bool Session::wants_log(LogLevel level) const {
  return level >= log_level_ || options().has(Switch::kIgnoresLogLevel);
}

bool Session::subscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  if (subscriptions_.size() >= options().bounds.subscriptions) return subscriptions_.contains(uri);
  subscriptions_.insert(uri);
  return true;
}

void Session::unsubscribe(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  if (!options().has(Switch::kIgnoresUnsubscribe)) subscriptions_.erase(uri);
}

bool Session::is_subscribed(const std::string& uri) const {
  const std::lock_guard lock(mutex_);
  return subscriptions_.contains(uri);
}

bool Session::toggle_extra(Extra extra) {
  std::atomic<bool>& is_there = extras_[static_cast<std::size_t>(extra)];
  bool was_there = is_there;
  while (!is_there.compare_exchange_weak(was_there, !was_there)) {
  }
  return !was_there;
}

void Session::close() {
  calls_.cancel_all();
  tasks_.stop_all();
}

}  // namespace assay::server
