// Bytes on a TCP connection of their own, be they HTTP or not.
#pragma once

#include <chrono>
#include <stop_token>
#include <string_view>

#include "fuzz/live/target/step.h"
#include "reference/transport/http_url.h"

namespace assay::fuzz {

struct RawReply {
  bool is_connected = false;
  int status = 0;  // of the last head that was read; 0 if there was none
};

// Connects, sends, and does with the connection as `end` says; reads until the peer closes it, an
// answer is complete or none can come any more, for `patience` at most. A stop ends every wait.
// Plain HTTP only.
RawReply send_raw_bytes(const transport::HttpUrl& url, std::string_view bytes, Step::End end,
                        std::chrono::milliseconds patience, const std::stop_token& stop = {});

}  // namespace assay::fuzz
