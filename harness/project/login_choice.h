// How the runs of one server come by a token, if they have to get one (login.h).
#pragma once

#include <cstdint>
#include <string>

namespace assay::cli {

// The values of LoginChoice::grant.
inline constexpr const char* kCodeGrant = "authorization-code";
inline constexpr const char* kClientGrant = "client-credentials";
inline constexpr const char* kRefreshGrant = "refresh-token";

struct LoginChoice {
  bool is_flagged = false;
  std::string grant;      // empty: an authorization code, if at all
  std::string client_id;  // empty: a client is registered
  std::int64_t callback_port = 0;
  // In confidence.
  std::string client_secret = "";
  std::string refresh_token = "";
  // Of a file of servers: what is not said there is not looked for in our environment, where it may
  // be meant for another server.
  bool is_of_list = false;

  bool is_wanted() const { return is_flagged || !grant.empty(); }
};

}  // namespace assay::cli
