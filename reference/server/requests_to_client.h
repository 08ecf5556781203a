// The requests that the server has sent to the client and waits for.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>

#include "reference/transport/server_transport.h"
#include "reference/wire/id.h"
#include "reference/wire/json.h"
#include "reference/wire/message_fwd.h"

namespace assay::server {

// What became of a request to the client.
struct ClientAnswer {
  enum class Kind { kResult, kError, kTimedOut, kCancelled, kNotSupported };
  Kind kind = Kind::kResult;
  Json value = nullptr;  // the result or the error object
  bool is_result() const { return kind == Kind::kResult; }
  // For a person: why there is no result.
  std::string trouble() const;
};

// Thread safety: any thread may call any member.
class RequestsToClient {
 public:
  // Sends a request and waits for its response, until `stop` is requested or `timeout` has passed;
  // in both cases the client is told with `notifications/cancelled`, unless it was asked for a
  // task. A model takes its time: what asks for sampling carries a progress token of its own.
  ClientAnswer ask(transport::Sink& sink, std::string_view method, Json params,
                   std::chrono::milliseconds timeout, const std::stop_token& stop);
  // A response has arrived. False if nobody waits for it; then nothing happens.
  bool take(const wire::Message& response);

 private:
  std::mutex mutex_;  // guards the members below
  std::condition_variable_any has_arrived_;
  std::int64_t last_id_ = 0;
  // Null where no response has come yet.
  std::map<wire::Id, std::shared_ptr<const wire::Message>> pending_;
};

}  // namespace assay::server
