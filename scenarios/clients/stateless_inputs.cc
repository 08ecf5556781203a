// A call that is answered with a question, and asked again with the answer.
//
// Specification of 2026-07-28: basic/patterns/mrtr, "Client Requirements".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kUnrelated = "test_mrtr_unrelated";
constexpr std::string_view kTwoRounds = "test_mrtr_two_rounds";
constexpr std::string_view kUntyped = "test_mrtr_no_result_type";
// What does not survive being read and written again.
constexpr std::string_view kState = "{\"step\": 1,  \"name\":\"\\u00fc\" }\n==";
constexpr std::string_view kSecondState = " 2/..%2F+\xc3\xbc ";

// What a tool answers in each of its rounds, before it is done.
struct Round {
  std::string_view key;  // of its question; empty where it asks nothing
  std::string_view state;
};
struct AskingTool {
  std::string_view name;
  std::vector<Round> rounds;
};
const std::vector<AskingTool>& asking_tools() {
  static const std::vector<AskingTool> kTools = {
      {"test_mrtr_echo_state", {{"confirm", kState}}},
      {"test_mrtr_no_state", {{"confirm", ""}}},
      {"test_mrtr_state_only", {{"", kState}}},
      {kTwoRounds, {{"confirm", kState}, {"again", kSecondState}, {"last", ""}}}};
  return kTools;
}
const AskingTool* asking_tool(std::string_view name) {
  const auto& all = asking_tools();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const AskingTool& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool carries_input(const wire::Message& request) {
  // null stands for nothing.
  return !member(request.params(), "requestState").is_null() ||
         !member(request.params(), "inputResponses").is_null();
}

Json question_result(const Round& round) {
  Json result = {{"resultType", "input_required"}};
  if (!round.state.empty()) result["requestState"] = round.state;
  if (!round.key.empty()) {
    const Json form = {{"type", "object"},
                       {"properties", {{"confirmed", {{"type", "boolean"}, {"default", true}}}}}};
    result["inputRequests"][std::string(round.key)] = {
        {"method", "elicitation/create"},
        {"params", {{"message", "Go on?"}, {"mode", "form"}, {"requestedSchema", form}}}};
  }
  return result;
}

bool declares_forms(const wire::Message& request) {
  const Json& capabilities =
      member(member(request.params(), "_meta"), "io.modelcontextprotocol/clientCapabilities");
  const Json& elicitation = member(capabilities, "elicitation");
  return elicitation.is_object() && (elicitation.empty() || elicitation.contains("form"));
}

// One attempt at a call, and the one before it that was answered with a question.
struct Attempt {
  Said first;
  Said reply;
  Said retry;
};

class RequestStatePlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    const std::string name = called_tool(visit.message());
    const AskingTool* tool = asking_tool(name);
    if (tool == nullptr) {
      Json done = text_result(visit.message(), "Done");
      if (name == kUntyped) done.erase("resultType");
      return visit.answer(std::move(done));
    }
    const std::size_t round = round_of(*tool, visit.message());
    const bool is_over = round >= tool->rounds.size();
    // What a client does not declare it is not asked for.
    if (is_over || (!tool->rounds[round].key.empty() && !declares_forms(visit.message()))) {
      return visit.answer(text_result(visit.message(), "Done"));
    }
    visit.answer(question_result(tool->rounds[round]));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    std::vector<Json> tools;
    for (const AskingTool& each : asking_tools()) {
      tools.push_back(hosted_tool(std::string(each.name), "Asks for a confirmation"));
    }
    tools.push_back(hosted_tool(std::string(kUnrelated), "Asks for nothing"));
    tools.push_back(hosted_tool(std::string(kUntyped), "Has a result without a type"));
    list_only(tools, result);
  }

  void review(Review& review) override {
    EventPtr asked;  // the first question
    for (const AskingTool& tool : asking_tools()) {
      for (const Attempt& attempt : attempts_at(review, tool.name)) {
        if (asked == nullptr) asked = attempt.reply.event;
        review_attempt(review, attempt);
      }
    }
    if (asked != nullptr) review_others(review, asked);
  }

 private:
  // By what the client gives back, as nothing else tells one round from another.
  static std::size_t round_of(const AskingTool& tool, const wire::Message& call) {
    if (!carries_input(call)) return 0;
    const Json& responses = member(call.params(), "inputResponses");
    for (std::size_t i = tool.rounds.size(); i-- > 0;) {
      const bool has_key =
          !tool.rounds[i].key.empty() && !member(responses, tool.rounds[i].key).is_null();
      if (has_key) return i + 1;
    }
    const bool is_second = text_member(call.params(), "requestState") == kSecondState;
    return is_second ? 2 : 1;
  }

  // Each call that carries something, with the latest question before it.
  static std::vector<Attempt> attempts_at(const Review& review, std::string_view tool) {
    std::vector<Attempt> attempts;
    std::vector<Said> calls = review.requests("tools/call");
    std::erase_if(calls, [&](const Said& each) { return called_tool(each.message) != tool; });
    for (const Said& retry : calls) {
      // Without anything it may be a call of its own.
      if (!carries_input(retry.message)) continue;
      std::optional<Attempt> latest;
      std::optional<Attempt> fitting;  // of several calls at a time each has questions of its own
      for (const Said& first : calls) {
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
  static std::optional<Said> question_to(const Review& review, const Said& call) {
    auto reply = review.reply_to(call);
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

  // No request but that of the tool that asked carries anything.
  static void review_others(Review& review, const EventPtr& asked) {
    bool has_others = false;
    for (const Said& said : review.client()) {
      const bool is_request = said.message.kind() == wire::MessageKind::kRequest;
      const bool is_call = said.message.method() == "tools/call";
      if (!is_request || said.event->at < asked->at) continue;
      if (is_call && asking_tool(called_tool(said.message)) != nullptr) continue;
      has_others = true;
      if (!carries_input(said.message)) continue;
      const std::string_view state = text_member(said.message.params(), "requestState");
      if (state != kState && state != kSecondState) {
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
     .task = "calls each tool, fills in the forms that it is shown and goes on",
     .requirements = {"mrtr.state-echoed", "mrtr.state-opaque", "mrtr.state-not-invented",
                      "mrtr.retry-id-differs", "mrtr.inputs-gathered", "mrtr.not-used-elsewhere"},
     .make = make_play<RequestStatePlay>,
     .deeds = {{harness::Act::kAnswersElicitation, "test_mrtr_echo_state"},
               {harness::Act::kAnswersElicitation, "test_mrtr_no_state"},
               {harness::Act::kAnswersElicitation, std::string(kTwoRounds)}}});

}  // namespace
}  // namespace assay::scenarios
