#include "harness/script/reply.h"

#include <fmt/format.h>

#include "reference/wire/message.h"

namespace assay::harness {

std::optional<std::int64_t> Reply::error_code() const {
  return is_error() ? message_->error_code() : std::nullopt;
}

const Json& Reply::result() const {
  static const Json kNone;
  return is_result() ? message_->result() : kNone;
}

std::string Reply::describe() const {
  switch (kind_) {
    case Kind::kResult:
      return "a result";
    case Kind::kError:
      if (const auto code = error_code()) return fmt::format("error {}", *code);
      return "an error without a whole-number code";
    case Kind::kRefused:
      return fmt::format("HTTP {} without a JSON-RPC answer", http_status_);
    case Kind::kGone:
      return "the end of the connection";
    case Kind::kSilence:
      return "silence";
    case Kind::kCutOff:
      return "not read any more";
  }
  return "";
}

}  // namespace assay::harness
