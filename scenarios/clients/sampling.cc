// A client samples its model for a server: what it declared, tools, and requests that are wrong.
//
// Specification: client/sampling, 2024-11-05 to 2025-11-25.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr const char* kSampleMethod = "sampling/createMessage";
constexpr const char* kPlainSample = "assay-sample";
constexpr const char* kWithTools = "assay-sample-tools";
constexpr const char* kWithChoice = "assay-sample-choice";
constexpr const char* kSampleWithoutTool = "assay-sample-none";
constexpr const char* kSampleWithTool = "assay-sample-required";
constexpr const char* kMissingResult = "assay-sample-missing";
constexpr const char* kMixedResults = "assay-sample-mixed";

Json said_by(const char* role, Json content) {
  return {{"role", role}, {"content", std::move(content)}};
}
Json sample_text(const char* text) {
  return {{"type", "text"}, {"text", text}};
}

Json asking(std::vector<Json> messages) {
  return {{"messages", Json(std::move(messages))}, {"maxTokens", 100}};
}
Json asking_plainly() {
  return asking({said_by("user", sample_text("What is the weather in Paris?"))});
}
Json with_tools(Json params) {
  const Json tool = {{"name", "get_weather"},
                     {"description", "Tells the weather"},
                     {"inputSchema", {{"type", "object"}, {"properties", Json::object()}}}};
  params["tools"] = Json::array({tool});
  return params;
}
Json with_choice(Json params, const char* mode) {
  params["toolChoice"] = {{"mode", mode}};
  return params;
}
Json use_of_tool() {
  return {
      {"type", "tool_use"}, {"id", "call-1"}, {"name", "get_weather"}, {"input", Json::object()}};
}
Json result_of_tool() {
  return {{"type", "tool_result"},
          {"toolUseId", "call-1"},
          {"content", Json::array({sample_text("18 degrees")})}};
}
// Behind a use of a tool.
Json asking_on(Json content) {
  return with_tools(asking({said_by("user", sample_text("What is the weather in Paris?")),
                            said_by("assistant", Json::array({use_of_tool()})),
                            said_by("user", std::move(content))}));
}

bool has_sampled(const Said& said) {
  return said.message.kind() == wire::MessageKind::kResult;
}

bool uses_tool(const Said& answer) {
  const Json& content = member(answer.message.result(), "content");
  if (!content.is_array()) return text_member(content, "type") == "tool_use";
  return std::any_of(content.begin(), content.end(),
                     [](const Json& block) { return text_member(block, "type") == "tool_use"; });
}

class SamplingPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/list") || has_asked_) return;
    has_asked_ = true;
    visit.ask(kPlainSample, kSampleMethod, asking_plainly());
    if (!visit.revision().has_sampling_tools()) return;
    visit.ask(kWithTools, kSampleMethod, with_tools(asking_plainly()));
    visit.ask(kWithChoice, kSampleMethod, with_choice(asking_plainly(), "auto"));
    visit.ask(kSampleWithoutTool, kSampleMethod, with_choice(with_tools(asking_plainly()), "none"));
    visit.ask(kSampleWithTool, kSampleMethod,
              with_choice(with_tools(asking_plainly()), "required"));
    visit.ask(kMissingResult, kSampleMethod, asking_on(sample_text("And tomorrow?")));
    visit.ask(kMixedResults, kSampleMethod,
              asking_on(Json::array({result_of_tool(), sample_text("And tomorrow?")})));
  }

  void on_result(const wire::Message& request, Json& result) override {
    list_little(request, result);
  }

  void review(Review& review) override {
    const auto asked = review.question(kPlainSample);
    if (!asked) return;
    review.expect_answer(kPlainSample,
                         harness::declares_in(review.capabilities(*asked), "sampling"));
    const auto plain = review.answer_to(kPlainSample);
    if (!plain) return;
    const Json capabilities = review.capabilities(*plain);
    const bool has_sampling = harness::declares_in(capabilities, "sampling");
    check(review, "sampling.capability-declared", kPlainSample,
          has_sampling || !has_sampled(*plain),
          "the client samples, and does not declare the capability");
    if (!has_sampling) return;
    if (harness::declares_in(capabilities, "sampling.tools")) {
      review_use(review);
      review_refusals(review);
    } else {
      review_undeclared(review);
    }
  }

 private:
  static void check(Review& review, RequirementId rule, const char* id, bool did_hold,
                    const char* detail, const char* pointer = "/result") {
    const auto question = review.question(id);
    const auto answer = review.answer_to(id);
    if (!question || !answer) return;
    review.check(rule, did_hold, detail, {question->event, answer->event}, pointer);
  }

  static void review_undeclared(Review& review) {
    const auto tools = review.answer_to(kWithTools);
    const auto choice = review.answer_to(kWithChoice);
    if (tools) {
      check(review, "sampling.undeclared-tools-error", kWithTools, !has_sampled(*tools),
            "the client samples with tools, and does not declare sampling.tools");
    }
    if (choice) {
      check(review, "sampling.undeclared-tool-choice-error", kWithChoice, !has_sampled(*choice),
            "the client samples with toolChoice, and does not declare sampling.tools");
    }
    for (const char* id : {kWithTools, kSampleWithTool}) {
      const auto answer = review.answer_to(id);
      if (!answer || !has_sampled(*answer) || !uses_tool(*answer)) continue;
      check(review, "sampling.tools-declared", id, false,
            "the client's model uses a tool, and the client does not declare sampling.tools");
    }
  }

  // By the number of tokens that the server allows: the model was not done.
  static bool was_cut_off(const Said& answer) {
    return text_member(answer.message.result(), "stopReason") == "maxTokens";
  }

  static void review_use(Review& review) {
    const auto tools = review.answer_to(kWithTools);
    if (tools && has_sampled(*tools)) review.held("sampling.tools-declared", tools->event);
    const auto none = review.answer_to(kSampleWithoutTool);
    if (none && has_sampled(*none)) {
      check(review, "sampling.tool-choice-none", kSampleWithoutTool, !uses_tool(*none),
            "toolChoice is none, and the model uses a tool");
    }
    const auto required = review.answer_to(kSampleWithTool);
    if (required && has_sampled(*required) && !was_cut_off(*required)) {
      check(review, "sampling.tool-choice-required", kSampleWithTool, uses_tool(*required),
            "toolChoice is required, and the model uses no tool");
    }
  }

  // Who refuses what is sound as well, because nobody is there to sample or the user does not want
  // it, may refuse this for the same reason.
  static void review_refusals(Review& review) {
    const auto sound = review.answer_to(kWithTools);
    const bool samples = sound && has_sampled(*sound);
    const auto refuses = [&](const char* id, RequirementId rule, const char* detail) {
      const auto answer = review.answer_to(id);
      if (!answer) return;
      if (!samples && !has_sampled(*answer)) {
        return review.unclear(rule, "the client refuses to sample at all", {answer->event});
      }
      check(review, rule, id, answer->message.error_code() == wire::kInvalidParams, detail, "");
    };
    refuses(kMissingResult, "sampling.missing-tool-result-error",
            "a request without the result of a tool was not refused with -32602");
    refuses(kMixedResults, "sampling.mixed-tool-results-error",
            "a request that mixes the result of a tool with text was not refused with -32602");
  }

  bool has_asked_ = false;
};

const ClientScenarioRegistration kSampling(
    {.name = "server-samples",
     .task = "lists the tools, and samples its model for the server meanwhile",
     .requirements = {"jsonrpc.request-answered-once", "sampling.capability-declared",
                      "sampling.tools-declared", "sampling.undeclared-tools-error",
                      "sampling.undeclared-tool-choice-error", "sampling.tool-choice-none",
                      "sampling.tool-choice-required", "sampling.missing-tool-result-error",
                      "sampling.mixed-tool-results-error"},
     .make = make_play<SamplingPlay>,
     .concerns = &model::Revision::has_server_requests});

}  // namespace
}  // namespace assay::scenarios
