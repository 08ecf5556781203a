#include "scenarios/reference_target_testing.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/authorization/signed_tokens.h"
#include "reference/server/faults/piped_server.h"
#include "reference/server/server.h"
#include "reference/transport/http_client.h"
#include "reference/transport/http_sse_client.h"
#include "reference/transport/http_url.h"

namespace assay::scenarios {

harness::TargetAccess reference_over_pipe(server::Options options, const server::Faults& faults) {
  server::turn_switches(faults, options);
  harness::TargetAccess access;
  access.kind = harness::TransportKind::kStdio;
  access.connect = [options, faults](transport::Observer& observer) {
    harness::Link link;
    link.transport = std::make_unique<server::PipedServer>(options, faults, observer);
    return link;
  };
  return access;
}

namespace {

server::Options with_switches(server::Options options, const server::Faults& faults,
                              const harness::Upstream* upstream) {
  server::turn_switches(faults, options);
  if (upstream != nullptr) options.upstream = upstream->url();
  return options;
}

// `protection`: by default there is none.
transport::HttpServerOptions http_options(const server::Options& options,
                                          ReferenceOverHttp::Answers answers,
                                          const std::string& host,
                                          transport::HttpProtection protection = {}) {
  transport::HttpServerOptions http;
  http.protection = std::move(protection);
  http.host = host;
  http.answers = answers;
  http.revisions = options.all_revisions();
  return http;
}

// What a server that does not tell its endpoint may make a test wait for.
constexpr std::chrono::milliseconds kAnswerTimeout{2000};

template <typename Attach>
harness::TargetAccess access_to(const std::string& text, harness::TransportKind kind,
                                const std::vector<transport::UserHeader>& headers, Attach attach) {
  harness::TargetAccess access;
  access.kind = kind;
  access.shell_form = text;
  access.connect = [url = std::get<transport::HttpUrl>(transport::HttpUrl::parse(text)), headers,
                    attach](transport::Observer& observer) {
    transport::HttpClientOptions options;
    options.limits.answer_timeout = kAnswerTimeout;
    options.headers = headers;
    harness::Link link;
    attach(url, options, observer, link);
    return link;
  };
  return access;
}

bool needs_protection(const server::Faults& faults) {
  return std::any_of(faults.begin(), faults.end(),
                     [](const server::Fault* fault) { return fault->needs_protection; });
}

std::shared_ptr<harness::TokenIssuer> started_issuer(
    std::vector<authorization::KnownClient> clients = {},
    std::shared_ptr<reports::Vault> vault = nullptr) {
  auto issuer = std::make_shared<harness::TokenIssuer>(authorization::Signing::kEs256,
                                                       std::move(clients), std::move(vault));
  if (const auto trouble = issuer->start()) throw std::runtime_error(*trouble);
  return issuer;
}

std::shared_ptr<harness::TokenIssuer> issuer_for(const server::Faults& faults) {
  const bool is_wanted = std::any_of(faults.begin(), faults.end(), [](const server::Fault* fault) {
    return fault->overlooks || fault->needs_signed_tokens;
  });
  return is_wanted ? started_issuer() : nullptr;
}

std::shared_ptr<authorization::OwnOffice> office_for(const server::Faults& faults) {
  const bool is_wanted = std::any_of(
      faults.begin(), faults.end(), [](const server::Fault* fault) { return fault->needs_office; });
  return is_wanted ? std::make_shared<authorization::OwnOffice>() : nullptr;
}

std::shared_ptr<harness::Upstream> started_upstream(
    bool is_wanted = true, std::shared_ptr<reports::Vault> vault = nullptr) {
  if (!is_wanted) return nullptr;
  auto upstream = std::make_shared<harness::Upstream>(std::move(vault));
  if (const auto trouble = upstream->start()) throw std::runtime_error(*trouble);
  return upstream;
}

std::shared_ptr<harness::Upstream> upstream_for(const server::Faults& faults) {
  return started_upstream(std::any_of(faults.begin(), faults.end(), [](const server::Fault* fault) {
    return fault->needs_upstream;
  }));
}

server::FaultyConduct::Office answers_of(const std::shared_ptr<authorization::OwnOffice>& office) {
  if (!office) return nullptr;
  return [office](const transport::HttpHead& request, std::string_view body) {
    return office->handle(request, body);
  };
}

// With tokens of that issuer, which may be bound to keys.
transport::HttpProtection protection_trusting(const server::Faults& faults,
                                              const std::string& issuer,
                                              const ReferenceOverHttp::Trusting& trusting) {
  const std::vector<transport::TokenDuty> overlooked = server::overlooked(faults);
  auto protection = server::protection_by(
      std::make_shared<authorization::SignedTokens>(issuer, overlooked), issuer,
      trusting.proofs
          ? std::make_shared<authorization::ProofsOfPossession>(overlooked, *trusting.proofs)
          : nullptr);
  protection.wants_proofs = trusting.wants_proofs;
  return protection;
}

transport::HttpProtection protection_for(const server::Faults& faults, bool is_protected,
                                         const harness::TokenIssuer* issuer,
                                         const std::shared_ptr<authorization::OwnOffice>& office,
                                         const ReferenceOverHttp::Trusting& trusting) {
  if (office) return server::protection_by(office, "");
  if (issuer != nullptr) return protection_trusting(faults, issuer->url(), trusting);
  const bool asks = is_protected || needs_protection(faults);
  return asks ? server::protection_of_reference() : transport::HttpProtection();
}

// However it listens, it is reached over the loopback.
std::string on_loopback(int port, std::string_view path) {
  return "http://127.0.0.1:" + std::to_string(port) + std::string(path);
}

}  // namespace

std::vector<harness::UserToken> reference_tokens() {
  using Standing = harness::UserToken::Standing;
  return {{"alice", std::string(server::kReferenceToken)},
          {"bob", std::string(server::kOtherUsersToken)},
          {"alice", std::string(server::kNarrowToken)},
          {"foreign", std::string(server::kForeignToken), Standing::kForeign},
          {"expired", std::string(server::kExpiredToken), Standing::kExpired}};
}

ReferenceOverHttp::ReferenceOverHttp(const server::Options& options, Answers answers,
                                     const server::Faults& faults, const std::string& host,
                                     bool is_protected)
    : ReferenceOverHttp(options, answers, faults, host, is_protected, issuer_for(faults),
                        office_for(faults), upstream_for(faults), Trusting{}) {}

ReferenceOverHttp::ReferenceOverHttp(const Trusting& trusting, const server::Faults& faults)
    : ReferenceOverHttp({}, Answers::kAuto, faults, "127.0.0.1", true,
                        started_issuer(trusting.clients, trusting.vault), nullptr,
                        started_upstream(trusting.has_upstream, trusting.vault), trusting) {}

ReferenceOverHttp::ReferenceOverHttp(const OwnOffice& office, const server::Faults& faults)
    : ReferenceOverHttp({}, Answers::kAuto, faults, "127.0.0.1", true, nullptr,
                        std::make_shared<authorization::OwnOffice>(office.has_metadata), nullptr,
                        Trusting{}) {}

ReferenceOverHttp::ReferenceOverHttp(const server::Options& options, Answers answers,
                                     const server::Faults& faults, const std::string& host,
                                     bool is_protected,
                                     std::shared_ptr<harness::TokenIssuer> issuer,
                                     std::shared_ptr<authorization::OwnOffice> office,
                                     std::shared_ptr<harness::Upstream> upstream,
                                     const Trusting& trusting)
    : issuer_(std::move(issuer)),
      office_(std::move(office)),
      upstream_(std::move(upstream)),
      good_(with_switches(options, faults, upstream_.get())),
      server_(good_, faults),
      conduct_(faults, answers_of(office_)),
      http_(server_,
            http_options(options, answers, host,
                         protection_for(faults, is_protected, issuer_.get(), office_, trusting)),
            &conduct_) {
  if (const auto trouble = http_.start()) throw std::runtime_error(*trouble);
}

ReferenceOverHttp::ReferenceOverHttp(const transport::HttpConduct& conduct)
    : good_(server::Options{}),
      server_(good_, {}),
      conduct_({}),
      http_(server_, http_options({}, Answers::kAuto, "127.0.0.1"), &conduct) {
  if (const auto trouble = http_.start()) throw std::runtime_error(*trouble);
}

harness::TargetAccess ReferenceOverHttp::http(const std::vector<transport::UserHeader>& headers,
                                              const std::string& query) const {
  return access_to(url() + query, harness::TransportKind::kHttp, headers,
                   [](const transport::HttpUrl& url, const transport::HttpClientOptions& options,
                      transport::Observer& observer, harness::Link& link) {
                     auto client = std::make_unique<transport::HttpClient>(url, options, observer);
                     link.http = client.get();
                     link.transport = std::move(client);
                   });
}

std::string ReferenceOverHttp::url() const {
  return on_loopback(http_.port(), "/mcp");
}

harness::TargetAccess ReferenceOverHttp::http_with(
    const std::vector<harness::UserToken>& tokens) const {
  const auto shows = [](const harness::UserToken& token) {
    return std::vector<transport::UserHeader>{{"Authorization", token.field(), true}};
  };
  harness::TargetAccess access;
  access.tokens = tokens;
  const std::vector<harness::UserToken> good = access.good_tokens();
  access = good.empty() ? http() : http(shows(good.front()));
  access.tokens = tokens;
  access.with_token = [this, shows](const harness::UserToken& token) {
    return http(shows(token)).connect;
  };
  access.upstream = upstream_;
  return access;
}

harness::TargetAccess ReferenceOverHttp::http_with_issuer() const {
  issuer_->learn(url(), kAnswerTimeout);
  harness::TargetAccess access = http_with(issuer_->tokens());
  access.issuer = issuer_;
  return access;
}

std::string ReferenceOverHttp::refresh_token_for(const std::string& client_id) const {
  issuer_->learn(url(), kAnswerTimeout);
  return issuer_->refresh_token_for(client_id);
}

harness::TargetAccess ReferenceOverHttp::http_sse() const {
  return access_to(on_loopback(http_.port(), "/sse"), harness::TransportKind::kHttpSse, {},
                   [](const transport::HttpUrl& url, const transport::HttpClientOptions& options,
                      transport::Observer& observer, harness::Link& link) {
                     auto client =
                         std::make_unique<transport::HttpSseClient>(url, options, observer);
                     link.http_sse = client.get();
                     link.transport = std::move(client);
                   });
}

}  // namespace assay::scenarios
