// A request that is answered with a question, and sent again with the answer.
//
// Specification of 2026-07-28: basic/patterns/mrtr, "Client Requirements".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/clients/asking_requests.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kUnrelated = "test_mrtr_unrelated";
constexpr std::string_view kUntyped = "test_mrtr_no_result_type";

bool declares_forms(const wire::Message& request) {
  const Json& capabilities =
      member(member(request.params(), "_meta"), "io.modelcontextprotocol/clientCapabilities");
  const Json& elicitation = member(capabilities, "elicitation");
  return elicitation.is_object() && (elicitation.empty() || elicitation.contains("form"));
}

// One attempt at a request, and the one before it that was answered with a question.
struct Attempt {
  Said first;
  Said reply;
  Said retry;
};

class RequestStatePlay : public Play {
 public:
  void on_message(Visit& visit) override {
    const wire::Message& message = visit.message();
    const AskingRequest* asking = asking_request(message);
    if (asking == nullptr) {
      if (!visit.is_request("tools/call")) return;
      Json done = done_result(message);
      if (called_tool(message) == kUntyped) done.erase("resultType");
      return visit.answer(std::move(done));
    }
    const std::size_t round = round_of(*asking, message);
    const bool is_over = round >= asking->rounds.size();
    // What a client does not declare it is not asked for.
    if (is_over || (!asking->rounds[round].key.empty() && !declares_forms(message))) {
      return visit.answer(done_result(message));
    }
    visit.answer(question_result(asking->rounds[round]));
  }
  void on_result(const wire::Message& request, Json& result) override {
    constexpr const char* kAsks = "Asks for a confirmation";
    if (request.method() == "prompts/list") {
      result["prompts"] = {{{"name", kAskingPrompt}, {"description", kAsks}}};
    } else if (request.method() == "resources/list") {
      result["resources"] = {
          {{"uri", kAskingResource}, {"name", "resource"}, {"description", kAsks}}};
    }
    if (request.method() != "tools/list") return;
    std::vector<Json> tools;
    for (const AskingRequest& each : asking_requests()) {
      if (each.method == "tools/call")
        tools.push_back(hosted_tool(std::string(each.target), kAsks));
    }
    tools.push_back(hosted_tool(std::string(kUnrelated), "Asks for nothing"));
    tools.push_back(hosted_tool(std::string(kUntyped), "Has a result without a type"));
    list_only(tools, result);
  }

  void review(Review& review) override {
    EventPtr asked;  // the first question
    for (const AskingRequest& asking : asking_requests()) {
      for (const Attempt& attempt : attempts_at(review, asking)) {
        if (asked == nullptr) asked = attempt.reply.event;
        review_attempt(review, attempt);
      }
      review_without_state(review, requests_for(review, asking));
    }
    if (asked != nullptr) review_others(review, asked);
  }

 private:
  static std::vector<Said> requests_for(const Review& review, const AskingRequest& asking) {
    std::vector<Said> requests = review.requests(asking.method);
    std::erase_if(requests,
                  [&](const Said& each) { return asking_request(each.message) != &asking; });
    return requests;
  }

  // The client was given a state, and asked for the same again with nothing: that may be a request
  // of its own, or the one that it should have sent with the state.
  static void review_without_state(Review& review, const std::vector<Said>& requests) {
    const bool gives_back = std::any_of(requests.begin(), requests.end(), [](const Said& each) {
      return carries_input(each.message);
    });
    if (gives_back || requests.size() < 2) return;
    const auto reply = question_to(review, requests.front());
    const Said& later = requests.back();
    const bool is_given = reply && member(reply->message.result(), "requestState").is_string();
    const bool is_later =
        is_given && later.session == requests.front().session && later.event->at > reply->event->at;
    if (!is_later) return;
    review.left_open("mrtr.state-echoed",
                     "the client was given a requestState, and sent the same request without it: "
                     "it may be another request of its own",
                     {reply->event, later.event});
  }

  // Each such request that carries something, with the latest question before it.
  static std::vector<Attempt> attempts_at(const Review& review, const AskingRequest& asking) {
    std::vector<Attempt> attempts;
    const std::vector<Said> requests = requests_for(review, asking);
    for (const Said& retry : requests) {
      // Without anything it may be a request of its own.
      if (!carries_input(retry.message)) continue;
      std::optional<Attempt> latest;
      std::optional<Attempt> fitting;  // of several at a time each has questions of its own
      for (const Said& first : requests) {
        const auto reply = question_to(review, first);
        if (!reply || reply->event->at > retry.event->at) continue;
        const Attempt attempt{first, *reply, retry};
        const auto is_later = [&](const std::optional<Attempt>& other) {
          return !other || other->reply.event->at < reply->event->at;
        };
        if (is_later(latest)) latest = attempt;
        if (fits(attempt) && is_later(fitting)) fitting = attempt;
      }
      if (fitting) latest = std::move(fitting);
      if (latest) attempts.push_back(*std::move(latest));
    }
    return attempts;
  }
  static bool fits(const Attempt& attempt) {
    const Json& given = attempt.reply.message.result();
    const Json& back = attempt.retry.message.params();
    return member(given, "requestState") == member(back, "requestState") &&
           has_all_responses(attempt) && has_no_others(attempt);
  }
  // A later question is behind what answers more than was asked.
  static bool has_no_others(const Attempt& attempt) {
    const Json& requests = member(attempt.reply.message.result(), "inputRequests");
    const Json& responses = member(attempt.retry.message.params(), "inputResponses");
    if (!responses.is_object() || responses.empty()) return true;
    const auto items = responses.items();
    return std::all_of(items.begin(), items.end(), [&](const auto& each) {
      return requests.is_object() && requests.contains(each.key());
    });
  }
  static bool has_all_responses(const Attempt& attempt) {
    const Json& requests = member(attempt.reply.message.result(), "inputRequests");
    const Json& responses = member(attempt.retry.message.params(), "inputResponses");
    if (!requests.is_object()) return true;
    for (const auto& [key, request] : requests.items()) {
      if (!responses.is_object() || !responses.contains(key)) return false;
    }
    return true;
  }
  static std::optional<Said> question_to(const Review& review, const Said& request) {
    auto reply = review.reply_to(request);
    if (!reply || reply->message.kind() != wire::MessageKind::kResult) return std::nullopt;
    const Json& result = reply->message.result();
    if (text_member(result, "resultType") != "input_required") return std::nullopt;
    return reply;
  }

  static void review_attempt(Review& review, const Attempt& attempt) {
    const std::vector<EventPtr> events = {attempt.reply.event, attempt.retry.event};
    const Json& params = attempt.retry.message.params();
    const Json& given = member(attempt.reply.message.result(), "requestState");
    const Json& back = member(params, "requestState");
    if (given.is_string()) {
      review.check("mrtr.state-echoed", back == given,
                   "the client sends the request again with another requestState than it was given",
                   events, "/params/requestState");
      // Who leaves it out need not have looked into it.
      if (!back.is_null()) {
        review.check("mrtr.state-opaque", back == given, "the client changed the requestState",
                     events, "/params/requestState");
      }
    } else {
      review.check("mrtr.state-not-invented", back.is_null(),
                   "the client sends a requestState, and was given none", events,
                   "/params/requestState");
    }
    review.check("mrtr.retry-id-differs", attempt.retry.message.id() != attempt.first.message.id(),
                 "the client sends the request again under the same id",
                 {attempt.first.event, attempt.retry.event}, "/id");
    if (!member(attempt.reply.message.result(), "inputRequests").is_object()) return;
    review.check("mrtr.inputs-gathered", has_all_responses(attempt),
                 "the client sends the request again without what it was asked for", events,
                 "/params/inputResponses");
  }

  // No request but those that were asked carries anything.
  static void review_others(Review& review, const EventPtr& asked) {
    bool has_others = false;
    for (const Said& said : review.client()) {
      const bool is_request = said.message.kind() == wire::MessageKind::kRequest;
      if (!is_request || said.event->at < asked->at) continue;
      if (asking_request(said.message) != nullptr) continue;
      has_others = true;
      if (!carries_input(said.message)) continue;
      if (!is_asking_state(text_member(said.message.params(), "requestState"))) {
        // Under a key of that name it may give what it would give anyway.
        return review.unclear(
            "mrtr.not-used-elsewhere",
            fmt::format("a request of {} carries input of its own", said.message.method()),
            {asked, said.event});
      }
      return review.broke("mrtr.not-used-elsewhere",
                          fmt::format("a request of {} carries the requestState of another one",
                                      said.message.method()),
                          {asked, said.event}, "/params/requestState");
    }
    if (has_others) review.held("mrtr.not-used-elsewhere", asked);
  }
};

const ClientScenarioRegistration kRequestState(
    {.name = "sep-2322-client-request-state",
     .task = "calls each tool, gets the prompt, reads the resource, fills in the forms that it is "
             "shown and goes on",
     .requirements = {"mrtr.state-echoed", "mrtr.state-opaque", "mrtr.state-not-invented",
                      "mrtr.retry-id-differs", "mrtr.inputs-gathered", "mrtr.not-used-elsewhere"},
     .make = make_play<RequestStatePlay>,
     .deeds = {{harness::Act::kAnswersElicitation, "test_mrtr_echo_state"},
               {harness::Act::kAnswersElicitation, "test_mrtr_no_state"},
               {harness::Act::kAnswersElicitation, std::string(kTwoRounds)},
               {harness::Act::kGetsPrompt, std::string(kAskingPrompt)},
               {harness::Act::kReadsResource, std::string(kAskingResource)}}});

}  // namespace
}  // namespace assay::scenarios
