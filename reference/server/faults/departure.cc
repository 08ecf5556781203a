#include "reference/server/faults/departure.h"

#include <utility>

#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::server {

Departure::Departure(std::string bytes, const wire::Message* request)
    : request_(request),
      original_(std::move(bytes)),
      unspoiled_(Json::parse(original_, nullptr, false)),
      json_(unspoiled_) {}

std::string Departure::text() const {
  if (!bytes_.empty()) return bytes_;
  // What no fault has touched leaves as it came, down to the last byte; so does what a Json cannot
  // hold, such as an id of half a character.
  const bool is_untouched = json_.is_discarded() || json_ == unspoiled_;
  return is_untouched ? original_ : wire::encode(json_);
}

bool Departure::answers(std::string_view method) const {
  return request_ && request_->method() == method;
}

bool Departure::has_error_code(std::int64_t code) const {
  return is_error() && json_.at("error").value("code", std::int64_t{0}) == code;
}

bool Departure::is_error_of(std::string_view method, std::int64_t code) const {
  return answers(method) && has_error_code(code);
}

bool Departure::is_request(std::string_view method) const {
  return json_.is_object() && json_.contains("id") && json_.value("method", "") == method;
}

bool Departure::is_notification(std::string_view method) const {
  return json_.is_object() && !json_.contains("id") && json_.value("method", "") == method;
}

std::vector<std::string> Departure::take() {
  std::vector<std::string> all = std::move(before_);
  if (!is_dropped_) all.push_back(text());
  for (std::string& bytes : after_) all.push_back(std::move(bytes));
  return all;
}

const Json& asked_params(const Departure& departure) {
  static const Json kNone = nullptr;
  const wire::Message* request = departure.request();
  return request != nullptr && request->has_params() ? request->params() : kNone;
}

bool Arrival::is_notification() const {
  return message_.kind() == wire::MessageKind::kNotification;
}

bool Arrival::is_request(std::string_view method) const {
  return message_.kind() == wire::MessageKind::kRequest && message_.method() == method;
}

void Arrival::send(const Json& message) {
  const auto kind = message.contains("method") ? transport::Outgoing::Kind::kNotification
                                               : transport::Outgoing::Kind::kResponse;
  sink_.send({kind, wire::encode(message)});
}

}  // namespace assay::server
