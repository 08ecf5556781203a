// What a scenario for authorization servers may say: ask for metadata, for a code, for a token; and
// judge what came.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/authority/authority.h"
#include "harness/finding.h"
#include "reference/wire/form.h"

namespace assay::harness {

// What is known beforehand, and is the same for all scenarios.
struct AuthorityFacts {
  std::string issuer;  // as its metadata say it, where they are those of the one that was named
  std::vector<AuthorityDocument> documents;  // in the order of the page
  Json metadata;                             // the first that are there; null: there are none
  AuthorityClient client;
};

// An authorization request as it should be; a scenario changes what it is about.
struct CodeRequest {
  std::string client_id;
  std::string redirect_uri;
  std::string verifier;  // empty: no code_challenge
  std::string response_type = "code";
  std::string second_redirect = {};  // named after the first; empty: there is but one
};

// What has come of it.
struct CodeResponse {
  AuthorityAnswer answer;            // the last that we had ourselves
  std::string location;              // where its redirect leads, which was not followed
  std::optional<wire::Form> result;  // what came to the redirect URI
  std::string trouble;               // why nothing came to it
  bool has_other_state = false;      // than was sent

  std::string value(std::string_view name) const;
  bool has_code() const { return !value("code").empty(); }
  // It was refused, on a page or at the redirect URI.
  bool is_refused() const;
  std::string describe() const;
};

class AuthorityScript {
 public:
  // `judge` is the scenario's name.
  AuthorityScript(const CertifyAuthorityOptions& options, const AuthorityFacts& facts,
                  Inquirer& inquirer, std::string judge)
      : options_(options), facts_(facts), inquirer_(inquirer), judge_(std::move(judge)) {}

  const AuthorityFacts& facts() const { return facts_; }
  const AuthorityClient& client() const { return facts_.client; }
  Inquirer& inquirer() { return inquirer_; }
  bool is_on_this_machine() const;
  const std::string& redirect_uri() const { return options_.redirect_uri; }
  // An endpoint that its metadata name and that may be asked; empty otherwise.
  std::string endpoint(std::string_view name) const;
  // A value of its metadata is true.
  bool says(std::string_view name) const;

  // Why no code can be asked for; nothing where all is there for it. Says so of the rules.
  bool lacks_means(std::initializer_list<catalogue::RequirementId> rules);
  // Of the client, with a verifier of its own.
  CodeRequest code_request() const;
  // Follows redirects within what may be asked. Where that comes to a page, a person is asked, if
  // `may_ask_person` and there is one.
  CodeResponse ask_for_code(const CodeRequest& request, bool may_ask_person = false);
  // Shows who the client is, and asks.
  AuthorityAnswer ask_for_token(wire::Form form) {
    return ask_for_token_as(facts_.client, std::move(form));
  }
  AuthorityAnswer ask_for_token_as(const AuthorityClient& client, wire::Form form,
                                   transport::Headers headers = {});
  AuthorityAnswer exchange_code(const CodeResponse& response, const CodeRequest& request,
                                const std::string& verifier) {
    return exchange_code_as(facts_.client, response, request, verifier);
  }
  AuthorityAnswer exchange_code_as(const AuthorityClient& client, const CodeResponse& response,
                                   const CodeRequest& request, const std::string& verifier);
  // A second client, which is registered like the first, and says `more`; one that is not known
  // where the first was not registered by us.
  AuthorityClient another_client(const Json& more = Json::object());

  // A client that may ask by such a grant, and shows who it is by "private_key_jwt", or by a
  // secret: the one that the user named, or one that is registered for it. Its `why` says why there
  // is none.
  AuthorityClient client_for(std::string_view grant, std::string_view method);
  const CertifyAuthorityOptions& options() const { return options_; }
  // A token was given without a code: there is more to judge than metadata.
  void note_token() { has_had_code_ = true; }

  // Judging; `detail` says what happened instead. A rule that only some revisions put that way says
  // so by the scenario's own revisions.
  void check(catalogue::RequirementId requirement, bool did_hold, std::vector<EventPtr> events,
             std::string detail);
  void unclear(catalogue::RequirementId requirement, std::string why,
               std::vector<EventPtr> events = {});
  void not_exercised(catalogue::RequirementId requirement, std::string why, std::string hint = "");
  void not_applicable(catalogue::RequirementId requirement, std::string why);
  bool has_spoken_of(catalogue::RequirementId requirement) const;
  Findings take_findings() { return std::move(findings_); }
  // Whether the client was given a code; and if it was not, why, as far as one was wanted.
  bool has_had_code() const { return has_had_code_; }
  const std::string& why_no_code() const { return why_no_code_; }

 private:
  void note_code() { has_had_code_ = true; }
  void note_no_code(const std::string& why) {
    if (why_no_code_.empty()) why_no_code_ = why;
  }
  CodeResponse follow_request(const CodeRequest& request, bool may_ask_person);
  Finding& add(Finding::Kind kind, catalogue::RequirementId requirement, std::string detail);
  wire::Form form_of(const CodeRequest& request, const std::string& state) const;
  // What the redirect brought to the redirect URI; nothing where it leads elsewhere.
  static std::optional<wire::Form> brought(const std::string& location, const std::string& to);
  void keep_cookies(const AuthorityAnswer& answer, const std::string& origin,
                    std::map<std::string, std::map<std::string, std::string>>& jar) const;

  const CertifyAuthorityOptions& options_;
  const AuthorityFacts& facts_;
  Inquirer& inquirer_;
  const std::string judge_;
  Findings findings_;
  bool has_had_code_ = false;
  std::string why_no_code_;
};

// The URL at which a client may be registered; empty where none may, and then the client's `why`
// and `hint` say why.
std::string registration_url(const Inquirer& inquirer, const CertifyAuthorityOptions& options,
                             const Json& metadata, AuthorityClient& client);
// Registers a client whose callback is ours; its `why` says why there is none.
// `more` is said in the registration as well.
AuthorityClient register_with(Inquirer& inquirer, const CertifyAuthorityOptions& options,
                              const Json& metadata, const Json& more = Json::object());

}  // namespace assay::harness
