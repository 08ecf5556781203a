#include "reference/server/tool_dialogue.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "reference/server/call.h"
#include "reference/server/durable_task.h"
#include "reference/server/session.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {

using transport::Outgoing;

ToolDialogue::ToolDialogue(Context& context, Setting setting)
    : context_(context), setting_(std::move(setting)) {}

Session& ToolDialogue::session() const {
  assert(context_.session() != nullptr);
  return *context_.session();
}

bool ToolDialogue::wait(std::chrono::milliseconds duration) const {
  std::mutex mutex;  // guards nothing: the only event is the stop request
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  const auto most = std::min(duration, context_.options().longest_wait);
  never.wait_for(lock, setting_.stop, most, [] { return false; });
  return !is_cancelled();
}

void ToolDialogue::progress(double progress, double total, std::string_view message) {
  Json token = setting_.progress_token;
  if (token.is_null() && context_.options().has(Switch::kProgressUnasked)) token = "unasked";
  if (token.is_null() || is_cancelled() || is_durable()) return;
  Json params = {{"progressToken", token}, {"progress", progress}, {"total", total}};
  if (context_.speaks().has_progress_message()) params["message"] = message;
  notify("notifications/progress", std::move(params));
}

void ToolDialogue::log(LogLevel level, const Json& data) {
  if (is_cancelled() || is_durable() || !context_.wants_log(level)) return;
  notify("notifications/message",
         {{"level", name(level)}, {"logger", "reference"}, {"data", data}});
}

ClientAnswer ToolDialogue::ask(std::string_view method, Json params) {
  if (!context_.can_ask(method, params) && !context_.options().has(Switch::kAsksUndeclared)) {
    return {ClientAnswer::Kind::kNotSupported, nullptr};
  }
  add_related_task(params);
  if (setting_.watcher) setting_.watcher->input_required();
  const Options& options = context_.options();
  // A call that waits holds a thread: nobody may take them all by not listening.
  const auto timeout = setting_.sink->can_ask()
                           ? options.client_timeout
                           : std::min(options.stream_timeout, options.client_timeout);
  ClientAnswer reply =
      session().requests_to_client().ask(*setting_.sink, method, params, timeout, setting_.stop);
  if (setting_.watcher) setting_.watcher->input_received();
  return reply;
}

std::vector<ClientAnswer> ToolDialogue::ask_together(
    const std::vector<TaskQuestion>& questions) const {
  for (const TaskQuestion& question : questions) {
    if (context_.can_ask(question.method, question.params)) continue;
    return {questions.size(), {ClientAnswer::Kind::kNotSupported, nullptr}};
  }
  return setting_.durable->ask(questions);
}

ClientAnswer ToolDialogue::ask_in_parting(std::string_view method, const Json& params) const {
  // A client that is gone or silent must not keep the thread of the call.
  constexpr std::chrono::milliseconds kMoment{500};
  if (!context_.can_ask(method, params)) return {ClientAnswer::Kind::kNotSupported, nullptr};
  return session().requests_to_client().ask(
      *setting_.sink, method, params, std::min(kMoment, context_.options().client_timeout), {});
}

void ToolDialogue::notify(std::string_view method, Json params) {
  add_related_task(params);
  setting_.sink->send(
      {Outgoing::Kind::kNotification, wire::encode(wire::make_notification(method, params))});
}

void ToolDialogue::add_related_task(Json& params) const {
  if (!setting_.task) return;
  if (!params.is_object()) params = Json::object();
  params["_meta"][std::string(kRelatedTask)] = related_task(*setting_.task);
}

Json related_task(std::string_view task_id) {
  return {{"taskId", task_id}};
}

}  // namespace assay::server
