// A web server that nobody is to visit: whoever fetches what a play only names is seen.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/transport/http_listener.h"

namespace assay::harness {

// Thread safety: any thread may call any member.
class Trap {
 public:
  // More is not remembered.
  static constexpr std::size_t kMostHits = 64;

  Trap();
  // Otherwise: why it cannot, in one sentence.
  std::optional<std::string> start() { return listener_.start(); }
  // "http://127.0.0.1:4711"; once started.
  std::string origin() const;
  // What was asked for, as it came: "GET /secret".
  std::vector<std::string> hits() const;
  void stop() { listener_.stop(); }

 private:
  transport::HttpReply take(const transport::HttpHead& request);

  mutable std::mutex mutex_;  // guards hits_
  std::vector<std::string> hits_;
  transport::HttpListener listener_;
};

}  // namespace assay::harness
