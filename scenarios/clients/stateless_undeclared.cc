// Results that ask for a sample with tools, though the request does not declare that the client
// lets its model use any.
//
// Specification of 2026-07-28: schema, CreateMessageRequestParams; client/sampling, "Error
// Handling": the error is the client's own affair, and shows by the answer that it does not give.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kSamplesPlainly = "test_samples_plainly";
constexpr const char* kSampleKey = "sample";

// A tool whose result asks for a sample with something that only sampling.tools allows.
struct UndeclaredUse {
  std::string_view tool;
  RequirementId rule;
  const char* wrong;
};
constexpr std::array<UndeclaredUse, 2> kUndeclaredUses = {{
    {"test_samples_with_undeclared_tools", RequirementId("sampling.undeclared-tools-error"),
     "the client samples with tools, and its request does not declare sampling.tools"},
    {"test_samples_with_undeclared_choice", RequirementId("sampling.undeclared-tool-choice-error"),
     "the client samples with toolChoice, and its request does not declare sampling.tools"},
}};

Json sample_for(std::string_view tool) {
  const Json message = {{"role", "user"}, {"content", {{"type", "text"}, {"text", "Say yes"}}}};
  Json params = {{"messages", Json::array({message})}, {"maxTokens", 10}};
  if (tool == kUndeclaredUses[0].tool) {
    params["tools"] = Json::array({hosted_tool("tell_time", "Tells the time")});
  }
  if (tool == kUndeclaredUses[1].tool) params["toolChoice"] = {{"mode", "auto"}};
  return {{"method", "sampling/createMessage"}, {"params", std::move(params)}};
}

class UndeclaredUsePlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    const wire::Message& call = visit.message();
    const std::string tool = called_tool(call);
    const bool asks = tool == kSamplesPlainly || tool == kUndeclaredUses[0].tool ||
                      tool == kUndeclaredUses[1].tool;
    const bool is_answered = !member(call.params(), "inputResponses").is_null();
    const Json& declared =
        member(member(call.params(), "_meta"), "io.modelcontextprotocol/clientCapabilities");
    // Who declares it may be asked so.
    const bool is_meant = harness::declares_in(declared, "sampling") &&
                          !harness::declares_in(declared, "sampling.tools");
    if (!asks || is_answered || !is_meant) return visit.answer(text_result(call, "Done"));
    visit.answer(
        {{"resultType", "input_required"}, {"inputRequests", {{kSampleKey, sample_for(tool)}}}});
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    std::vector<Json> tools = {hosted_tool(std::string(kSamplesPlainly), "Asks for a sample")};
    for (const UndeclaredUse& each : kUndeclaredUses) {
      tools.push_back(hosted_tool(std::string(each.tool), "Asks for a sample with tools"));
    }
    tools.push_back(hosted_tool("test_simple_text", "Answers with a text"));
    list_only(tools, result);
  }

  void review(Review& review) override {
    bool samples = false;
    for (const Said& call : review.requests("tools/call")) {
      samples = samples || (called_tool(call.message) == kSamplesPlainly && gives_sample(call));
    }
    for (const UndeclaredUse& use : kUndeclaredUses) review_use(review, use, samples);
  }

 private:
  static bool gives_sample(const Said& call) {
    const Json& given = member(member(call.message.params(), "inputResponses"), kSampleKey);
    return !member(given, "content").is_null();
  }
  static bool asks_for_input(const std::optional<Said>& reply) {
    return reply && harness::text_member(reply->message.result(), "resultType") == "input_required";
  }

  // `samples`: it does where there is nothing to refuse.
  static void review_use(Review& review, const UndeclaredUse& use, bool samples) {
    std::optional<Said> asked;
    bool was_called = false;
    for (const Said& call : review.requests("tools/call")) {
      if (called_tool(call.message) != use.tool) continue;
      was_called = true;
      const auto reply = review.reply_to(call);
      if (asks_for_input(reply)) asked = reply;
      if (!asked || !gives_sample(call)) continue;
      return review.broke(use.rule, use.wrong, {asked->event, call.event},
                          "/params/inputResponses/sample");
    }
    if (asked && samples && review.went_on_after(*asked)) {
      review.held(use.rule, asked->event);
    } else if (asked) {
      review.not_exercised(use.rule, "the client did not sample anything");
    } else {
      review.not_exercised(use.rule,
                           was_called ? "the client declares no sampling, or sampling.tools as well"
                                      : "the client did not call the tool that asks so");
    }
  }
};

const ClientScenarioRegistration kUndeclaredUse(
    {.name = "results-ask-for-undeclared-samples",
     .task = "calls every tool, and gives what their results ask for: samples, two of them with "
             "tools",
     .requirements = {"sampling.undeclared-tools-error", "sampling.undeclared-tool-choice-error"},
     .make = make_play<UndeclaredUsePlay>,
     .concerns = &model::Revision::asks_in_results,
     .may_fail = true});

}  // namespace
}  // namespace assay::scenarios
