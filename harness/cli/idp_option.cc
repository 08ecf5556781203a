#include "harness/cli/idp_option.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <variant>

#include "reference/transport/http_listener.h"
#include "reference/transport/http_url.h"
#include "reference/transport/loopback.h"
#include "reference/wire/http_text.h"
#include "reference/wire/json.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

using authorization::SigningKey;

// No key is longer.
constexpr std::size_t kMostKeyBytes = 64u << 10;

}  // namespace

std::shared_ptr<const SigningKey> read_key_option(const char* option, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostKeyBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  auto key = SigningKey::of_pem(text);
  if (key == nullptr) {
    throw UsageError(fmt::format("{} {}: this is no private key as PEM, RSA or P-256", option,
                                 reports::printable_line(path)));
  }
  return key;
}

IdpOption::IdpOption() = default;
IdpOption::~IdpOption() = default;

void IdpOption::declare(Arguments& arguments) {
  arguments.text("--idp", issuer_, "ISSUER",
                 "The issuer of an identity provider that mcp-assay stands in for, and that the "
                 "authorization server trusts (extensions enterprise-managed-authorization and "
                 "workload-identity-federation). If it is on this machine, its metadata and keys "
                 "are served there");
  arguments.text("--idp-subject", subject_, "SUB",
                 "With --idp: the user or workload for which it speaks (default: assay-user)");
  arguments.text("--idp-key", key_file_, "FILE",
                 "With --idp: sign with this private key (PEM; default: a new one)");
}

std::shared_ptr<const SigningKey> IdpOption::start() {
  if (issuer_.empty()) {
    if (!key_file_.empty()) throw UsageError("--idp-key needs --idp");
    return nullptr;
  }
  const auto parsed = transport::HttpUrl::parse(issuer_);
  const auto* url = std::get_if<transport::HttpUrl>(&parsed);
  if (url == nullptr) {
    throw UsageError(fmt::format("--idp {}: this is no URL", reports::printable_line(issuer_)));
  }
  const bool is_served = transport::is_loopback(*url) && !url->is_tls;
  if (!is_served && key_file_.empty()) {
    throw UsageError("--idp: an issuer elsewhere than on this machine needs --idp-key");
  }
  auto key = key_file_.empty() ? std::make_shared<const SigningKey>(authorization::Signing::kEs256)
                               : read_key_option("--idp-key", key_file_);
  if (!is_served) return key;
  const std::string base = issuer_.ends_with('/') ? issuer_.substr(0, issuer_.size() - 1) : issuer_;
  key_id_ = key->id();
  keys_ = Json{{"keys", Json::array({key->jwk()})}}.dump();
  metadata_ = Json{{"issuer", issuer_},
                   {"authorization_endpoint", base + "/authorize"},
                   {"token_endpoint", base + "/token"},
                   {"jwks_uri", base + "/jwks"},
                   {"response_types_supported", {"code"}},
                   {"subject_types_supported", {"public"}},
                   {"id_token_signing_alg_values_supported", {authorization::name(key->signing())}}}
                  .dump();
  serve(url->port);
  return key;
}

void IdpOption::serve(int port) {
  transport::HttpListener::Options options;
  options.port = port;
  listener_ = std::make_unique<transport::HttpListener>(
      std::move(options), [this](const transport::HttpHead& request, std::string_view) {
        const std::string_view path = wire::path_in(request.target);
        const bool is_keys = path.ends_with("/jwks");
        if (!is_keys && path.find("/.well-known/") == path.npos) {
          return transport::HttpReply{404, {{"Content-Type", "text/plain"}}, "Not found", nullptr};
        }
        return transport::HttpReply{
            200, {{"Content-Type", "application/json"}}, is_keys ? keys_ : metadata_, nullptr};
      });
  if (const auto trouble = listener_->start()) throw UsageError("--idp: " + *trouble);
}

}  // namespace assay::cli
