#include "harness/host/play.h"

#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {

bool Visit::is_request(std::string_view method) const {
  return message_.kind() == wire::MessageKind::kRequest && message_.method() == method;
}

bool Visit::is_notification(std::string_view method) const {
  return message_.kind() == wire::MessageKind::kNotification && message_.method() == method;
}

bool Visit::answers(std::string_view id) const {
  const bool is_answer =
      message_.kind() == wire::MessageKind::kResult || message_.kind() == wire::MessageKind::kError;
  return is_answer && message_.id() == wire::Id::of_string(id);
}

void Visit::say(const Json& message) {
  say_raw(wire::encode(message));
}

void Visit::answer(Json result) {
  if (message_.id()) answer_ = wire::encode_result(*message_.id(), result);
}

void Visit::refuse(std::int64_t code, std::string_view why) {
  answer_ = wire::encode_error(message_.id(), code, why);
}

void Visit::reject(std::int64_t code, std::string_view why, const Json& data) {
  answer_ = wire::encode_error(message_.id(), code, why, data);
  is_rejected_ = true;
}

void Visit::ask(std::string_view id, std::string_view method, Json params) {
  say(wire::make_request(wire::Id::of_string(id), method, std::move(params)));
  await(id);
}

void Visit::await(std::string_view id) {
  steps_.back().asked.push_back(wire::Id::of_string(id).json_text());
}

void Visit::pause(std::chrono::milliseconds time) {
  await("assay-pause");
  steps_.back().at_most = time;
}

void Visit::settle(std::string_view id) {
  settled_.push_back(wire::Id::of_string(id).json_text());
}

}  // namespace assay::harness
