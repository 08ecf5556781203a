// The address of an HTTP endpoint.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "reference/transport/client_transport.h"

namespace assay::transport {

struct HttpUrl {
  bool is_tls = false;  // https
  std::string host;     // without the brackets of an IPv6 address
  std::uint16_t port = 80;
  std::string target = "/";  // path and query

  // Reads "http://host[:port][/path][?query]" or the same with https; a fragment is dropped. User
  // names and passwords are refused: they would end up in reports.
  static std::variant<HttpUrl, Failure> parse(std::string_view text);
  // Resolves a reference that a server gave: an absolute URL, a path, or a query, against this one.
  std::variant<HttpUrl, Failure> resolve(std::string_view reference) const;

  // "http://host:port", with brackets and without the default port.
  std::string origin() const;
  // What a Host header says: origin() without its scheme.
  std::string authority() const;
  std::string text() const { return origin() + target; }

  friend bool operator==(const HttpUrl&, const HttpUrl&) = default;
};

}  // namespace assay::transport
