// What the faults of a server that asks for tokens have in common.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "reference/transport/http_listener.h"
#include "reference/transport/http_protection.h"
#include "reference/wire/challenge.h"
#include "reference/wire/http_text.h"
#include "reference/wire/json.h"

namespace assay::server {

// "Bearer ..." of the request; nothing where there is no such field.
inline std::optional<std::string> credentials_of(const transport::HttpHead& request) {
  const auto field = transport::find_header(request.headers, "Authorization");
  return field ? std::optional<std::string>(*field) : std::nullopt;
}

inline bool shows(const transport::HttpHead& request, std::string_view token) {
  return credentials_of(request) == "Bearer " + std::string(token);
}

// Takes the request for one that shows this token.
inline void take_for(transport::HttpHead& request, std::string_view token) {
  std::erase_if(request.headers, [](const transport::Header& header) {
    return wire::equals_without_case(header.first, "Authorization");
  });
  request.headers.emplace_back("Authorization", "Bearer " + std::string(token));
}

// The method of a request's body, which may be anything.
inline std::string method_of(const Json& body) {
  return body.is_object() && body.contains("method") && body["method"].is_string()
             ? body["method"].get<std::string>()
             : "";
}

inline bool is_resource_metadata(const transport::HttpHead& request,
                                 const transport::HttpReply& reply) {
  return request.target.starts_with(transport::kResourceMetadataPath) && reply.status == 200;
}

// Of a server that refuses a token.
inline constexpr int kUnauthorizedStatus = 401;

// Whether this reply refuses for want of a good token.
inline bool is_refusal_of_token(const transport::HttpReply& reply) {
  return reply.status == kUnauthorizedStatus;
}

// Says 401, with the challenge of a server that does as it should.
inline void refuse(transport::HttpReply& reply) {
  reply = {kUnauthorizedStatus,
           {{"WWW-Authenticate",
             "Bearer resource_metadata=\"/.well-known/oauth-protected-resource/mcp\", "
             "scope=\"mcp:use\""}},
           "",
           nullptr};
}

inline void change_challenge(transport::HttpReply& reply,
                             const std::function<void(wire::Challenge&)>& change) {
  for (auto& [name, value] : reply.headers) {
    if (name != "WWW-Authenticate") continue;
    auto challenges = wire::read_challenges(value);
    if (challenges.empty()) continue;
    change(challenges.front());
    value = wire::write_challenge(challenges.front());
  }
}

inline void leave_out(wire::Challenge& challenge, std::string_view name) {
  std::erase_if(challenge.parameters, [&](const auto& each) { return each.first == name; });
}

}  // namespace assay::server
