// What a client gives back where a result asks for a sample or for a form: by the choice of tools,
// and so that it fits.
//
// Specification of 2026-07-28: client/sampling, "Messages" and "Tool Choice Modes";
// client/elicitation, "Form Mode Security".
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/clients/narrow_form.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kWithoutUse = "test_samples_without_tool";
constexpr std::string_view kWithUse = "test_samples_with_tool";
constexpr std::string_view kNothing = "test_samples_nothing";
constexpr std::string_view kNarrowly = "test_asks_narrowly";
constexpr std::array kAsking = {kWithoutUse, kWithUse, kNothing, kNarrowly};
constexpr const char* kGiven = "given";

// The capability that the client needs for it.
const char* needed_for(std::string_view tool) {
  if (tool == kNarrowly) return "elicitation";
  return tool == kNothing ? "sampling" : "sampling.tools";
}

Json question_of(std::string_view tool) {
  if (tool == kNarrowly) {
    return {
        {"method", "elicitation/create"},
        {"params",
         {{"mode", "form"}, {"message", "Who are you?"}, {"requestedSchema", narrow_schema()}}}};
  }
  Json message = {{"role", "user"}, {"content", {{"type", "text"}, {"text", "What time is it?"}}}};
  if (tool == kNothing) message = {{"role", "nobody"}};
  Json params = {{"messages", Json::array({message})}, {"maxTokens", 100}};
  if (tool != kNothing) {
    params["tools"] = Json::array({hosted_tool("tell_time", "Tells the time")});
    params["toolChoice"] = {{"mode", tool == kWithUse ? "required" : "none"}};
  }
  return {{"method", "sampling/createMessage"}, {"params", std::move(params)}};
}

bool uses_any_tool(const Json& sampled) {
  const Json& content = member(sampled, "content");
  if (!content.is_array()) return text_member(content, "type") == "tool_use";
  return std::any_of(content.begin(), content.end(),
                     [](const Json& block) { return text_member(block, "type") == "tool_use"; });
}

class SamplesByResultPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    const wire::Message& call = visit.message();
    const std::string tool = called_tool(call);
    if (std::find(kAsking.begin(), kAsking.end(), tool) == kAsking.end()) return;
    const Json& declared =
        member(member(call.params(), "_meta"), "io.modelcontextprotocol/clientCapabilities");
    const bool is_answered = !member(call.params(), "inputResponses").is_null();
    if (is_answered || !harness::declares_in(declared, needed_for(tool))) {
      return visit.answer(text_result(call, "Done"));
    }
    visit.answer({{"resultType", "input_required"},
                  {"requestState", "as it was"},
                  {"inputRequests", {{kGiven, question_of(tool)}}}});
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    std::vector<Json> tools;
    for (const std::string_view name : kAsking) {
      tools.push_back(hosted_tool(std::string(name), "Asks for something"));
    }
    list_only(tools, result);
  }

  void review(Review& review) override {
    for (const Said& call : review.requests("tools/call")) {
      const Json& given = member(member(call.message.params(), "inputResponses"), kGiven);
      if (!given.is_object()) continue;
      const std::string tool = called_tool(call.message);
      if (tool == kNarrowly) {
        review_form(review, call, given);
      } else {
        review_sample(review, call, given, tool);
      }
    }
  }

 private:
  static constexpr const char* kWhere = "/params/inputResponses/given";

  static void review_form(Review& review, const Said& call, const Json& given) {
    if (text_member(given, "action") != "accept") return;
    const std::string misfit = misfit_in(member(given, "content"));
    review.check("elicitation.client-validates", misfit.empty(),
                 "the client accepted a form with a value that does not fit its schema",
                 {call.event}, std::string(kWhere) + "/content" + misfit);
  }

  static void review_sample(Review& review, const Said& call, const Json& given,
                            std::string_view tool) {
    const std::string_view role = text_member(given, "role");
    const bool is_message =
        (role == "user" || role == "assistant") && member(given, "content").is_structured();
    review.check("sampling.message-fields", is_message,
                 "what the client sampled lacks its role or its content", {call.event}, kWhere);
    if (tool == kNothing) {
      review.broke("sampling.content-validated",
                   "the client sampled a message that has an unknown role and no content",
                   {call.event}, kWhere);
    } else if (is_message && tool == kWithoutUse) {
      review.check("sampling.tool-choice-none", !uses_any_tool(given),
                   "toolChoice is none, and the model uses a tool", {call.event}, kWhere);
    } else if (is_message && text_member(given, "stopReason") != "maxTokens") {
      // A sample that was cut off may have come to its tool later.
      review.check("sampling.tool-choice-required", uses_any_tool(given),
                   "toolChoice is required, and the model uses no tool", {call.event}, kWhere);
    }
  }
};

const ClientScenarioRegistration kSamplesByResult(
    {.name = "results-ask-for-samples",
     .task = "calls every tool, and gives what their results ask for: samples, and a form",
     .requirements = {"elicitation.client-validates", "sampling.message-fields",
                      "sampling.content-validated", "sampling.tool-choice-none",
                      "sampling.tool-choice-required"},
     .make = make_play<SamplesByResultPlay>,
     .concerns = &model::Revision::asks_in_results});

}  // namespace
}  // namespace assay::scenarios
