// What an HTTP server looks at before it reads a message: who asks, and in what form.
//
// Specification: basic/transports, "Security Warning" (Origin; DNS rebinding) and "Sending
// Messages".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/transport/accept.h"
#include "reference/transport/http_conduct.h"

namespace assay::transport {

// The host of an authority or an origin, lower case and without port: "http://[::1]:80" gives
// "[::1]".
std::string host_name(std::string_view authority_or_origin);

// A reply with an error of JSON-RPC that answers no request.
HttpReply error_reply(int status, std::string_view message);

class HttpGuard {
 public:
  HttpGuard(std::vector<std::string> allowed_hosts, const HttpConduct& conduct)
      : allowed_hosts_(std::move(allowed_hosts)), conduct_(conduct) {}

  // 403, if the request is addressed to a name that is not ours or comes from a page that is not.
  std::optional<HttpReply> check_origin(const HttpHead& request) const;
  // 415 and 406, for a POST that carries a message.
  std::optional<HttpReply> check_form(const HttpHead& request, Acceptance takes) const;

 private:
  bool is_ours(std::string_view host) const;
  bool is_our_origin(std::string_view origin) const;

  const std::vector<std::string> allowed_hosts_;
  const HttpConduct& conduct_;
};

}  // namespace assay::transport
