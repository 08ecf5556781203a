// Where a client has its id from: of somebody who registered it beforehand, of its metadata
// document, or of a registration; and which of them it prefers.
//
// Specification: basic/authorization, "Client Registration Approaches" (2025-11-25); 2026-07-28:
// basic/authorization/client-registration.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/peer_json.h"
#include "scenarios/clients/login_play.h"

namespace assay::scenarios {
namespace {

using authorization::Knobs;
using harness::ClientScenarioRegistration;
using harness::Play;
using Kind = LoginStep::Kind;

void give_client(Knobs& knobs) {
  knobs.clients = {{kGivenClient, kGivenSecret, authorization::kSecretInHeader, {}}};
  knobs.auth_methods = {authorization::kSecretInHeader};
}

// Of what a document says of itself.
constexpr std::size_t kMostQuoted = 200;

bool is_url(std::string_view id) {
  return id.find("://") != std::string_view::npos;
}

// Nobody registers, and the client has an id and a secret.
class GivenClientPlay : public LoginPlay {
 public:
  GivenClientPlay() : LoginPlay({}) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.registers = false;
    give_client(knobs);
    return knobs;
  }
  // Whoever does not use it may have another way to be given one.
  void judge(LoginReview& login) override {
    const LoginStep* request = nullptr;
    for (const LoginStep* step : login.all(Kind::kAuthorize)) {
      if (step->value("client_id") == kGivenClient && step->status() == 302) request = step;
    }
    if (request == nullptr) return;
    const LoginStep* bare = nullptr;
    for (const LoginStep* step : login.all(Kind::kToken)) {
      if (step->request->at < request->request->at) continue;
      const bool shows_secret =
          step->has("client_secret") ||
          transport::find_header(step->head().headers, "Authorization").has_value();
      if (!shows_secret) {
        bare = step;
        continue;
      }
      if (step->status() == 200) {
        login.check("authorization.static-credentials-supported", true, "", *step);
      }
      return;
    }
    if (bare == nullptr) return;
    login.check("authorization.static-credentials-supported", false,
                "the client uses the id that it was given, and not the secret that was given with "
                "it",
                *bare);
  }
};

// What the draft forbids in a document: no secret is known to both, where anybody can read it
// (OAuth Client ID Metadata Document, section 4.1). Empty where nothing is wrong.
std::string secret_in(const Json& document) {
  constexpr std::array<std::string_view, 3> kBySecret = {
      "client_secret_post", "client_secret_basic", "client_secret_jwt"};
  for (const char* name : {"client_secret", "client_secret_expires_at"}) {
    if (!document.value(name, Json()).is_null()) return name;
  }
  const std::string_view method = harness::text_member(document, "token_endpoint_auth_method");
  const bool is_by_secret =
      std::find(kBySecret.begin(), kBySecret.end(), method) != kBySecret.end();
  return is_by_secret ? fmt::format("the token_endpoint_auth_method {}", method) : "";
}

// An authorization server takes no redirect URI but those of the document.
void judge_document_redirects(LoginReview& login, const LoginStep& step, const Json& document) {
  const Json& uris = harness::array_member(document, "redirect_uris");
  if (uris.empty()) return;
  const std::string uri = step.value("redirect_uri");
  const bool is_there = std::any_of(uris.begin(), uris.end(), [&](const Json& each) {
    return each.is_string() &&
           authorization::Server::is_same_redirect(each.get_ref<const std::string&>(), uri);
  });
  login.check("authorization.redirects-registered", is_there,
              "redirect_uri is none of those in the document at that URL", step);
}

// As the authorization server that fetches it. What cannot be fetched may be there for others.
void judge_document(LoginReview& login, const LoginStep& step) {
  constexpr catalogue::RequirementId kItself = "authorization.client-id-document-names-itself";
  constexpr catalogue::RequirementId kProperties = "authorization.client-id-document-properties";
  const std::string url = step.value("client_id");
  if (!login.venue().read_document || !url.starts_with("https://")) return;
  const harness::DocumentRead read = login.venue().read_document(url);
  const Json document = read.text ? wire::parse_of_peer(*read.text) : Json();
  if (!document.is_object()) {
    const std::string why = read.text ? "it is not a JSON object" : read.trouble;
    for (const catalogue::RequirementId rule : {kItself, kProperties}) {
      login.review().unclear(rule, fmt::format("the document could not be read: {}", why),
                             step.events());
    }
    return;
  }
  const std::string_view named = harness::text_member(document, "client_id");
  const bool has_name = !harness::text_member(document, "client_name").empty();
  const bool has_redirects = !harness::array_member(document, "redirect_uris").empty();
  const char* missing = named.empty()    ? "client_id"
                        : !has_name      ? "client_name"
                        : !has_redirects ? "redirect_uris"
                                         : nullptr;
  login.check(kProperties, missing == nullptr,
              fmt::format("the document at that URL has no {}", missing == nullptr ? "" : missing),
              step);
  const std::string secret = secret_in(document);
  login.check(
      "authorization.client-id-document-rules", secret.empty(),
      fmt::format("the document at that URL has {}, though no secret can be shared by it", secret),
      step);
  judge_document_redirects(login, step, document);
  if (named.empty()) return;
  login.check(kItself, named == url,
              fmt::format("the document at that URL says that client_id is {}",
                          named.substr(0, kMostQuoted)),
              step);
}

// Nobody registers, and metadata documents are taken.
class DocumentOnlyPlay : public LoginPlay {
 public:
  DocumentOnlyPlay() : LoginPlay({}) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.registers = false;
    knobs.takes_client_documents = true;
    return knobs;
  }
  void judge(LoginReview& login) override {
    const LoginStep* metadata = nullptr;
    for (const LoginStep* step : login.all(Kind::kServerMetadata)) {
      if (step->is_at_office && step->status() == 200 && metadata == nullptr) metadata = step;
    }
    if (metadata == nullptr) return;
    const auto requests = login.all(Kind::kAuthorize);
    const auto request = std::find_if(requests.begin(), requests.end(), [](const LoginStep* step) {
      return is_url(step->value("client_id"));
    });
    const bool came = request != requests.end();
    if (came) judge_document(login, **request);
    if (!came && !login.venue().has_succeeded) return;
    login.check_came("authorization.client-id-documents-client", came,
                     "the authorization server takes clients by their metadata documents and in no "
                     "other way, and the client came with none",
                     *metadata);
  }
};

// What is open to a client that can come in each way.
class OrderPlay : public LoginPlay {
 public:
  enum class Best { kGiven, kDocument, kRegistration };
  explicit OrderPlay(Best best) : LoginPlay({}), best_(best) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    if (best_ == Best::kGiven) give_client(knobs);
    if (best_ == Best::kGiven) knobs.auth_methods.emplace_back(authorization::kNoSecret);
    knobs.takes_client_documents = best_ != Best::kRegistration;
    knobs.says_that_it_takes_none = best_ == Best::kRegistration;
    return knobs;
  }
  void judge(LoginReview& login) override {
    const harness::Feats& feats = login.venue().feats;
    const bool can_all = feats.contains(kTakesGivenClient) && feats.contains(kHasDocument) &&
                         feats.contains(kRegisters);
    const LoginStep* request = login.first(Kind::kAuthorize);
    if (!can_all || request == nullptr) return;
    const std::string id = request->value("client_id");
    const std::vector<std::string>& registered = login.clients_made();
    const bool is_registered =
        std::find(registered.begin(), registered.end(), id) != registered.end();
    switch (best_) {
      case Best::kGiven:
        return login.check(
            "authorization.registration-preregistered-first", id == kGivenClient,
            "the client was given an id, which it uses elsewhere, and did not use it", *request);
      case Best::kDocument:
        return login.check("authorization.registration-client-id-document-second", is_url(id),
                           "the authorization server takes metadata documents, the client has one, "
                           "and did not use it",
                           *request);
      case Best::kRegistration:
        return login.check("authorization.registration-dynamic-registration-third", is_registered,
                           "the authorization server takes no metadata documents and registers "
                           "clients, and the client did not register",
                           *request);
    }
  }

 private:
  const Best best_;
};

// The resource is moved to another authorization server than the one that knows the client.
class GivenClientMovedPlay : public LoginPlay {
 public:
  GivenClientMovedPlay() : LoginPlay(the_terms()) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    give_client(knobs);
    return knobs;
  }
  void on_admitted(int count, authorization::Server&) override {
    if (count == 1) change_office();
  }
  void judge(LoginReview& login) override {
    const LoginStep* before = nullptr;
    const LoginStep* seen = nullptr;
    const LoginStep* tried = nullptr;
    for (const LoginStep& step : login.steps()) {
      const bool is_given =
          step.kind == Kind::kAuthorize && step.value("client_id") == kGivenClient;
      if (is_given && step.office == 1) before = &step;
      if (before == nullptr || step.office != 2) continue;
      if (step.kind == Kind::kServerMetadata && seen == nullptr) seen = &step;
      if (is_given && tried == nullptr) tried = &step;
    }
    if (seen == nullptr && tried == nullptr) return;
    if (tried != nullptr && !has_seen_the_change(login, *before, *tried)) return;
    login.check_refused(
        {"authorization.mismatched-credentials-shown", "authorization.credentials-bound-to-issuer",
         "authorization.credentials-not-reused"},
        seen == nullptr ? *before : *seen, tried,
        "the authorization server has changed, and the client shows the new one "
        "the client_id that it used with the former one");
  }

 private:
  // Only who held a token of the former one can know that there was another.
  static bool has_seen_the_change(const LoginReview& login, const LoginStep& before,
                                  const LoginStep& tried) {
    const auto asked = login.all(Kind::kProtected);
    return std::any_of(asked.begin(), asked.end(), [&](const LoginStep* step) {
      return step->status() == 401 && LoginReview::bearer_of(*step) &&
             step->request->at > before.request->at && step->request->at < tried.request->at;
    });
  }
  static LoginTerms the_terms() {
    LoginTerms terms;
    terms.offices = 2;
    return terms;
  }
};

// Each registration is refused for its redirect URIs.
class RefusedRegistrationPlay : public LoginPlay {
 public:
  RefusedRegistrationPlay() : LoginPlay({}) {}

 protected:
  Knobs furnish(const std::string&) const override {
    Knobs knobs;
    knobs.refuses_redirects = true;
    return knobs;
  }
  void judge(LoginReview& login) override {
    constexpr catalogue::RequirementId kRule = "authorization.registration-failure-handled";
    judge_persistence(login, kRule);
    const LoginStep* refused = nullptr;
    for (const LoginStep* step : login.all(Kind::kRegister)) {
      if (step->status() == 400 && refused == nullptr) refused = step;
    }
    if (refused == nullptr) return;
    const LoginStep* next = nullptr;
    for (const LoginStep* step : login.all(Kind::kAuthorize)) {
      const std::string id = step->value("client_id");
      // One that some server of ours gave may be kept from an earlier login.
      const bool is_from_elsewhere = is_url(id) || id == kGivenClient || id.starts_with("client-");
      const bool is_later = step->request->at > refused->request->at;
      if (is_later && !is_from_elsewhere && next == nullptr) next = step;
    }
    const std::string& crash = login.review().crash();
    if (!crash.empty() && login.venue().has_succeeded) {
      login.review().crashed(kRule,
                             "the registration was refused, and the client crashed: " + crash,
                             refused->events());
      return;
    }
    login.check_refused({kRule}, *refused, next,
                        "the registration was refused, and the client went on without a client_id "
                        "of this authorization server");
  }

 private:
  // It may try with other metadata: how often it tries with the same is counted.
  static void judge_persistence(LoginReview& login, catalogue::RequirementId rule) {
    constexpr int kFewTimes = 10;
    std::map<std::string, int, std::less<>> tried;
    for (const LoginStep* step : login.all(Kind::kRegister)) {
      if (step->status() != 400) continue;
      const std::string metadata(step->request->observation.bytes());
      if (++tried[metadata] <= kFewTimes) continue;
      return login.check(rule, false,
                         "the registration was refused, and the client sent it again more than ten "
                         "times",
                         *step);
    }
  }
};

std::unique_ptr<Play> make_order_given() {
  return std::make_unique<OrderPlay>(OrderPlay::Best::kGiven);
}
std::unique_ptr<Play> make_order_document() {
  return std::make_unique<OrderPlay>(OrderPlay::Best::kDocument);
}
std::unique_ptr<Play> make_order_registration() {
  return std::make_unique<OrderPlay>(OrderPlay::Best::kRegistration);
}

constexpr std::string_view kAsItPrefers = "logs in and calls test-tool";

const ClientScenarioRegistration kGivenClientScenario(with_given_client(
    login_scenario("auth/pre-registration", "logs in with the client of the context",
                   harness::make_play<GivenClientPlay>, &model::Revision::has_client_documents,
                   {"authorization.static-credentials-supported"})));
const ClientScenarioRegistration kDocumentOnly(login_scenario(
    "auth/client-document-only", "logs in with the URL of its metadata document",
    harness::make_play<DocumentOnlyPlay>, &model::Revision::has_client_documents,
    {"authorization.client-id-document-names-itself", "authorization.client-id-document-properties",
     "authorization.client-id-documents-client"}));
const ClientScenarioRegistration kOrderGiven(with_given_client(login_scenario(
    "auth/registration-order-given", "logs in with the client of the context", make_order_given,
    &model::Revision::has_client_documents, {"authorization.registration-preregistered-first"})));
const ClientScenarioRegistration kOrderDocument(
    login_scenario("auth/registration-order-document", kAsItPrefers, make_order_document,
                   &model::Revision::has_client_documents,
                   {"authorization.registration-client-id-document-second"}));
const ClientScenarioRegistration kOrderRegistration(
    login_scenario("auth/registration-order-dynamic", kAsItPrefers, make_order_registration,
                   &model::Revision::has_client_documents,
                   {"authorization.registration-dynamic-registration-third"}));
const ClientScenarioRegistration kGivenClientMoved(with_given_client(login_scenario(
    "auth/pre-registration-moved",
    "logs in with the client of the context, and says that it cannot go on where another "
    "authorization server is named",
    harness::make_play<GivenClientMovedPlay>, &model::Revision::has_issuer_validation,
    {"authorization.credentials-bound-to-issuer", "authorization.credentials-not-reused",
     "authorization.mismatched-credentials-shown"})));
const ClientScenarioRegistration kRefusedRegistration(login_scenario(
    "auth/registration-refused", "is refused when it registers, and does not go on",
    harness::make_play<RefusedRegistrationPlay>, &model::Revision::has_issuer_validation,
    {"authorization.registration-failure-handled"}));

}  // namespace
}  // namespace assay::scenarios
