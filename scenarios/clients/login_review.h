// What passed while a client logged in, as the steps of a login.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "reference/wire/form.h"

namespace assay::scenarios {

// Offices from this number on are of others than the authorization servers of the server: a client
// may use them without a word of the server's. Their steps are of no kind.
inline constexpr int kFirstStrangeOffice = 8;

// One HTTP exchange.
struct LoginStep {
  enum class Kind {
    kProtected,         // the endpoint
    kResourceMetadata,  // a well-known place of them, or where the challenge says
    kServerMetadata,    // a well-known place of them
    kRegister,
    kAuthorize,
    kToken,
    kOther,
  };
  Kind kind = Kind::kOther;
  int office = 0;             // at which authorization server's own origin, from 1 on
  bool is_at_office = false;  // at any
  bool binds_tokens = false;  // they may be shown under the scheme DPoP
  harness::EventPtr request;
  harness::EventPtr response;  // its head; null if none came
  harness::EventPtr body;      // of the response; null if there is none
  std::string path;
  wire::Form asked;  // the query; of a token request its body

  const transport::HttpHead& head() const { return *request->observation.http(); }
  int status() const { return response == nullptr ? 0 : response->observation.http()->status; }
  std::string value(std::string_view name) const {
    return wire::form_value(asked, name).value_or("");
  }
  bool has(std::string_view name) const { return wire::form_value(asked, name).has_value(); }
  // Of the target. The label of a credential holds a '#', which ends no query here.
  wire::Form query() const;
  // A member of the JSON body of the request, or of the response.
  Json sent_json() const;
  Json received_json() const;
  // Where it is the evidence: the request, and the response as far as it came.
  std::vector<harness::EventPtr> events() const;
};

class LoginReview {
 public:
  using Kind = LoginStep::Kind;

  // `is_own_office`: the server is its own authorization server. `binds_tokens`: to keys.
  LoginReview(harness::Review& review, const harness::Venue& venue, bool is_own_office,
              bool binds_tokens = false);

  harness::Review& review() { return review_; }
  const harness::Venue& venue() const { return venue_; }
  bool is_own_office() const { return is_own_office_; }
  // In order.
  const std::vector<LoginStep>& steps() const { return steps_; }
  std::vector<const LoginStep*> all(Kind kind) const;
  // Null if there is none.
  const LoginStep* first(Kind kind) const;
  // The client asked for something beside the endpoint: it tried to log in.
  bool has_begun() const;
  // Token requests that were granted.
  std::vector<const LoginStep*> granted() const;
  // The ids that registrations gave, at all authorization servers.
  const std::vector<std::string>& clients_made() const { return clients_made_; }
  // As labels.
  const std::vector<std::string>& access_tokens_given() const { return access_tokens_; }
  const std::vector<std::string>& refresh_tokens_given() const { return refresh_tokens_; }
  // What follows "Bearer", or "DPoP" where tokens are bound to keys, in Authorization; nothing for
  // anything else.
  static std::optional<std::string> bearer_of(const LoginStep& step);
  // The credential that a label stands for, to be judged by what it is; never to be shown.
  std::string bare(const std::string& label) const;
  // The first of the labels whose credential is in the text; null if none is.
  const std::string* held_in(std::string_view text, const std::vector<std::string>& labels) const;
  // The credential of that label is in the text, as its label or as it is.
  bool holds(std::string_view text, const std::string& label) const;
  bool has_redeemed_code() const;

  // Each of these judges the rules as well that say no more than that the rule is to be kept: see
  // login_sums.h.
  //
  // The client may not go on behind `step`: `next` is where it did; null if it did not. That is to
  // its credit where it is known to go on elsewhere.
  void check_refused(const std::vector<catalogue::RequirementId>& rules, const LoginStep& step,
                     const LoginStep* next, const std::string& detail);
  void check(catalogue::RequirementId rule, bool did_hold, std::string detail,
             const LoginStep& step);
  void check(catalogue::RequirementId rule, bool did_hold, std::string detail,
             std::vector<harness::EventPtr> events);
  // The events came in an order that is none by itself.
  void check_order(catalogue::RequirementId rule, bool did_hold, std::string detail,
                   std::vector<harness::EventPtr> events);
  // It did not come, although it might still.
  void check_came(catalogue::RequirementId rule, bool did_come, std::string detail,
                  const LoginStep& behind);

 private:
  LoginStep::Kind kind_of(const LoginStep& step) const;
  // Reads each answer of the authorization servers once, however often a client asks.
  void note_given();

  harness::Review& review_;
  const harness::Venue& venue_;
  const bool is_own_office_;
  std::vector<LoginStep> steps_;
  std::vector<std::string> clients_made_;
  std::vector<std::string> access_tokens_;
  std::vector<std::string> refresh_tokens_;
};

// The rules that judge_login() may speak of.
std::vector<catalogue::RequirementId> common_login_rules();
// What holds of each login, whatever the play is about.
void judge_login(LoginReview& login);
// The same of a registration.
void judge_registration(LoginReview& login, const LoginStep& step);
// The same of a redirect URI, which `step` names.
void judge_redirect_uri(LoginReview& login, const std::string& uri, const std::string& detail,
                        const LoginStep& step);
// The same of what becomes of the token.
void judge_token_use(LoginReview& login);
// The same of PKCE, by the values of verifiers and challenges.
void judge_pkce_values(LoginReview& login);
// The same of where credentials are shown.
void judge_credential_places(LoginReview& login);
// The same of OAuth 2.1, where the server is its own authorization server.
void judge_oauth(LoginReview& login);

}  // namespace assay::scenarios
