// What came of a request.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "reference/wire/json.h"

namespace assay::client {

struct ServerAnswer {
  enum class Kind {
    kResult,   // json is the result
    kError,    // json is the error object, as received
    kInvalid,  // json is a result that means nothing to us: its resultType is unknown
    kTimeout,  // no answer by the deadline
    kClosed,   // the connection, or the exchange that the answer belongs to, ended without one
  };
  Kind kind = Kind::kClosed;
  Json json;
  // For kInvalid, kTimeout and kClosed: why, in a sentence for a person.
  std::string detail;
  // Over HTTP: the status that the request was answered with, if that is known.
  int http_status = 0;
  // The session had expired, and a new one was begun; what the request named belongs to the old
  // one, so it was not repeated.
  bool is_session_new = false;

  bool is_result() const { return kind == Kind::kResult; }
  bool is_error() const { return kind == Kind::kError; }
  bool is_error(std::int64_t code) const { return is_error() && error_code() == code; }
  // The code of an error object that has one.
  std::optional<std::int64_t> error_code() const {
    if (!is_error() || !json.is_object()) return std::nullopt;
    const auto code = json.find("code");
    if (code == json.end() || !code->is_number_integer()) return std::nullopt;
    return code->get<std::int64_t>();
  }
};

}  // namespace assay::client
