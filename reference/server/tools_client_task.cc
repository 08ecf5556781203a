// A tool that asks the client for sampling as a task of the client's own, and follows that task.
// Specification: basic/utilities/tasks (2025-11-25), "Getting Tasks", "Retrieving Task Results".
#include <algorithm>
#include <optional>

#include "reference/server/content.h"
#include "reference/server/handlers.h"
#include "reference/server/session.h"
#include "reference/server/tools.h"
#include "reference/wire/message.h"

namespace assay::server {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kTtl = 60'000;          // milliseconds that the client is asked to keep it
constexpr std::int64_t kLongestPoll = 60'000;  // a client may not make a tool sleep for ever
constexpr int kMostPages = 16;                 // of the client's tasks

// The task of a client, as it was last seen.
class ClientTask {
 public:
  ClientTask(ToolDialogue& conversation, const Json& task)
      : conversation_(conversation), options_(conversation.session().options()) {
    take(task);
  }

  // Looks at the task, no more often than the client asks for, until it is at its end or needs
  // something; then fetches its result, on the way of which the client says what it needs.
  ClientAnswer follow() {
    if (options_.has(Switch::kWaitsForClientsWord) && !wait_for_word()) return gone();
    while (goes_on()) {
      if (!conversation_.wait(interval_)) return gone();
      ClientAnswer reply = conversation_.ask("tasks/get", {{"taskId", id_}});
      if (!reply.is_result()) return reply;
      take(reply.value);
      if (options_.has(Switch::kStopsPollingClient)) return gone();
      const bool is_told = conversation_.session().was_told_of_client_task();
      if (options_.has(Switch::kPollsClientUntilTold) && is_told) return gone();
    }
    return conversation_.ask("tasks/result", {{"taskId", id_}});
  }

  // Nobody waits for the task any more, so that the client need not work on it.
  void cancel() const { conversation_.ask_in_parting("tasks/cancel", {{"taskId", id_}}); }

  // How many tasks the client lists; nothing if it does not.
  std::optional<std::size_t> count_all() const {
    std::size_t count = 0;
    Json params = Json::object();
    for (int page = 0; page < kMostPages; ++page) {
      const ClientAnswer reply = conversation_.ask("tasks/list", params);
      if (!reply.is_result()) return std::nullopt;
      count += member(reply.value, "tasks").size();
      const std::optional<std::string> cursor = string_member(reply.value, "nextCursor");
      if (!cursor) return count;
      params["cursor"] = *cursor;
    }
    return count;
  }

 private:
  void take(const Json& task) {
    id_ = string_member(task, "taskId").value_or(id_);
    status_ = string_member(task, "status").value_or("");
    const Json& asked = member(task, "pollInterval");
    interval_ =
        asked.is_number_integer()
            ? milliseconds(std::clamp<std::int64_t>(asked.get<std::int64_t>(), 0, kLongestPoll))
            : options_.poll_interval;
    if (options_.has(Switch::kPollsClientAtOnce)) interval_ = milliseconds(0);
  }

  bool goes_on() const {
    if (status_ == "input_required") return options_.has(Switch::kIgnoresClientsNeed);
    return status_ == "working";
  }

  // By a fault only: waits for a notification, and not for long.
  bool wait_for_word() const {
    constexpr int kPatience = 5;
    const auto deadline = std::chrono::steady_clock::now() + kPatience * interval_;
    while (!conversation_.session().was_told_of_client_task()) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      if (!conversation_.wait(interval_ / 10)) return false;
    }
    return true;
  }

  static ClientAnswer gone() { return {ClientAnswer::Kind::kCancelled, nullptr}; }

  ToolDialogue& conversation_;
  const Options& options_;
  std::string id_;
  std::string status_;
  milliseconds interval_{0};
};

Answer sample(ToolDialogue& conversation, const Json& arguments) {
  const Json message = {{"role", "user"}, {"content", text_content(arguments.value("prompt", ""))}};
  Json params = {{"messages", Json::array({message})}, {"maxTokens", 100}};
  if (conversation.session().can_sample_as_task()) params["task"] = {{"ttl", kTtl}};
  const ClientAnswer reply = conversation.ask("sampling/createMessage", params);
  if (!reply.is_result()) return tool_error("Sampling failed: " + reply.trouble());
  const Json& created = member(reply.value, "task");
  if (!created.is_object()) return tool_text("The client sampled at once.");
  ClientTask task(conversation, created);
  const ClientAnswer result = task.follow();
  if (conversation.is_cancelled()) task.cancel();
  if (!result.is_result()) return tool_error("The client's task failed: " + result.trouble());
  std::string text = "The client's task gave its result.";
  if (const auto count = task.count_all()) {
    text += " It lists " + std::to_string(*count) + " tasks.";
  }
  return tool_text(text);
}

}  // namespace

void client_task_status(Session& session, const wire::Message&) {
  session.note_client_task();
}

std::vector<Tool> client_task_tools() {
  return {{.name = "test_sampling_task",
           .title = "Sampling as a task",
           .description = "Asks the client's model, as a task where the client can",
           .input_schema = required_arguments({{"prompt", {{"type", "string"}}}}),
           .run = sample,
           .is_slow = true,
           .exists = &model::Revision::has_core_tasks}};
}

}  // namespace assay::server
