#include "harness/script/answers.h"

#include <set>

#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::Message;
using wire::MessageKind;

bool is_answer(const Message& message) {
  return message.kind() == MessageKind::kResult || message.kind() == MessageKind::kError ||
         (message.kind() == MessageKind::kMalformed && message.id() && message.method().empty());
}

}  // namespace

const Message* find_answer(const wire::Id& id, const Message& message) {
  if (is_answer(message) && message.id() == id) return &message;
  for (const Message& member : message.members()) {
    if (const Message* found = find_answer(id, member)) return found;
  }
  return nullptr;
}

bool has_null_id(const Message& message) {
  return message.kind() == MessageKind::kError &&
         (!message.id() || message.id()->kind() == wire::Id::Kind::kNull);
}

bool is_only_open(const Transcript& transcript, const EventPtr& request, const Event& error) {
  if (!request) return false;
  std::set<wire::Id> open;
  EventPtr last;
  for (const EventPtr& event : transcript.events()) {
    if (event->n >= error.n) break;
    const Message* message = event->message();
    if (event->is_from_client()) {
      last = event;
      const bool is_plain = message != nullptr && message->kind() != MessageKind::kBatch &&
                            message->kind() != MessageKind::kMalformed;
      if (!is_plain) return false;
      if (message->kind() == MessageKind::kRequest) open.insert(*message->id());
    } else if (message != nullptr && message->id() && message->method().empty()) {
      open.erase(*message->id());
    }
  }
  return last == request && open.size() == 1;
}

}  // namespace assay::harness
