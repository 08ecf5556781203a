#include "scenarios/forged_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>
#include <variant>

#include "reference/transport/http_url.h"
#include "reference/wire/pkce.h"

namespace assay::scenarios {

using authorization::SigningKey;
using harness::TokenIssuer;
using transport::HttpUrl;

namespace {

constexpr std::int64_t kAnHour = 3600;
constexpr const char* kTokenType = "at+jwt";

// Of a server that nobody runs.
constexpr const char* kOtherServer = "https://another-server.assay.invalid/mcp";

Json header_of(const SigningKey& key, const char* algorithm = nullptr) {
  return {{"alg", algorithm == nullptr ? authorization::name(key.signing()) : algorithm},
          {"kid", key.id()},
          {"typ", kTokenType}};
}

std::string with_claim(const TokenIssuer& issuer, const char* name, Json value) {
  Json claims = issuer.claims();
  claims[name] = std::move(value);
  return issuer.sign(claims);
}

std::string signature_in(const std::string& token) {
  return token.substr(token.rfind('.') + 1);
}

// Claims that were changed behind the back of the signature.
std::string with_other_claims(const TokenIssuer& issuer) {
  const Json claims = issuer.claims();
  Json changed = claims;
  changed["sub"] = "administrator";
  const std::string signature = signature_in(issuer.sign(claims));
  return authorization::signed_part_of(header_of(issuer.key()), changed) + '.' + signature;
}

void add_wrong_times(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  Json expired = issuer.claims();
  expired["iat"] = TokenIssuer::now() - 2 * kAnHour;
  expired["exp"] = TokenIssuer::now() - kAnHour;
  all.push_back({"a token that expired an hour ago", issuer.sign(expired), true});
  all.push_back({"a token that holds from an hour on only (nbf)",
                 with_claim(issuer, "nbf", TokenIssuer::now() + kAnHour)});
}

void add_wrong_signatures(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  const SigningKey& key = issuer.key();
  const std::string unsigned_part =
      authorization::signed_part_of({{"alg", "none"}, {"typ", kTokenType}}, issuer.claims());
  all.push_back({"a token without a signature (alg: none)", unsigned_part + '.'});
  const std::string good = issuer.sign(issuer.claims());
  all.push_back({"a token whose signature was left out", good.substr(0, good.rfind('.') + 1)});
  all.push_back({"a token whose signature was cut in half",
                 good.substr(0, good.size() - signature_in(good).size() / 2)});
  all.push_back(
      {"a token whose claims were changed after it was signed", with_other_claims(issuer)});
  const auto published = authorization::VerifyingKey::read(key.jwk());
  const std::string pem = published ? published->pem() : "";
  all.push_back({"a token signed with the public key as a secret (alg: HS256)",
                 authorization::sign_by_secret(header_of(key, "HS256"), issuer.claims(), pem)});
  all.push_back(
      {"a token signed with the public key, without its last line end, as a secret (alg: "
       "HS256)",
       authorization::sign_by_secret(header_of(key, "HS256"), issuer.claims(),
                                     pem.substr(0, pem.find_last_not_of('\n') + 1))});
}

void add_other_signers(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  const SigningKey& other = issuer.strangers_key();
  all.push_back({"a token signed by another key, under the name of a published one",
                 other.sign_as(header_of(issuer.key()), issuer.claims())});
  all.push_back({"a token signed by a key that is not published (unknown kid)",
                 other.sign(issuer.claims(), kTokenType)});
  Json own = header_of(other);
  own["jwk"] = other.jwk();
  all.push_back({"a token that brings the key it was signed by (jwk in its header)",
                 other.sign_as(own, issuer.claims())});
  all.push_back({"a token that names another issuer",
                 with_claim(issuer, "iss", "https://another-issuer.assay.invalid")});
}

std::optional<HttpUrl> url_in(const std::string& text) {
  auto parsed = HttpUrl::parse(text);
  auto* url = std::get_if<HttpUrl>(&parsed);
  return url == nullptr ? std::nullopt : std::optional(std::move(*url));
}

std::string in_upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

class Nearby {
 public:
  Nearby(const TokenIssuer& issuer, std::vector<ForeignToken>& all) : issuer_(issuer), all_(all) {}

  void add(const std::string& audience, std::string path = "") {
    all_.push_back({{fmt::format("a token for {}", audience), with_claim(issuer_, "aud", audience)},
                    std::move(path)});
  }

  // Of a server with a path of its own on its host.
  // `is_endpoint`: that is where it is asked, too, so that it shows who is at other paths.
  void add_paths(const HttpUrl& url, bool is_endpoint) {
    const std::string name = url.origin() + url.target;
    add(name + "-of-another");
    // What is left without the last letter is neither the same path nor one above it.
    const std::size_t last_word = url.target.size() - url.target.rfind('/') - 1;
    if (last_word > 1) add(name.substr(0, name.size() - 1));
    add(url.origin() + "/another-server-of-this-host");
    if (!is_endpoint) return;
    const std::string upper = in_upper_case(url.target);
    if (upper != url.target) add(url.origin() + upper, upper);
    if (!url.target.ends_with('/')) add(name + "/", url.target + "/");
  }

  void add_origins(const HttpUrl& url) {
    HttpUrl other = url;
    other.port = static_cast<std::uint16_t>(url.port == 65535 ? 65534 : url.port + 1);
    add(other.text());
    add(fmt::format("{}://{}@another-server.assay.invalid{}", url.is_tls ? "https" : "http",
                    url.authority(), url.target));
  }

 private:
  const TokenIssuer& issuer_;
  std::vector<ForeignToken>& all_;
};

}  // namespace

std::vector<ForgedToken> invalid_tokens(const TokenIssuer& issuer) {
  std::vector<ForgedToken> all;
  add_wrong_times(issuer, all);
  add_wrong_signatures(issuer, all);
  add_other_signers(issuer, all);
  for (const ForgedToken& token : all) issuer.hide(token.text);
  return all;
}

std::vector<ForeignToken> foreign_tokens(const TokenIssuer& issuer,
                                         const std::string& endpoint_path) {
  std::vector<ForeignToken> all;
  Nearby nearby(issuer, all);
  nearby.add(kOtherServer);
  all.push_back({{"a token for several other servers",
                  with_claim(issuer, "aud",
                             Json::array({kOtherServer, "https://a-third.assay.invalid/mcp"}))},
                 ""});
  Json claims = issuer.claims();
  claims.erase("aud");
  all.push_back({{"a token for no server in particular (no aud)", issuer.sign(claims)}, "", true});
  if (const auto url = url_in(issuer.audience())) {
    nearby.add_origins(*url);
    if (url->target.size() > 1 && url->target.find('?') == std::string::npos) {
      nearby.add_paths(*url, url->target == endpoint_path);
    }
  }
  return all;
}

std::string token_of_other_scope(const TokenIssuer& issuer) {
  return with_claim(issuer, "scope", "assay:unheard-of");
}

std::string token_by(const TokenIssuer& issuer, const SigningKey& key) {
  std::string token = key.sign(issuer.claims(), kTokenType);
  issuer.hide(token);
  return token;
}

}  // namespace assay::scenarios
