#include "fuzz/answer_check.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "fuzz/fuzzing.h"
#include "reference/model/validate.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using model::Direction;
using transport::Outgoing;
using wire::Message;
using wire::MessageKind;

bool is_response(const Message& message) {
  return message.kind() == MessageKind::kResult || message.kind() == MessageKind::kError;
}

// Of a response the id may be: it is given back as it came.
bool is_unusual(const Message& message) {
  return std::any_of(
      message.notices().begin(), message.notices().end(),
      [&](const wire::Notice& one) { return !is_response(message) || one.pointer != "/id"; });
}

}  // namespace

void check_server_message(model::Revision revision, std::string_view bytes,
                          const std::optional<std::string>& request_method) {
  require(bytes.find('\n') == std::string_view::npos, "a message is one line");
  const wire::Decoded decoded = wire::decode(bytes);
  const auto* message = std::get_if<Message>(&decoded);
  require(message != nullptr, "the server sends JSON");
  require(message->kind() != MessageKind::kMalformed, "the server sends JSON-RPC");
  require(!is_unusual(*message), "the server sends nothing unusual");
  std::optional<std::string_view> method;
  if (request_method) method = *request_method;
  const auto deviations =
      model::validate_message(revision, Direction::kServerToClient, message->json(), method);
  for (const model::Deviation& one : deviations) {
    if (one.strength != model::Strength::kMust) continue;
    std::fprintf(stderr, "%s\n%s\n", std::string(bytes).c_str(), model::to_text(one).c_str());
    require(false, "the server sends valid messages");
  }
}

AnswerCheck::AnswerCheck(std::string_view received, wire::Decoded decoded)
    : received_(received), decoded_(std::move(decoded)) {
  if (const auto* message = std::get_if<Message>(&decoded_)) collect_requests(*message);
}

void AnswerCheck::collect_requests(const Message& message) {
  const bool is_malformed = message.kind() == MessageKind::kMalformed;
  if ((message.kind() == MessageKind::kRequest || is_malformed) && message.id() &&
      message.id()->is_valid()) {
    requests_.push_back({*message.id(), std::string(message.method()), is_malformed});
  }
  for (const Message& member : message.members()) collect_requests(member);
}

void AnswerCheck::send(Outgoing message) {
  const std::lock_guard lock(mutex_);
  require(finished_ == 0, "nothing is sent when all has been said");
  sent_.push_back(std::move(message));
}

void AnswerCheck::finish() {
  const std::lock_guard lock(mutex_);
  ++finished_;
  changed_.notify_all();
}

bool AnswerCheck::wait_until_finished(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return finished_ > 0; });
}

bool AnswerCheck::may_take_long() const {
  return std::any_of(requests_.begin(), requests_.end(), [](const Request& request) {
    return request.method == "tools/call" || request.method == "tasks/result";
  });
}

void AnswerCheck::check(model::Revision revision, bool was_settled) const {
  const std::lock_guard lock(mutex_);
  require(finished_ == 1, "a received message is finished with once");
  check_answers(revision, was_settled);
}

void AnswerCheck::check_answers(model::Revision revision, bool was_settled) const {
  std::vector<bool> is_answered(requests_.size(), false);
  int refusals = 0;
  for (const Outgoing& out : sent_) {
    const wire::Decoded decoded = wire::decode(out.bytes);
    const auto* message = std::get_if<Message>(&decoded);
    require(message != nullptr, "the server sends JSON");
    if (out.kind == Outgoing::Kind::kRequest || out.kind == Outgoing::Kind::kNotification) {
      check_server_message(revision, out.bytes, std::nullopt);
      continue;
    }
    if (out.kind == Outgoing::Kind::kRefusal) ++refusals;
    if (message->kind() == MessageKind::kBatch) {
      require(!message->members().empty(), "no empty batch is sent");
      for (const Message& member : message->members()) check_answer(revision, member, is_answered);
    } else {
      check_answer(revision, *message, is_answered);
    }
  }
  require(refusals <= 1, "a message is refused once");
  if (!was_settled || refusals > 0) return;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (is_answered[i] || requests_[i].is_malformed) continue;
    std::fprintf(stderr, "%s\nno answer to %s\n", received_.c_str(),
                 requests_[i].id.json_text().c_str());
    require(false, "every request is answered");
  }
}

void AnswerCheck::check_answer(model::Revision revision, const Message& answer,
                               std::vector<bool>& is_answered) const {
  require(is_response(answer), "what answers is a response");
  std::optional<std::string> method;
  // A response without an id says that something was no request that could be read.
  if (answer.id() && answer.id()->is_valid()) {
    const Request* const asker = find_asker(answer, is_answered);
    if (asker == nullptr) {
      std::fprintf(stderr, "%s\n%s\n", received_.c_str(), std::string(answer.bytes()).c_str());
      require(false, "an answer answers a request, and once");
    } else if (!asker->is_malformed) {
      method = asker->method;
    }
  }
  check_server_message(revision, answer.bytes(),
                       answer.kind() == MessageKind::kResult ? method : std::nullopt);
}

// What that answers, and marks it as answered. A refusal goes to the malformed first: what is no
// request gets nothing else, and may share its id with one that is.
const AnswerCheck::Request* AnswerCheck::find_asker(const Message& answer,
                                                    std::vector<bool>& is_answered) const {
  const bool is_refusal =
      answer.kind() == MessageKind::kError && answer.error_code() == wire::kInvalidRequest;
  for (const bool is_malformed : {true, false}) {
    if (is_malformed && !is_refusal) continue;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (is_answered[i] || requests_[i].is_malformed != is_malformed) continue;
      if (requests_[i].id != *answer.id()) continue;
      is_answered[i] = true;
      return &requests_[i];
    }
  }
  return nullptr;
}

}  // namespace assay::fuzz
