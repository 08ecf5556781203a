#include "scenarios/forged_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <variant>

#include "reference/transport/http_url.h"
#include "reference/wire/base64.h"
#include "reference/wire/pkce.h"

namespace assay::scenarios {

using authorization::SigningKey;
using harness::TokenIssuer;
using transport::HttpUrl;

namespace {

constexpr std::int64_t kAnHour = 3600;

// Of a server that nobody runs.
constexpr const char* kOtherServer = "https://another-server.assay.invalid/mcp";

Json header_of(const TokenIssuer& issuer, const SigningKey& key, const char* algorithm = nullptr) {
  return {{"alg", algorithm == nullptr ? authorization::name(key.signing()) : algorithm},
          {"kid", key.id()},
          {"typ", issuer.token_type()}};
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
  return authorization::signed_part_of(header_of(issuer, issuer.key()), changed) + '.' + signature;
}

void add_wrong_times(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  Json expired = issuer.claims();
  expired["iat"] = TokenIssuer::now() - 2 * kAnHour;
  expired["exp"] = TokenIssuer::now() - kAnHour;
  all.push_back({"a token that expired an hour ago", issuer.sign(expired), true});
  // What is a text, or 0, is no time to come either.
  for (const Json& end : {Json("1000000000"), Json(0)}) {
    expired["exp"] = end;
    all.push_back({fmt::format("a token whose exp is {}", end.dump()), issuer.sign(expired), true});
  }
  all.push_back({"a token that holds from an hour on only (nbf)",
                 with_claim(issuer, "nbf", TokenIssuer::now() + kAnHour)});
  all.push_back({"a token whose nbf is a text, and a time to come",
                 with_claim(issuer, "nbf", std::to_string(TokenIssuer::now() + kAnHour))});
}

void add_wrong_signatures(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  const SigningKey& key = issuer.key();
  const std::string unsigned_part = authorization::signed_part_of(
      {{"alg", "none"}, {"typ", issuer.token_type()}}, issuer.claims());
  all.push_back({"a token without a signature (alg: none)", unsigned_part + '.'});
  all.push_back({"a token without a signature (alg: nOnE)",
                 authorization::signed_part_of({{"alg", "nOnE"}, {"typ", issuer.token_type()}},
                                               issuer.claims()) +
                     '.'});
  all.push_back(
      {"a token without a signature, and without alg",
       authorization::signed_part_of({{"typ", issuer.token_type()}}, issuer.claims()) + '.'});
  const std::string good = issuer.sign(issuer.claims());
  all.push_back({"a good token with a fourth part at its end", good + ".YXNzYXk"});
  all.push_back({"a token whose signature was left out", good.substr(0, good.rfind('.') + 1)});
  all.push_back({"a token whose signature was cut in half",
                 good.substr(0, good.size() - signature_in(good).size() / 2)});
  all.push_back(
      {"a token whose claims were changed after it was signed", with_other_claims(issuer)});
  const auto published = authorization::VerifyingKey::read(key.jwk());
  const std::string pem = published ? published->pem() : "";
  all.push_back(
      {"a token signed with the public key as a secret (alg: HS256)",
       authorization::sign_by_secret(header_of(issuer, key, "HS256"), issuer.claims(), pem)});
  all.push_back(
      {"a token signed with the public key as a secret (alg: HS512)",
       authorization::sign_by_secret(header_of(issuer, key, "HS512"), issuer.claims(), pem)});
  all.push_back(
      {"a token signed with the word \"secret\" (alg: HS256)",
       authorization::sign_by_secret(header_of(issuer, key, "HS256"), issuer.claims(), "secret")});
  all.push_back(
      {"a token signed with the public key, without its last line end, as a secret (alg: "
       "HS256)",
       authorization::sign_by_secret(header_of(issuer, key, "HS256"), issuer.claims(),
                                     pem.substr(0, pem.find_last_not_of('\n') + 1))});
}

// The two numbers of a signature by P-256.
constexpr std::size_t kCurveSignature = 64;

void add_curve_signatures(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  const std::string begun =
      authorization::signed_part_of(header_of(issuer, issuer.curve_key()), issuer.claims()) + '.';
  for (const std::size_t size : {kCurveSignature, kCurveSignature / 2}) {
    all.push_back({fmt::format("a token whose signature (ES256) is {} zeros", size),
                   begun + wire::encode_base64url(std::string(size, '\0'))});
  }
}

// The key is found by what the token says of it: a file that is empty, or what a query gives.
void add_keys_by_name(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  struct Name {
    const char* what;
    const char* text;
    const char* secret;
  };
  constexpr std::array kNames = {
      Name{"the path of an empty file", "../../../../../../../../dev/null", ""},
      Name{"the path of an empty file from the root", "/dev/null", ""},
      Name{"a piece of SQL", "assay' UNION SELECT 'assay", "assay"}};
  for (const Name& name : kNames) {
    const Json header = {{"alg", "HS256"}, {"kid", name.text}, {"typ", issuer.token_type()}};
    all.push_back(
        {fmt::format("a token whose kid is {}, signed by the secret that it leads to", name.what),
         authorization::sign_by_secret(header, issuer.claims(), name.secret)});
  }
}

// Good, but for an extension that nobody knows and everybody has to (RFC 7515, section 4.1.11); and
// a token within a token, neither of which anybody vouches for.
void add_odd_forms(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  Json header = header_of(issuer, issuer.key());
  header["crit"] = Json::array({"assay-extension"});
  header["assay-extension"] = true;
  all.push_back({"a token with an extension that is critical (crit) and unknown",
                 issuer.key().sign_as(header, issuer.claims())});
  const SigningKey& other = issuer.strangers_key();
  const std::string inner = other.sign_as(header_of(issuer, issuer.key()), issuer.claims());
  const std::string outer = wire::encode_base64url(Json{{"alg", "none"}, {"cty", "JWT"}}.dump()) +
                            '.' + wire::encode_base64url(inner) + '.';
  all.push_back({"a token within an unsigned token, signed by another key", outer});
}

void add_other_issuers(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  const std::string& own = issuer.url();
  const std::array issuers = {
      std::pair("another issuer", Json("https://another-issuer.assay.invalid")),
      std::pair("an issuer that begins like the right one", Json(own + ".assay.invalid")),
      std::pair("an issuer that ends like the right one", Json("https://assay.invalid/?of=" + own)),
      std::pair("the right issuer and another one",
                Json::array({own, "https://another-issuer.assay.invalid"}))};
  for (const auto& [what, named] : issuers) {
    all.push_back({fmt::format("a token that names {}", what), with_claim(issuer, "iss", named)});
  }
}

void add_other_signers(const TokenIssuer& issuer, std::vector<ForgedToken>& all) {
  const SigningKey& other = issuer.strangers_key();
  all.push_back({"a token signed by another key, under the name of a published one",
                 token_of_stranger(issuer)});
  all.push_back({"a token signed by a key that is not published (unknown kid)",
                 other.sign(issuer.claims(), issuer.token_type())});
  Json own = header_of(issuer, other);
  own["jwk"] = other.jwk();
  all.push_back({"a token that brings the key it was signed by (jwk in its header)",
                 other.sign_as(own, issuer.claims())});
  Json elsewhere = header_of(issuer, other);
  elsewhere["jku"] = issuer.strangers_keys_url();
  all.push_back({"a token that says where the key is that it was signed by (jku in its header)",
                 other.sign_as(elsewhere, issuer.claims())});
  Json certified = header_of(issuer, other);
  certified["x5c"] = Json::array({wire::encode_base64(other.certificate())});
  all.push_back({"a token that brings the certificate of its key (x5c in its header)",
                 other.sign_as(certified, issuer.claims())});
  Json certified_elsewhere = header_of(issuer, other);
  certified_elsewhere["x5u"] = issuer.strangers_certificate_url();
  all.push_back({"a token that says where the certificate of its key is (x5u in its header)",
                 other.sign_as(certified_elsewhere, issuer.claims())});
  Json claims = issuer.claims();
  claims["iss"] = issuer.strangers_issuer();
  all.push_back({"a token of another issuer of the same host, signed by that issuer's key",
                 other.sign_as(header_of(issuer, other), claims)});
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
    const std::string below = (url.target.ends_with('/') ? "" : "/") + std::string("another");
    add(name + below, url.target + below);
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

std::string token_of_stranger(const TokenIssuer& issuer) {
  std::string token =
      issuer.strangers_key().sign_as(header_of(issuer, issuer.key()), issuer.claims());
  issuer.hide(token);
  return token;
}

std::vector<ForgedToken> invalid_tokens(const TokenIssuer& issuer) {
  std::vector<ForgedToken> all;
  add_wrong_times(issuer, all);
  add_wrong_signatures(issuer, all);
  add_curve_signatures(issuer, all);
  add_keys_by_name(issuer, all);
  add_odd_forms(issuer, all);
  add_other_issuers(issuer, all);
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
  nearby.add(kOtherServer + std::string("?of=") + issuer.audience());
  nearby.add(issuer.url());
  nearby.add(issuer.claims()["client_id"].get<std::string>());
  all.push_back(
      {{"a token for no server at all (aud: [])", with_claim(issuer, "aud", Json::array())},
       "",
       true});
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

std::string token_of_type(const TokenIssuer& issuer, const char* type) {
  std::string token = issuer.key().sign(issuer.claims(), type);
  issuer.hide(token);
  return token;
}

std::string token_until(const TokenIssuer& issuer, std::int64_t end) {
  return with_claim(issuer, "exp", end);
}

std::string token_of_other_scope(const TokenIssuer& issuer) {
  return with_claim(issuer, "scope", "assay:unheard-of");
}

std::string token_by(const TokenIssuer& issuer, const SigningKey& key) {
  std::string token = key.sign(issuer.claims(), issuer.token_type());
  issuer.hide(token);
  return token;
}

}  // namespace assay::scenarios
