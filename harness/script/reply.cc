#include "harness/script/reply.h"

#include <fmt/format.h>

#include "reference/wire/message.h"
#include "reports/escape.h"

namespace assay::harness {

std::optional<std::int64_t> Reply::error_code() const {
  return is_error() ? message_->error_code() : std::nullopt;
}

const Json& Reply::result() const {
  static const Json kNone;
  return is_result() ? message_->result() : kNone;
}

bool Reply::is_absent() const {
  const bool is_broken = !events_.empty() && events_.back() &&
                         events_.back()->observation.kind == transport::Observation::Kind::kBroken;
  return kind_ == Kind::kSilence || (kind_ == Kind::kGone && is_broken);
}

std::string Reply::awaited() const {
  const wire::Message* request = events_.empty() ? nullptr : events_.front()->message();
  if (request == nullptr || request->method().empty()) return "the answer";
  return fmt::format("the answer to {}", reports::printable_line(std::string(request->method())));
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
