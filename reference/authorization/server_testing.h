// A client of the reference authorization server that a test plays by hand.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "reference/authorization/server.h"
#include "reference/wire/base64.h"
#include "reference/wire/pkce.h"

namespace assay::authorization {

inline constexpr const char* kOrigin = "http://127.0.0.1:1";
inline constexpr const char* kCallback = "http://localhost:3000/callback";
inline constexpr const char* kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

// A client that the test plays by hand.
struct Visitor {
  explicit Visitor(Knobs knobs) : server(std::move(knobs), kOrigin) {}

  transport::HttpReply get(const std::string& target) {
    transport::HttpHead head;
    head.method = "GET";
    head.target = target;
    return server.handle(head, "").value_or(transport::HttpReply{404, {}, "", nullptr});
  }
  transport::HttpReply post(const std::string& target, const std::string& type,
                            const std::string& body, const transport::Headers& more = {}) {
    transport::HttpHead head;
    head.method = "POST";
    head.target = target;
    head.headers = {{"Content-Type", type}};
    head.headers.insert(head.headers.end(), more.begin(), more.end());
    return server.handle(head, body).value_or(transport::HttpReply{404, {}, "", nullptr});
  }
  transport::HttpReply ask_token(const wire::Form& form, const transport::Headers& more = {}) {
    return post(server.knobs().issuer_path + "/token", "application/x-www-form-urlencoded",
                wire::write_form(form), more);
  }
  Json register_with(const Json& metadata) {
    const transport::HttpReply reply =
        post(server.knobs().issuer_path + "/register", "application/json", metadata.dump());
    EXPECT_EQ(reply.status, 201) << reply.body;
    return Json::parse(reply.body);
  }
  std::string register_plainly() {
    return register_with({{"redirect_uris", {kCallback}}, {"token_endpoint_auth_method", "none"}})
        .at("client_id");
  }
  // With what is wrong in `changes`.
  transport::HttpReply authorize(const std::string& id, const wire::Form& changes = {}) {
    wire::Form form = {{"response_type", "code"},
                       {"client_id", id},
                       {"redirect_uri", kCallback},
                       {"code_challenge", wire::s256_challenge(kVerifier)},
                       {"code_challenge_method", "S256"},
                       {"state", "state-1"},
                       {"scope", "a b"},
                       {"resource", "http://localhost:2/mcp"}};
    for (const auto& [name, value] : changes) {
      std::erase_if(form, [&name = name](const auto& pair) { return pair.first == name; });
      if (!value.empty()) form.emplace_back(name, value);
    }
    return get(server.knobs().issuer_path + "/authorize?" + wire::write_form(form));
  }

  Server server;
};

inline wire::Form response_of(const transport::HttpReply& reply) {
  EXPECT_EQ(reply.status, 302) << reply.body;
  const auto location = transport::find_header(reply.headers, "Location").value_or("");
  EXPECT_TRUE(location.starts_with(kCallback)) << location;
  return wire::read_form(wire::query_in(location));
}

inline std::string code_of(const transport::HttpReply& reply) {
  return wire::form_value(response_of(reply), "code").value_or("");
}

inline std::string error_of(const transport::HttpReply& reply) {
  return Json::parse(reply.body).value("error", "");
}

inline wire::Form exchange_form(const std::string& id, const std::string& code) {
  return {{"grant_type", "authorization_code"},
          {"client_id", id},
          {"code", code},
          {"redirect_uri", kCallback},
          {"code_verifier", kVerifier},
          {"resource", "http://localhost:2/mcp"}};
}

}  // namespace assay::authorization
