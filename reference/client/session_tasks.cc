// Calls that go on as tasks: they are asked about until they end, and given what they ask for.
// Specification: the extension io.modelcontextprotocol/tasks, "Task Polling", "Task Update
// Requests", "Task Cancellation".
#include <algorithm>
#include <cstdint>
#include <utility>

#include "reference/client/session_impl.h"

namespace assay::client {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// For a server that does not say how often it may be asked.
constexpr std::int64_t kUsualInterval = 500;
// A server may name any times; none is waited for longer.
constexpr std::int64_t kLongestTime = 24L * 60 * 60 * 1000;
// For the acknowledgment that a task is cancelled.
constexpr milliseconds kDropPatience{2000};

const Json& task_member(const Json& task, std::string_view name) {
  static const Json kNothing;
  if (!task.is_object()) return kNothing;
  const auto found = task.find(name);
  return found == task.end() ? kNothing : *found;
}

std::optional<milliseconds> time_in(const Json& task, std::string_view name) {
  const Json& given = task_member(task, name);
  if (!given.is_number_integer()) return std::nullopt;
  return milliseconds(std::clamp(given.get<std::int64_t>(), std::int64_t{1}, kLongestTime));
}

ServerAnswer no_answer(ServerAnswer::Kind kind, const char* why) {
  ServerAnswer reply;
  reply.kind = kind;
  reply.detail = why;
  return reply;
}

// What a task that has ended makes of its call; nothing while it goes on.
std::optional<ServerAnswer> outcome_of(const Json& task) {
  const Json& status = task_member(task, "status");
  ServerAnswer reply;
  if (status == "completed") {
    reply.kind = ServerAnswer::Kind::kResult;
    reply.json = task_member(task, "result");
  } else if (status == "failed") {
    reply.kind = ServerAnswer::Kind::kError;
    reply.json = task_member(task, "error");
  } else if (status == "cancelled") {
    return no_answer(ServerAnswer::Kind::kClosed, "the task was cancelled");
  } else if (status == "working" || status == "input_required") {
    return std::nullopt;
  } else {
    return no_answer(ServerAnswer::Kind::kInvalid, "the task has a status that we do not know");
  }
  const Json& type = task_member(reply.json, "resultType");
  if (reply.json.is_object() && (type.is_null() || type == "complete")) return reply;
  return no_answer(ServerAnswer::Kind::kInvalid, "the task ended without what it ended in");
}

}  // namespace

ServerAnswer ClientSession::Impl::followed(const Json& created, Deadline deadline) {
  const auto task = created["taskId"].get<std::string>();
  auto interval = time_in(created, "pollIntervalMs").value_or(milliseconds(kUsualInterval));
  // From when we heard of it: the server's clock may be another one.
  if (const auto ttl = time_in(created, "ttlMs")) {
    deadline = std::min(deadline, Clock::now() + *ttl);
  }
  std::set<std::string> answered;
  while (true) {
    if (options_.tasks.is_tireless) interval = milliseconds(1);
    const Deadline next = Clock::now() + interval;
    if (!pause_until(std::min(next, deadline))) {
      return no_answer(ServerAnswer::Kind::kClosed, "the connection ended before the task");
    }
    if (next > deadline) {
      drop_task(task);
      return no_answer(ServerAnswer::Kind::kTimeout, "the task did not end in time");
    }
    ServerAnswer shown = look_at(task, deadline);
    if (!shown.is_result()) return shown;
    if (auto outcome = outcome_of(shown.json)) return *std::move(outcome);
    if (!options_.tasks.keeps_first_interval) {
      interval = time_in(shown.json, "pollIntervalMs").value_or(interval);
    }
    const Json& requests = task_member(shown.json, "inputRequests");
    if (task_member(shown.json, "status") != "input_required" || !requests.is_object()) continue;
    if (auto trouble = give(task, requests, answered, deadline)) return *std::move(trouble);
  }
}

ServerAnswer ClientSession::Impl::look_at(const std::string& task, Deadline deadline) {
  ServerAnswer shown = wait_for(begin("tasks/get", {{"taskId", task}}, {}, {}), deadline);
  if (shown.kind == ServerAnswer::Kind::kTimeout) drop_task(task);
  return shown;
}

// A task shows for a while what it has been given already. Why there is no going on; nothing if
// there is.
std::optional<ServerAnswer> ClientSession::Impl::give(const std::string& task, const Json& requests,
                                                      std::set<std::string>& answered,
                                                      Deadline deadline) {
  Json open = requests;
  for (const std::string& key : answered) open.erase(key);
  if (open.empty()) return std::nullopt;
  const std::optional<Json> responses = responses_to(open);
  if (!responses) {
    drop_task(task);
    return no_answer(ServerAnswer::Kind::kInvalid, "the task asks for what we do not offer");
  }
  const Json params = {{"taskId", task}, {"inputResponses", *responses}};
  ServerAnswer taken = wait_for(begin("tasks/update", params, {}, {}), deadline);
  if (taken.kind == ServerAnswer::Kind::kTimeout) drop_task(task);
  if (!taken.is_result()) return taken;
  if (options_.tasks.forgets_answers) return std::nullopt;
  for (const auto& [key, response] : responses->items()) answered.insert(key);
  return std::nullopt;
}

// False if the connection ended meanwhile.
bool ClientSession::Impl::pause_until(Deadline deadline) {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, deadline, [this] { return closed_.has_value(); });
  return !closed_;
}

// It is of no interest any more, and neither is what the server makes of that.
void ClientSession::Impl::drop_task(const std::string& task) {
  if (options_.tasks.cancels_as_call) {
    notify("notifications/cancelled", {{"requestId", task}});
    return;
  }
  wait_for(begin("tasks/cancel", {{"taskId", task}}, {}, {}), Clock::now() + kDropPatience);
}

}  // namespace assay::client
