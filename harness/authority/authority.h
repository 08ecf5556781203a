// What is known of one authorization server, and how it is certified.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/authority/inquirer.h"
#include "reference/authorization/jws.h"
#include "reference/model/extension.h"
#include "reference/model/revision.h"
#include "reports/events.h"
#include "reports/result.h"

namespace assay::harness {

// One of the places where its metadata may be.
struct AuthorityDocument {
  std::string url;
  bool is_openid = false;  // OpenID Connect Discovery; otherwise RFC 8414
  AuthorityAnswer answer;

  // Metadata, of whichever issuer.
  bool is_there() const;
  // They are that issuer's, but for a slash behind it.
  bool is_of(const std::string& issuer) const;
};

// As whom it is asked.
struct AuthorityClient {
  std::string id;      // empty: there is none, and `why` says why
  std::string secret;  // empty: a public client
  std::string method = "none";
  std::shared_ptr<const authorization::SigningKey> key = nullptr;  // of one that signs
  std::string why;
  std::string hint;
  AuthorityAnswer registration;  // where it was registered by us

  bool is_known() const { return !id.empty(); }
  bool is_public() const { return secret.empty() && method == "none"; }
};

struct CertifyAuthorityOptions {
  std::string issuer;
  // Beside the issuer's own: where the user says that its endpoints are.
  std::vector<std::string> further_origins;
  std::vector<model::Revision> revisions;
  // Which scenarios are played.
  std::function<bool(std::string_view scenario)> wants = [](std::string_view) { return true; };
  // Judged beside the core; no authorization server declares them.
  std::vector<const model::Extension*> extensions;
  bool binds_drafts = false;  // otherwise what drafts of extensions demand is told as advice
  int catalogue_version = 0;  // only what this version of the catalogue required; 0: everything
  // Of a client that the user registered; empty: one is registered, where that is allowed.
  std::string client_id;
  std::string client_secret;
  // The private key of that client, where it shows who it is by signing (RFC 7523); null: none.
  std::shared_ptr<const authorization::SigningKey> client_key = nullptr;
  // What speaks for users of an enterprise, and is trusted by the authorization server; null: none
  // is.
  std::shared_ptr<const authorization::SigningKey> idp_key = nullptr;
  std::string idp_issuer;
  std::string idp_subject = "assay-user";
  std::string idp_key_id;  // its kid, where we publish it; empty: none is named
  // Elsewhere than on this machine a registration may stay for ever.
  bool may_register_anywhere = false;
  // The server that tokens are asked for (RFC 8707); empty: none is named.
  std::string resource;
  std::string scope;  // that is asked for; empty: none is named
  std::string redirect_uri = "http://127.0.0.1:33418/callback";
  // Shows a person the URL of the authorization request; null: nobody is there to log in.
  std::function<std::variant<wire::Form, std::string>(const std::string& url,
                                                      const std::string& state)>
      browse = nullptr;
  std::chrono::milliseconds patience{5000};
  std::shared_ptr<reports::Vault> vault = std::make_shared<reports::Vault>();
  // Ctrl-C: what was found so far is still reported.
  std::stop_token stop;
  // Called with the transcript of each scenario; may be empty.
  std::function<void(std::string_view run, std::string_view scenario, std::span<const EventPtr>)>
      on_transcript;
  reports::Target target;  // as the report shows it
};

// The places of the page, in its order. Empty where the issuer is no URL.
std::vector<AuthorityDocument> metadata_places(const std::string& issuer);

// Plays to the end, or until `stop`.
reports::Result certify_authority(const CertifyAuthorityOptions& options, reports::Events& events);

}  // namespace assay::harness
