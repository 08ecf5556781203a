// Scenarios about authorization servers that bind tokens to the keys of clients.
//
// Extension io.modelcontextprotocol/auth/dpop; RFC 9449, sections 4.3, 5 and 5.2.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "reference/wire/dpop.h"
#include "reference/wire/http_text.h"
#include "scenarios/authorities/assertions.h"
#include "scenarios/forged_proofs.h"

namespace assay::scenarios {
namespace {

using namespace harness;
using authorization::SigningKey;

constexpr std::string_view kProofs = "dpop";
constexpr const char* kProofAlgorithms = "dpop_signing_alg_values_supported";
constexpr const char* kBoundTokens = "dpop_bound_access_tokens";

constexpr catalogue::RequirementId kProofAlgorithmsListed("ext-dpop.algorithms-listed");
constexpr catalogue::RequirementId kProofAlgorithmsInArray("ext-dpop.algorithms-in-array");
constexpr catalogue::RequirementId kProofAlgorithmsAsymmetric("ext-dpop.algorithms-asymmetric");
constexpr catalogue::RequirementId kBoundClientsProve("ext-dpop.bound-clients-need-proof");
constexpr catalogue::RequirementId kWeakProofsRefused(
    "ext-dpop.weak-algorithms-refused-for-tokens");

// A way in which a request does not show a proof that holds.
struct BadProof {
  const char* what;
  ProofForgery forgery = {};
  int times = 1;
  bool is_weak = false;  // its algorithm
};

const std::vector<BadProof>& bad_proofs() {
  using Signature = ProofSignature;
  static const std::vector<BadProof> kAll = {
      {"a request without a proof", {}, 0},
      {"a request with two proofs", {}, 2},
      {"a proof of another type", {name_type_jwt}},
      {"a proof without its key", {[](Json& header, Json&) { header.erase("jwk"); }}},
      {"a proof with a private key", {show_private_key}},
      {"a proof that another key has signed", {nullptr, Signature::kOfAnother}},
      {"a proof for the method GET", {name_method_get}},
      {"a proof for another place",
       {[](Json&, Json& claims) { claims["htu"] = "https://auth.assay.invalid/token"; }}},
      {"a proof without jti", {leave_out_jti}},
      {"a proof without iat", {leave_out_iat}},
      {"a proof that says it is not signed", {name_no_algorithm, Signature::kNone}, 1, true},
      {"a proof that is signed by a secret",
       {name_symmetric_algorithm, Signature::kSecret},
       1,
       true},
  };
  return kAll;
}

// A proof as it should be, for the token endpoint, changed in that way.
std::string proof_for(const AuthorityScript& script, const SigningKey& key, const BadProof& how) {
  const std::string place = script.endpoint("token_endpoint");
  return forged_proof(key, {{"htm", "POST"}, {"htu", place.substr(0, place.find_first_of("?#"))}},
                      how.forgery);
}

bool is_bound(const AuthorityAnswer& answer) {
  return wire::equals_without_case(text_member(answer.json, "token_type"), wire::kProofName);
}

// What a token request with a code of its own and such a proof is answered with; nothing where no
// code came.
std::optional<AuthorityAnswer> ask_with_proof(AuthorityScript& script,
                                              const AuthorityClient& client, const SigningKey& key,
                                              const BadProof& how) {
  CodeRequest request = script.code_request();
  request.client_id = client.id;
  const CodeResponse code = script.ask_for_code(request);
  if (!code.has_code()) return std::nullopt;
  transport::Headers fields;
  for (int i = 0; i < how.times; ++i) {
    fields.emplace_back(wire::kProofName, proof_for(script, key, how));
  }
  return script.ask_for_token_as(client,
                                 {{"grant_type", "authorization_code"},
                                  {"code", code.value("code")},
                                  {"redirect_uri", request.redirect_uri},
                                  {"code_verifier", request.verifier}},
                                 std::move(fields));
}

// --- The metadata ---

bool is_weak_name(const Json& name) {
  return name == "none" || (name.is_string() && name.get<std::string>().starts_with("HS"));
}

void judge_proof_algorithms(AuthorityScript& script, const AuthorityDocument& document) {
  const Json& listed = member(document.answer.json, kProofAlgorithms);
  const bool is_list =
      listed.is_array() &&
      std::all_of(listed.begin(), listed.end(), [](const Json& each) { return each.is_string(); });
  script.check(kProofAlgorithmsListed, true, document.answer.events, "");
  script.check(
      kProofAlgorithmsInArray, is_list, document.answer.events,
      fmt::format("{} in its metadata at {} is no array of names", kProofAlgorithms, document.url));
  if (!is_list) return;
  script.check(kProofAlgorithmsAsymmetric, std::none_of(listed.begin(), listed.end(), is_weak_name),
               document.answer.events,
               fmt::format("{} in its metadata at {} lists none or a symmetric algorithm",
                           kProofAlgorithms, document.url));
}

// That it supports the extension shows by its metadata, or by a token that it binds.
const AuthorityScenarioRegistration kListsProofAlgorithms({
    .name = "authority_lists_algorithms_of_proofs",
    .requirements = {kProofAlgorithmsListed, kProofAlgorithmsInArray, kProofAlgorithmsAsymmetric},
    .body =
        [](AuthorityScript& script) {
          bool is_listed = false;
          std::vector<EventPtr> unlisted;  // its documents that lack the list
          for (const AuthorityDocument& document : script.facts().documents) {
            if (!document.is_there() || !document.is_of(script.facts().issuer)) continue;
            // An empty list says as much as none (RFC 8414, section 3.2).
            const Json& listed = member(document.answer.json, kProofAlgorithms);
            if (listed.is_null() || listed == Json::array()) {
              const auto& events = document.answer.events;
              unlisted.insert(unlisted.end(), events.begin(), events.end());
              continue;
            }
            is_listed = true;
            judge_proof_algorithms(script, document);
          }
          if (!is_listed && unlisted.empty()) {
            for (const auto rule :
                 {kProofAlgorithmsListed, kProofAlgorithmsInArray, kProofAlgorithmsAsymmetric}) {
              script.unclear(rule, "no metadata of this issuer were found");
            }
            return;
          }
          if (is_listed || script.lacks_means({kProofAlgorithmsListed})) return;
          const SigningKey key(authorization::Signing::kEs256);
          const auto given = ask_with_proof(script, script.client(), key, {"a proof"});
          if (given && is_bound(*given)) {
            unlisted.insert(unlisted.end(), given->events.begin(), given->events.end());
            return script.check(
                kProofAlgorithmsListed, false, unlisted,
                fmt::format("it binds a token to a key, and its metadata have no {}",
                            kProofAlgorithms));
          }
          for (const auto rule :
               {kProofAlgorithmsListed, kProofAlgorithmsInArray, kProofAlgorithmsAsymmetric}) {
            script.not_applicable(rule, "it binds no tokens to keys");
          }
        },
    .extension = kProofs,
});

// --- Clients that always prove ---

// A client that says so; its `why` says why there is none.
AuthorityClient bound_client(AuthorityScript& script) {
  AuthorityClient client;
  if (!script.options().client_id.empty()) {
    client.why =
        fmt::format("the client that was named may be registered without {}", kBoundTokens);
    client.hint = "let mcp-assay register a client: leave out --client-id";
    return client;
  }
  client = register_with(script.inquirer(), script.options(), script.facts().metadata,
                         {{kBoundTokens, true}});
  // RFC 7591, section 3.2.1: what it has registered stands in its answer.
  if (client.is_known() && member(client.registration.json, kBoundTokens) != true) {
    client = {};
    client.why = fmt::format("it registers clients without {}", kBoundTokens);
  }
  return client;
}

void judge_bad_proof(AuthorityScript& script, const AuthorityAnswer& answer, const BadProof& how) {
  // A token that is bound to nothing shows no more than that no proof was wanted.
  const bool is_about_weakness = how.is_weak && (!gives_any_token(answer) || is_bound(answer));
  judge_forged(script, answer, is_about_weakness ? kWeakProofsRefused : kBoundClientsProve,
               how.what);
}

const AuthorityScenarioRegistration kWantsProofs({
    .name = "authority_wants_proofs_of_bound_clients",
    .requirements = {kBoundClientsProve, kWeakProofsRefused},
    .body =
        [](AuthorityScript& script) {
          const auto rules = {kBoundClientsProve, kWeakProofsRefused};
          if (member(script.facts().metadata, kProofAlgorithms).is_null()) {
            for (const auto rule : rules) {
              script.not_applicable(rule, fmt::format("its metadata have no {}", kProofAlgorithms));
            }
            return;
          }
          if (script.lacks_means(rules)) return;
          const AuthorityClient client = bound_client(script);
          if (!client.is_known()) {
            for (const auto rule : rules) script.not_exercised(rule, client.why, client.hint);
            return;
          }
          const SigningKey key(authorization::Signing::kEs256);
          const auto good = ask_with_proof(script, client, key, {"a proof"});
          if (!good || !gives_any_token(*good) || !is_bound(*good)) {
            for (const auto rule : rules) {
              script.unclear(
                  rule,
                  good ? fmt::format("a good proof was answered with {}", good->describe())
                       : "no code came for a client that always proves",
                  good ? good->events : std::vector<EventPtr>());
            }
            return;
          }
          script.note_token();
          std::vector<std::pair<AuthorityAnswer, const BadProof*>> answers;
          for (const BadProof& each : bad_proofs()) {
            if (auto answer = ask_with_proof(script, client, key, each)) {
              answers.emplace_back(*std::move(answer), &each);
            }
          }
          // A server that refuses everything by now has not looked at the proofs.
          const auto last = ask_with_proof(script, client, key, {"a proof"});
          const bool serves_still = last && gives_any_token(*last) && is_bound(*last);
          for (const auto& [answer, how] : answers) {
            if (serves_still || gives_any_token(answer)) judge_bad_proof(script, answer, *how);
          }
          if (serves_still) return;
          for (const auto rule : rules) {
            script.unclear(rule, "a good proof was refused when the others had been tried",
                           last ? last->events : std::vector<EventPtr>());
          }
        },
    .extension = kProofs,
});

}  // namespace
}  // namespace assay::scenarios
