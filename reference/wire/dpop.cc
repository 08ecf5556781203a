#include "reference/wire/dpop.h"

#include <map>
#include <vector>

#include "reference/wire/base64.h"
#include "reference/wire/pkce.h"

namespace assay::wire {
namespace {

// The members that a thumbprint is made of, by the kind of key (RFC 7638, section 3.2; RFC 8037).
const std::map<std::string, std::vector<const char*>, std::less<>>& members_by_kind() {
  static const std::map<std::string, std::vector<const char*>, std::less<>> kMembers = {
      {"EC", {"crv", "kty", "x", "y"}}, {"OKP", {"crv", "kty", "x"}}, {"RSA", {"e", "kty", "n"}}};
  return kMembers;
}

}  // namespace

std::string access_token_hash(std::string_view token) {
  // A challenge is the same hash, in the same writing.
  return s256_challenge(token);
}

std::string content_digest(std::string_view body) {
  const std::string hash = decode_base64url(s256_challenge(body)).value_or("");
  return "sha-256=:" + encode_base64(hash) + ":";
}

std::string jwk_thumbprint(const Json& jwk) {
  const auto kind = jwk.is_object() ? jwk.find("kty") : jwk.end();
  if (!jwk.is_object() || kind == jwk.end() || !kind->is_string()) return "";
  const auto members = members_by_kind().find(kind->get<std::string>());
  if (members == members_by_kind().end()) return "";
  Json hashed = Json::object();
  for (const char* name : members->second) {
    const auto member = jwk.find(name);
    if (member == jwk.end() || !member->is_string()) return "";
    hashed[name] = *member;
  }
  return s256_challenge(hashed.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace assay::wire
