#include "harness/host/trap.h"

#include <fmt/format.h>

#include "reference/transport/http_guard.h"

namespace assay::harness {

Trap::Trap()
    : listener_(
          transport::HttpListener::Options::for_few(),
          [this](const transport::HttpHead& request, std::string_view) { return take(request); }) {}

std::string Trap::origin() const {
  return fmt::format("http://127.0.0.1:{}", listener_.port());
}

std::vector<std::string> Trap::hits() const {
  const std::lock_guard lock(mutex_);
  return hits_;
}

transport::HttpReply Trap::take(const transport::HttpHead& request) {
  constexpr std::size_t kLongest = 200;
  const std::lock_guard lock(mutex_);
  if (hits_.size() < kMostHits) {
    hits_.push_back(request.method.substr(0, kLongest) + " " + request.target.substr(0, kLongest));
  }
  return transport::error_reply(404, "Not found: no client should look here");
}

}  // namespace assay::harness
