// How an authorization server answers in JSON.
#pragma once

#include "reference/transport/http_listener.h"
#include "reference/wire/json.h"

namespace assay::authorization {

inline transport::HttpReply json_reply(int status, const Json& json) {
  return {status,
          {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}},
          json.dump(-1, ' ', false, Json::error_handler_t::replace),
          nullptr};
}

inline transport::HttpReply refuse(int status, const char* error, const char* description) {
  return json_reply(status, {{"error", error}, {"error_description", description}});
}

}  // namespace assay::authorization
