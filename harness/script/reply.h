// What came of one request: an answer, or how there was none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/transcript/transcript.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::harness {

class Reply {
 public:
  enum class Kind {
    kResult,   // a result with the request's id
    kError,    // an error with the request's id, or (for raw bytes) with a null id
    kRefused,  // the HTTP exchange ended without a JSON-RPC answer; http_status() tells how
    kGone,     // the connection or process ended first
    kSilence,  // nothing came before the deadline
    kCutOff,   // we had stopped reading; says nothing about the target
  };

  Reply(Kind kind, std::vector<EventPtr> events, std::shared_ptr<const wire::Message> message,
        int http_status)
      : kind_(kind),
        events_(std::move(events)),
        message_(std::move(message)),
        http_status_(http_status) {}

  Kind kind() const { return kind_; }
  bool is_result() const { return kind_ == Kind::kResult; }
  bool is_error() const { return kind_ == Kind::kError; }
  bool is_error(std::int64_t code) const { return is_error() && error_code() == code; }
  // Nothing came in time, or the HTTP exchange broke off: anything in between may have dropped it.
  bool is_absent() const;
  // The target dealt with the request in some way: an answer, or an HTTP status.
  bool is_answered() const { return is_result() || is_error(); }
  std::optional<std::int64_t> error_code() const;
  // The result; null unless is_result().
  const Json& result() const;
  // The whole answer; null unless is_answered().
  const wire::Message* message() const { return message_.get(); }
  // The status of the HTTP exchange; 0 over other transports or where none arrived.
  int http_status() const { return http_status_; }
  // The request's event, then the answer's: what a finding shows as evidence.
  const std::vector<EventPtr>& events() const { return events_; }
  // What was waited for: "the answer to tools/list".
  std::string awaited() const;
  // What came, in a few words: "a result", "error -32602", "HTTP 404", "no answer within 5 s".
  std::string describe() const;

 private:
  Kind kind_;
  std::vector<EventPtr> events_;
  std::shared_ptr<const wire::Message> message_;
  int http_status_;
};

}  // namespace assay::harness
