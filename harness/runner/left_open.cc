#include "harness/runner/left_open.h"

#include <algorithm>

#include "harness/script/json_member.h"
#include "reference/wire/compose.h"

namespace assay::harness {
namespace {

using wire::MessageKind;

constexpr std::string_view kListen = "subscriptions/listen";

std::string what_is_asked(const wire::Message& request) {
  std::string what(request.method());
  if (what == "tools/call") {
    what += " " + std::string(text_member(request.params(), "name"));
    what += " " + member(request.params(), "arguments").dump();
  }
  return what;
}

}  // namespace

void LeftOpen::see(const Event& event) {
  if (event.message() != nullptr) see(event.n, event.is_from_client(), *event.message());
}

void LeftOpen::see(std::uint64_t n, bool is_ours, const wire::Message& message) {
  switch (message.kind()) {
    case MessageKind::kRequest:
      return see_request(n, is_ours, message);
    case MessageKind::kResult:
    case MessageKind::kError:
      return see_answer(!is_ours, message);
    case MessageKind::kNotification:
      return see_notification(is_ours, message);
    case MessageKind::kBatch:
      // What we ask in one may be refused as a whole.
      for (const wire::Message& each : message.members()) {
        if (!is_ours || each.kind() != MessageKind::kRequest) see(n, is_ours, each);
      }
      return;
    case MessageKind::kMalformed:
      return;
  }
}

void LeftOpen::see_request(std::uint64_t n, bool is_ours, const wire::Message& message) {
  if (!message.id()) return;
  Request request{n, what_is_asked(message), "", false};
  if (message.method() == "tasks/result") {
    request.task = std::string(text_member(message.params(), "taskId"));
  }
  open_.emplace(Key{is_ours, *message.id()}, std::move(request));
}

void LeftOpen::see_answer(bool is_ours, const wire::Message& message) {
  if (message.kind() == MessageKind::kResult) {
    see_task(message.result());
    see_task(member(message.result(), "task"));
  }
  if (!message.id()) return;
  const auto found = open_.find(Key{is_ours, *message.id()});
  if (found == open_.end()) return;
  const Request request = found->second;
  open_.erase(found);
  // A refusal, or a tool that says it is busy, tells nothing of what is still at work.
  const bool is_success =
      message.kind() == MessageKind::kResult && member(message.result(), "isError") != true;
  if (!request.task.empty() && message.kind() == MessageKind::kResult) tasks_.erase(request.task);
  if (!is_success) return;
  // What was cancelled may still be at work, and may be answered. It is over once the same call is
  // that began no earlier, and so took no less.
  std::erase_if(open_, [&](const auto& each) {
    const auto& [key, other] = each;
    return key.first == is_ours && other.is_cancelled && other.n < request.n &&
           other.what == request.what;
  });
}

void LeftOpen::see_notification(bool is_ours, const wire::Message& message) {
  see_task(message.params());
  if (message.method() != "notifications/cancelled") return;
  const Json& named = member(message.params(), "requestId");
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const auto& each) {
    return each.first.first == is_ours && wire::to_json(each.first.second) == named;
  });
  if (found == open_.end()) return;
  found->second.is_cancelled = true;
  // There is no work in a subscription, and so nothing is left of it once the cancellation is read.
  if (found->second.what == kListen) open_.erase(found);
}

void LeftOpen::see_task(const Json& object) {
  const std::string_view id = text_member(object, "taskId");
  const std::string_view status = text_member(object, "status");
  if (id.empty() || status.empty()) return;
  const bool is_over = status == "completed" || status == "failed" || status == "cancelled";
  if (!is_over) {
    tasks_.emplace(id);
  } else if (const auto found = tasks_.find(id); found != tasks_.end()) {
    tasks_.erase(found);
  }
}

}  // namespace assay::harness
