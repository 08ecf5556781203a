// An access token that the person who runs the suite has given for the target.
#pragma once

#include <string>
#include <string_view>

namespace assay::harness {

struct UserToken {
  enum class Standing {
    kGood,     // the target takes it
    kForeign,  // it was issued for another server
    kExpired,
  };
  std::string user;  // whose it is; two tokens of one user differ in their scopes
  std::string text;  // in confidence
  Standing standing = Standing::kGood;

  bool is_good() const { return standing == Standing::kGood; }
  // The value of the header field that shows it.
  std::string field() const { return "Bearer " + text; }
};

// What stands for the names of users where a token is none that the target takes.
inline constexpr std::string_view kForeignName = "foreign";
inline constexpr std::string_view kExpiredName = "expired";

}  // namespace assay::harness
