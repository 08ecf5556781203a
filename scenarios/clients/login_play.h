// What the plays share in which a client has to log in: a protected endpoint, the metadata of the
// resource, and an authorization server.
//
// Specification: basic/authorization, 2025-03-26 and later.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/office.h"
#include "harness/host/play.h"
#include "harness/runner/client_scenario.h"
#include "scenarios/clients/login_review.h"

namespace assay::scenarios {

// The topic of all of them: see ClientScenario::topic.
inline constexpr std::string_view kLoginTopic = "authorization";
// Where the metadata of the endpoint are, and of the whole server.
inline constexpr const char* kMetadataOfEndpoint = "/.well-known/oauth-protected-resource/mcp";
inline constexpr const char* kMetadataOfServer = "/.well-known/oauth-protected-resource";

// How the endpoint asks for a token.
struct LoginTerms {
  std::vector<std::string> metadata_paths = {kMetadataOfEndpoint};
  bool names_metadata = true;       // the first of them, in the challenge
  std::string scope;                // in the challenge; empty: none is named
  std::vector<std::string> scopes;  // scopes_supported; empty: it is not there
  std::string resource;             // what the metadata are about; empty: the endpoint
  // 2025-03-26: it is its own authorization server, and has no metadata of a resource.
  bool is_own_office = false;
  int offices = 1;               // authorization servers, of which one is named at a time
  std::size_t first_office = 0;  // that is named at first
  // How the challenge is written. All but the first are as good as that, and rarer.
  enum class Challenge {
    kPlain,
    kQuaint,     // the scheme in small letters, and values with commas and quotes
    kSecond,     // after one of another scheme
    kNextField,  // the same, in a field of its own
    kCapitals,   // the names of parameters in capitals
    kNone,       // there is no WWW-Authenticate
  };
  Challenge challenge = Challenge::kPlain;
  bool shouts_resource = false;  // the metadata name it with scheme and host in upper case
  bool binds_tokens = false;     // to keys: the scheme is DPoP
};

class LoginPlay : public harness::Play {
 public:
  explicit LoginPlay(LoginTerms terms) : terms_(std::move(terms)) {}

  std::optional<std::string> begin(const harness::Venue& venue) override;
  void end() override;
  bool asks_for_tokens() const override { return true; }
  bool was_taken_up() const override { return was_taken_up_; }
  // A request with a token passed.
  bool has_succeeded() const override { return admitted_ > 0; }
  harness::Feats feats() const override { return feats_; }
  void on_message(harness::Visit& visit) override;
  void on_result(const wire::Message& request, Json& result) override;
  std::optional<transport::HttpReply> on_request(const transport::HttpHead& request,
                                                 std::string_view body) override;
  // The common rules, then judge().
  void review(harness::Review& review) final;

 protected:
  // What the authorization server at that origin is to be like.
  virtual authorization::Knobs furnish(const std::string& /*origin*/) const { return {}; }
  // What this play is about.
  virtual void judge(LoginReview& /*review*/) {}
  // The same of a client that did not begin to log in.
  virtual void judge_idle(LoginReview& /*review*/) {}
  // A request with a token that holds. The scopes that it lacks; empty: it may pass.
  virtual std::string lacking(const authorization::Grant& /*grant*/, std::string_view /*body*/) {
    return "";
  }
  // What is answered to such a request in place of the server; nothing: the server answers.
  virtual std::optional<transport::HttpReply> in_place_of(const transport::HttpHead& /*request*/) {
    return std::nullopt;
  }
  // So many requests with a token have passed.
  virtual void on_admitted(int /*count*/, authorization::Server& /*server*/) {}

  const LoginTerms& terms() const { return terms_; }
  // From now on the next authorization server is named, and its tokens alone hold.
  void change_office() { current_ = (current_ + 1) % offices_.size(); }
  // By its number, from 1 on. Once the play has begun.
  harness::Office& office(int number) { return *offices_.at(static_cast<std::size_t>(number) - 1); }
  // How many authorization requests were answered by the server that is named.
  int authorizations() const { return offices_.empty() ? 0 : server().authorizations(); }

 private:
  authorization::Knobs furnished(const std::string& origin) const;
  std::optional<transport::HttpReply> resource_metadata(const transport::HttpHead& request) const;
  std::string challenge(std::string_view error, const std::string& scope) const;
  // The values of WWW-Authenticate.
  std::vector<std::string> challenges(std::string_view error, const std::string& scope) const;
  transport::HttpReply refuse(int status, std::string_view error, const std::string& scope) const;
  authorization::Server& server() const { return own_ ? *own_ : offices_.at(current_)->server(); }

  const LoginTerms terms_;
  harness::Venue venue_;  // of the stage's calls, and of review() behind them
  std::vector<std::unique_ptr<harness::Office>> offices_;
  std::size_t current_ = 0;
  std::unique_ptr<authorization::Server> own_;  // where there is no office
  int admitted_ = 0;
  bool was_taken_up_ = false;
  harness::Feats feats_;
};

// A tool that changes nothing, under the name that the official suite's clients call.
Json login_tool();
// The body calls it.
bool calls_login_tool(std::string_view body);

// What clients are seen to be able to do.
inline constexpr std::string_view kTakesGivenClient = "takes the client that it is given";
inline constexpr std::string_view kHasDocument = "has a metadata document";
inline constexpr std::string_view kRegisters = "registers";

// A client that somebody registered beforehand, and the context that names it.
inline constexpr const char* kGivenClient = "pre-registered-client";
inline constexpr const char* kGivenSecret = "pre-registered-secret-6f1d0c";
harness::ClientScenario with_given_client(harness::ClientScenario scenario);

// A scenario of the topic: over HTTP, and a client may say that it could do nothing. It judges the
// common rules and `rules`.
harness::ClientScenario login_scenario(std::string_view name, std::string_view task,
                                       std::unique_ptr<harness::Play> (*make)(),
                                       model::Revision::Question concerns,
                                       std::vector<catalogue::RequirementId> rules = {});

}  // namespace assay::scenarios
