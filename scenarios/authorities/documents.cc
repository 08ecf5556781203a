// Scenarios about Client ID Metadata Documents: an authorization server that takes them fetches the
// document of a client, and looks at it.
//
// The documents stand on this machine, without TLS. A server that takes none from there is right,
// and nothing more is asked of it.
//
// Specification: basic/authorization, 2025-11-25, and basic/authorization/client-registration,
// 2026-07-28, "Implementation Requirements".
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "harness/authority/authority_script.h"
#include "harness/authority/client_documents.h"
#include "harness/runner/authority_scenario.h"
#include "scenarios/authorities/redirects.h"
#include "scenarios/authorities/rules.h"

namespace assay::scenarios {
namespace {

using namespace harness;

constexpr catalogue::RequirementId kCached("authorization.client-id-document-cached");
// A server may be several processes, each of which fetches it once.
constexpr int kManyVisits = 17;

std::vector<catalogue::RequirementId> document_rules() {
  return {kAuthorityFetch, kCached, kAuthorityDocumentUrl, kAuthorityDocumentRedirects,
          kAuthorityDocumentForm};
}

// What else is seen of a client with a document.
std::vector<catalogue::RequirementId> judged_by_documents() {
  std::vector<catalogue::RequirementId> rules = document_rules();
  rules.push_back(kAuthorityOauth21);
  return rules;
}

class DocumentTrial {
 public:
  explicit DocumentTrial(AuthorityScript& script) : script_(script), host_(script.inquirer()) {}

  void play() {
    if (const auto trouble = host_.start()) return all_not_exercised(*trouble, "");
    const std::string good = "client.json";
    host_.put(good, document(good).dump());
    const CodeResponse response = ask(good);
    const bool is_fetched = host_.visits(good) > 0;
    if (is_fetched || response.has_code()) {
      script_.check(kAuthorityFetch, is_fetched, response.answer.events,
                    "a client whose id is a URL was given a code, and its metadata document was "
                    "not fetched");
    }
    const int kind = response.answer.status / 100;
    const bool is_taken = response.result || kind == 2 || kind == 3;
    if (!is_fetched || response.is_refused() || !is_taken) {
      const std::string why = fmt::format("a client with its document on this machine came to: {}",
                                          response.describe());
      return all_not_exercised(why, "let it fetch documents from http://127.0.0.1, for the test");
    }
    judge_cache(good);
    judge_wrong_ones();
    judge_other_redirects();
    if (response.has_code()) judge_challenge_demand();
  }

 private:
  Json document(const std::string& name) const {
    return {{"client_id", host_.url_of(name)},
            {"client_name", "mcp-assay"},
            {"redirect_uris", Json::array({script_.redirect_uri()})},
            {"grant_types", Json::array({"authorization_code"})},
            {"response_types", Json::array({"code"})},
            {"token_endpoint_auth_method", "none"}};
  }

  CodeRequest request_of(const std::string& name, const std::string& redirect_uri) const {
    CodeRequest request = script_.code_request();
    request.client_id = host_.url_of(name);
    request.redirect_uri = redirect_uri;
    return request;
  }
  CodeResponse ask(const std::string& name) {
    return script_.ask_for_code(request_of(name, script_.redirect_uri()));
  }

  void all_not_exercised(const std::string& why, const std::string& hint) {
    for (const catalogue::RequirementId rule : document_rules()) {
      if (!script_.has_spoken_of(rule)) script_.not_exercised(rule, why, hint);
    }
  }

  void judge_cache(const std::string& name) {
    CodeResponse last;
    int asked = 1;
    for (; asked < kManyVisits && host_.visits(name) >= asked; ++asked) {
      last = ask(name);
    }
    const int visits = host_.visits(name);
    // One that refuses the document on a page of its own may well not keep it.
    if (visits > 1 && (visits < asked || !last.has_code())) {
      return script_.unclear(
          kCached, fmt::format("of {} requests {} fetched the document anew", asked, visits),
          last.answer.events);
    }
    script_.check(kCached, visits == 1, last.answer.events,
                  fmt::format("each of {} authorization requests fetched the document anew, though "
                              "it says max-age=3600",
                              kManyVisits));
  }

  void judge_wrong(const std::string& name, const std::string& text, catalogue::RequirementId rule,
                   const char* what) {
    host_.put(name, text);
    const CodeResponse response = ask(name);
    const bool is_read = host_.visits(name) > 0;
    if (is_read && (response.has_code() || response.is_refused())) {
      return script_.check(
          rule, !response.has_code(), response.answer.events,
          fmt::format("a client was given a code whose metadata document {}", what));
    }
    script_.unclear(
        rule,
        fmt::format("a client whose metadata document {} came to: {}", what, response.describe()),
        response.answer.events);
  }

  void judge_near_url(const std::string& name, const std::string& url, const char* what) {
    Json near = document(name);
    near["client_id"] = url;
    judge_wrong(name, near.dump(), kAuthorityDocumentUrl, what);
  }

  void judge_wrong_ones() {
    Json other = document("other.json");
    other["client_id"] = host_.url_of("client.json");
    judge_wrong("other.json", other.dump(), kAuthorityDocumentUrl, "has the client_id of another");
    judge_near_url("near.json", host_.url_of("near.json") + "/",
                   "has a client_id that is not quite its URL");
    judge_near_url("case.json", host_.url_of("CASE.json"),
                   "has its URL with a file name in capital letters as its client_id");
    judge_near_url("query.json", host_.url_of("query.json?assay=1"),
                   "has its URL with a query as its client_id");
    judge_wrong("text.json", "assay: no JSON", kAuthorityDocumentForm, "is no JSON");
    judge_wrong("array.json", Json::array({document("array.json")}).dump(), kAuthorityDocumentForm,
                "is a JSON array");
    for (const char* field : {"client_id", "client_name", "redirect_uris"}) {
      const std::string name = fmt::format("without-{}.json", field);
      Json lacking = document(name);
      lacking.erase(field);
      judge_wrong(name, lacking.dump(), kAuthorityDocumentForm,
                  fmt::format("has no {}", field).c_str());
    }
    // Whom to send a code to has to be a list, and one that names somebody.
    for (const auto& [name, value] : {std::pair("text-redirect.json", Json(script_.redirect_uri())),
                                      std::pair("no-redirect.json", Json::array())}) {
      Json odd = document(name);
      odd["redirect_uris"] = value;
      judge_wrong(name, odd.dump(), kAuthorityDocumentForm,
                  value.is_array() ? "has no member in its redirect_uris"
                                   : "has a string as its redirect_uris");
    }
    // The text asks only whether the other fields are there; this one has to be the URL.
    other["client_id"] = 7;
    judge_wrong("number.json", other.dump(), kAuthorityDocumentUrl,
                "has a number as its client_id");
  }

  void judge_other_redirects() {
    std::vector<std::string> others = near_misses(script_.redirect_uri());
    others.push_back(host_.url_of("callback-of-nobody"));
    others.emplace_back(kAttackersCallback);
    for (const std::string& uri : others) {
      judge_wrong_redirect(script_, request_of("client.json", uri), uri,
                           "the metadata document does not name", {kAuthorityDocumentRedirects});
    }
  }

  // The document says that the client has no secret.
  void judge_challenge_demand() {
    CodeRequest request = request_of("client.json", script_.redirect_uri());
    request.verifier.clear();
    const CodeResponse response = script_.ask_for_code(request);
    if (response.has_code() || response.is_refused()) {
      return script_.check(kAuthorityOauth21, !response.has_code(), response.answer.events,
                           "a client whose metadata document says that it is a public one was "
                           "given a code without a code_challenge (PKCE)");
    }
    script_.unclear(kAuthorityOauth21,
                    fmt::format("an authorization request of a client with a metadata document, "
                                "without a code_challenge, came to: {}",
                                response.describe()),
                    response.answer.events);
  }

  AuthorityScript& script_;
  ClientDocuments host_;
};

const AuthorityScenarioRegistration kReadsDocuments({
    .name = "authority_reads_client_documents",
    .requirements = judged_by_documents(),
    .concerns = &model::Revision::has_client_documents,
    .body =
        [](AuthorityScript& script) {
          const char* why = "";
          std::string hint;
          if (!script.says("client_id_metadata_document_supported")) {
            why = "its metadata do not say that it takes Client ID Metadata Documents";
          } else if (!script.is_on_this_machine()) {
            why = "the documents are on this machine, where it cannot fetch them";
            hint = "certify it on this machine";
          } else if (script.endpoint("authorization_endpoint").empty()) {
            why = "its metadata name no authorization_endpoint that may be asked";
          } else {
            return DocumentTrial(script).play();
          }
          for (const auto rule : document_rules()) script.not_exercised(rule, why, hint);
        },
});

}  // namespace
}  // namespace assay::scenarios
