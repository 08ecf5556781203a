// What a client answers when the server asks: a ping, its roots, and what does not exist.
//
// Specification: basic/utilities/ping, basic, client/roots, client/elicitation; 2024-11-05 to
// 2025-11-25.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/clients/given_roots.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kPing = "assay-ping";
constexpr const char* kUnknown = "assay-unknown";
constexpr const char* kRoots = "assay-roots";
constexpr const char* kRootsAgain = "assay-roots-again";

// Ids that some take for none, numbers that are not to come back as a text or as another one, and a
// text in capitals.
std::vector<wire::Id> odd_ids() {
  constexpr std::int64_t kBeyond32Bits = 4'294'967'311;
  return {wire::Id::of(0), wire::Id::of_string(""), wire::Id::of(71), wire::Id::of(kBeyond32Bits),
          wire::Id::of_string("Assay-Q7E")};
}

// EmptyResult is a Result, which may have `_meta`.
bool is_empty_result(const Json& result) {
  return result.is_object() && (result.empty() || (result.size() == 1 && result.contains("_meta")));
}

// What tells roots apart: their URIs, whatever their order and whatever else is said of them.
std::set<std::string> uris_of(const Json& result) {
  std::set<std::string> uris;
  for (const Json& root : array_member(result, "roots")) uris.emplace(text_member(root, "uri"));
  return uris;
}

bool is_result(const Said& said) {
  return said.message.kind() == wire::MessageKind::kResult;
}

// Asks when the client lists the tools, once, and judges the answers.
class QuestionsPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    visit.ask(kPing, "ping");
    visit.ask(kUnknown, "assay/no-such-method");
    visit.ask(kRoots, "roots/list");
    for (const wire::Id& id : odd_ids()) visit.say(wire::make_request(id, "ping", nullptr));
    visit.then();
    visit.ask(kRootsAgain, "roots/list");
  }

  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    review_ping(review);
    review_odd_ids(review);
    review_unknown(review);
    review_roots(review);
    review_changes(review);
  }

 private:
  static void review_ping(Review& review) {
    const auto question = review.question(kPing);
    if (!question) return;
    const auto answer = review.answer_to(kPing);
    if (!answer) {
      review.missed("ping.answered", "a ping from the server was not answered", {question->event},
                    {"the answer to ping"});
      return;
    }
    review.check("ping.answered", is_result(*answer), "a ping was answered with an error",
                 {question->event, answer->event});
    if (!is_result(*answer)) return;
    const Json& result = answer->message.result();
    review.check("ping.empty-result", is_empty_result(result),
                 "the result of a ping is not an empty object", {question->event, answer->event},
                 "/result");
  }

  // Of a client that answers pings by other ids.
  static void review_odd_ids(Review& review) {
    if (!review.answer_to(kPing)) return;
    const auto with = [](const std::vector<Said>& all, const wire::Id& id, bool is_ping) {
      return std::find_if(all.begin(), all.end(), [&](const Said& said) {
        const std::string_view method = said.message.method();
        return said.message.id() == id && (is_ping ? method == "ping" : method.empty());
      });
    };
    for (const wire::Id& id : odd_ids()) {
      const auto question = with(review.server(), id, true);
      if (question == review.server().end()) continue;
      const auto answer = with(review.client(), id, false);
      if (answer != review.client().end()) {
        review.held("ping.answered", answer->event);
        continue;
      }
      const std::string detail =
          fmt::format("a ping with the id {} was not answered", id.json_text());
      for (const RequirementId rule :
           {RequirementId("ping.answered"), RequirementId("jsonrpc.request-answered-once")}) {
        review.missed(rule, detail, {question->event}, {"the answer to ping"});
      }
    }
  }

  static void review_unknown(Review& review) {
    const auto question = review.question(kUnknown);
    if (!question) return;
    const auto answer = review.answer_to(kUnknown);
    if (!answer) {
      review.missed("jsonrpc.unknown-method-refused",
                    "a request for a method that does not exist was not answered",
                    {question->event}, {"an error"});
      return;
    }
    review.check("jsonrpc.unknown-method-refused", !is_result(*answer),
                 "a request for a method that does not exist was answered with a result",
                 {question->event, answer->event});
    if (is_result(*answer)) return;
    review.check("jsonrpc.unknown-method-code",
                 answer->message.error_code() == wire::kMethodNotFound,
                 "the error for a method that does not exist has another code than -32601",
                 {question->event, answer->event}, "/error/code");
  }

  static void review_roots(Review& review) {
    const auto question = review.question(kRoots);
    if (!question) return;
    const bool has_roots = harness::declares_in(review.capabilities(*question), "roots");
    // Who answers nothing at all is told so of the ping. The user should be asked before roots are
    // exposed.
    if (review.answer_to(kPing)) review.expect_answer(kRoots, has_roots);
    const auto answer = review.answer_to(kRoots);
    if (!answer) return;
    const std::vector<harness::EventPtr> events = {question->event, answer->event};
    if (!has_roots) {
      review.check("roots.capability-declared", !is_result(*answer),
                   "the client lists roots, and does not declare the capability", events);
      if (is_result(*answer)) return;
      review.check("roots.unsupported-error", answer->message.error_code() == wire::kMethodNotFound,
                   "a client without roots answers roots/list with another error than -32601",
                   events, "/error/code");
      return;
    }
    if (!is_result(*answer)) return;
    review.held("roots.capability-declared", answer->event);
    review_given_roots(review, answer->message.result(), events, "/result/roots");
  }

  // Two lists that differ, and no word of it.
  static void review_changes(Review& review) {
    const auto first = review.answer_to(kRoots);
    const auto second = review.answer_to(kRootsAgain);
    if (!first || !second || !is_result(*first) || !is_result(*second)) return;
    const bool tells = harness::declares_in(review.capabilities(*first), "roots.listChanged");
    if (!tells || uris_of(first->message.result()) == uris_of(second->message.result())) return;
    // The text does not say which comes first; and over HTTP the answer may overtake the
    // notification.
    const auto& said = review.client();
    const auto told = std::find_if(said.begin(), said.end(), [&](const Said& each) {
      return each.session == first->session &&
             each.message.method() == "notifications/roots/list_changed";
    });
    constexpr catalogue::RequirementId kRule = "roots.list-changed-notified";
    if (told != said.end()) return review.held(kRule, told->event);
    review.missed(kRule, "the roots changed, and the client sent no notification about it",
                  {first->event, second->event}, {"notifications/roots/list_changed"},
                  "/result/roots");
  }

  bool has_asked_ = false;
};

const ClientScenarioRegistration kQuestions(
    {.name = "server-asks",
     .task = "lists the tools, and answers what it is asked meanwhile",
     .requirements = {"ping.answered", "ping.empty-result", "jsonrpc.request-answered-once",
                      "jsonrpc.unknown-method-refused", "jsonrpc.unknown-method-code",
                      "roots.capability-declared", "roots.unsupported-error", "roots.uri-is-file",
                      "roots.uris-validated", "roots.list-changed-notified"},
     .make = make_play<QuestionsPlay>,
     .concerns = &model::Revision::has_server_requests});

}  // namespace
}  // namespace assay::scenarios
