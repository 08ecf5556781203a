// A message at the boundary, on its way out or in, for a fault to spoil.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/server_transport.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::server {

class Departure {
 public:
  // `request` is what the message answers, or null; it outlives the departure.
  Departure(std::string bytes, const wire::Message* request);

  bool is_result() const { return json_.is_object() && json_.contains("result"); }
  bool is_error() const { return json_.is_object() && json_.contains("error"); }
  bool answers(std::string_view method) const;
  // True for a result of that method.
  bool is_result_of(std::string_view method) const { return is_result() && answers(method); }
  // True for an error of that method and code.
  bool is_error_of(std::string_view method, std::int64_t code) const;
  bool has_error_code(std::int64_t code) const;
  bool is_notification(std::string_view method) const;
  // True for a request to the client.
  bool is_request(std::string_view method) const;
  // Nobody listens at present: it waits until its stream is resumed.
  bool is_unheard() const { return is_unheard_; }
  void note_unheard() { is_unheard_ = true; }
  // What the message answers, or null.
  const wire::Message* request() const { return request_; }

  // The message. What is changed in it is sent.
  Json& json() { return json_; }
  Json& result() { return json_["result"]; }
  Json& params() { return json_["params"]; }
  void set_error_code(std::int64_t code) { json_["error"]["code"] = code; }
  // Sends these bytes in place of the message, JSON or not.
  void set_bytes(std::string bytes) { bytes_ = std::move(bytes); }
  void drop() { is_dropped_ = true; }
  // Sends more, ahead of the message or behind it.
  void before(std::string bytes) { before_.push_back(std::move(bytes)); }
  void after(std::string bytes) { after_.push_back(std::move(bytes)); }

  // What is to be sent, in order.
  std::vector<std::string> take();
  // The text as it would be sent.
  std::string text() const;

 private:
  const wire::Message* request_;
  const std::string original_;
  const Json unspoiled_;
  Json json_;
  std::string bytes_;
  bool is_dropped_ = false;
  bool is_unheard_ = false;
  std::vector<std::string> before_;
  std::vector<std::string> after_;
};

// The params of what is answered; null where nothing is.
const Json& asked_params(const Departure& departure);

class Arrival {
 public:
  Arrival(const wire::Message& message, transport::Sink& sink) : message_(message), sink_(sink) {}

  const wire::Message& message() const { return message_; }
  bool is_notification() const;
  bool is_request(std::string_view method) const;
  void send(const Json& message);

 private:
  const wire::Message& message_;
  transport::Sink& sink_;
};

}  // namespace assay::server
