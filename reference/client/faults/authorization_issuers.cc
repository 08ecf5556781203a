// What a client can get wrong when it compares issuers: near misses. Specification:
// basic/authorization of 2026-07-28, "Authorization Response Validation"; its page
// authorization-server-discovery, "Authorization Server Metadata Discovery".
#include "reference/client/faults/authorization.h"
#include "reference/transport/http_url.h"

namespace assay::client {
namespace {

Fault issuer_fault(std::string_view id, std::string_view description,
                   std::vector<std::string_view> breaks, void (*login)(LoginConduct& conduct)) {
  return login_fault(id, description, std::move(breaks), &model::Revision::has_issuer_validation, login);
}

std::vector<std::string_view> of_metadata() {
  return {"authorization.metadata-issuer-identical",
          "authorization.metadata-of-other-issuer-unused", "authorization.metadata-validated",
          "authorization.discovery-followed"};
}

std::vector<std::string_view> of_response() {
  return {"authorization.advertised-issuer-compared", "authorization.oauth-security-followed",
          "authorization.security-followed"};
}

std::vector<std::string_view> with(std::vector<std::string_view> rules, std::string_view rule) {
  rules.push_back(rule);
  return rules;
}

std::string origin_of(const std::string& url) {
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* read = std::get_if<transport::HttpUrl>(&parsed);
  return read == nullptr ? "" : read->origin();
}

std::string host_of(const std::string& url) {
  const auto parsed = transport::HttpUrl::parse(url);
  const auto* read = std::get_if<transport::HttpUrl>(&parsed);
  return read == nullptr ? "" : read->host;
}

bool differs_by_slash(const std::string& said, const std::string& meant) {
  return said == meant || said == meant + "/";
}
bool differs_by_case(const std::string& said, const std::string& meant) {
  return transport::lower_case(said) == transport::lower_case(meant);
}
bool differs_by_encoding(const std::string& said, const std::string& meant) {
  return wire::decode_form_text(said) == meant;
}
bool has_same_origin(const std::string& said, const std::string& meant) {
  return origin_of(said) == origin_of(meant);
}
bool has_same_host(const std::string& said, const std::string& meant) {
  return host_of(said) == host_of(meant);
}
bool has_same_beginning(const std::string& said, const std::string& meant) {
  return said.starts_with(meant);
}
bool is_same_if_said(const std::string& said, const std::string& meant) {
  return said.empty() || said == meant;
}

}  // namespace

std::vector<Fault> login_near_issuer_faults() {
  constexpr std::string_view kNormalizes = "authorization.issuer-not-normalized";
  constexpr std::string_view kValidates = "authorization.issuer-validated";
  std::vector<Fault> faults = {
      issuer_fault("login-metadata-issuer-with-slash",
                   "Accepts metadata whose issuer has a slash added", of_metadata(),
                   [](LoginConduct& c) { c.matches_metadata = differs_by_slash; }),
      issuer_fault("login-metadata-issuer-any-case",
                   "Accepts metadata whose issuer differs by upper case", of_metadata(),
                   [](LoginConduct& c) { c.matches_metadata = differs_by_case; }),
      issuer_fault("login-metadata-issuer-by-origin",
                   "Accepts metadata of another issuer on the same host and port", of_metadata(),
                   [](LoginConduct& c) { c.matches_metadata = has_same_origin; }),
      issuer_fault("login-metadata-issuer-by-host",
                   "Accepts metadata of another issuer on the same host", of_metadata(),
                   [](LoginConduct& c) { c.matches_metadata = has_same_host; }),
      issuer_fault("login-metadata-issuer-by-beginning",
                   "Accepts metadata whose issuer only begins as the right one", of_metadata(),
                   [](LoginConduct& c) { c.matches_metadata = has_same_beginning; }),
      issuer_fault("login-metadata-without-issuer", "Accepts metadata that name no issuer",
                   of_metadata(), [](LoginConduct& c) { c.matches_metadata = is_same_if_said; }),
      issuer_fault("login-issuer-any-case", "Accepts an issuer that differs by upper case",
                   with(of_response(), kNormalizes),
                   [](LoginConduct& c) { c.matches_response = differs_by_case; }),
      issuer_fault("login-issuer-decoded", "Decodes the issuer before it compares it",
                   with(of_response(), kNormalizes),
                   [](LoginConduct& c) { c.matches_response = differs_by_encoding; }),
      issuer_fault("login-issuer-by-beginning", "Compares the beginning of the issuer only",
                   with(of_response(), kValidates),
                   [](LoginConduct& c) { c.matches_response = has_same_beginning; }),
      issuer_fault("login-issuer-by-origin", "Compares host and port of the issuer only",
                   with(of_response(), kValidates),
                   [](LoginConduct& c) { c.matches_response = has_same_origin; }),
  };
  // What else their comparison lets pass.
  for (Fault& each : faults) {
    const bool is_loose = each.id.ends_with("-by-beginning") || each.id.ends_with("-by-origin") ||
                          each.id.ends_with("-by-host");
    if (is_loose) each.may_break = {kNormalizes, "authorization.unadvertised-issuer-compared"};
  }
  return faults;
}

}  // namespace assay::client
