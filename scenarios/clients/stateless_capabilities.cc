// What a client answers when a result asks for a form, for its roots or for a sample, and whether
// the request that it did it for declared so.
//
// Specification of 2026-07-28: client/elicitation, client/roots, client/sampling, "Capabilities".
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/clients/default_forms.h"
#include "scenarios/clients/given_roots.h"
#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

// A tool that asks for one thing, whether the client declares it or not.
struct AskedFeature {
  const char* tool;
  const char* capability;
  const char* method;
  catalogue::RequirementId rule;
};
constexpr std::array<AskedFeature, 3> kFeatures = {{
    {"test_asks_for_form", "elicitation", "elicitation/create", "elicitation.capability-declared"},
    {"test_asks_for_roots", "roots", "roots/list", "roots.capability-declared"},
    {"test_asks_for_sample", "sampling", "sampling/createMessage", "sampling.capability-declared"},
}};
constexpr const AskedFeature& kFormFeature = kFeatures[0];
constexpr const char* kModelessTool = "test_asks_for_form_without_mode";
// The tools that ask for a form.
struct FormTool {
  std::string_view name;
  DefaultForm form;
};
constexpr std::array<FormTool, 4> kFormTools = {{
    {kFormFeature.tool, DefaultForm::kFirst},
    {kModelessTool, DefaultForm::kSecond},
    {"test_asks_for_choices", DefaultForm::kFirstChoices},
    {"test_asks_for_other_choices", DefaultForm::kSecondChoices},
}};
constexpr const AskedFeature& kSamplingFeature = kFeatures[2];
constexpr const char* kSampleWithTools = "test_asks_for_sample_with_tools";
constexpr const char* kUrlTool = "test_asks_for_url";
constexpr std::string_view kPage = "/canary/consent";
constexpr const char* kKey = "asked";

const FormTool* form_tool(std::string_view name) {
  const auto found = std::find_if(kFormTools.begin(), kFormTools.end(),
                                  [&](const FormTool& each) { return each.name == name; });
  return found == kFormTools.end() ? nullptr : found;
}

Json params_of(const FormTool& tool) {
  Json params = {{"message", "Who are you?"}, {"requestedSchema", default_form_schema(tool.form)}};
  if (tool.name != kModelessTool) params["mode"] = "form";
  return params;
}

Json params_of(const AskedFeature& feature) {
  if (feature.capability == std::string_view("roots")) return Json::object();
  return {{"messages", {{{"role", "user"}, {"content", {{"type", "text"}, {"text", "Say yes"}}}}}},
          {"maxTokens", 10}};
}

Json params_with_tools() {
  Json params = params_of(kSamplingFeature);
  params["tools"] = Json::array({hosted_tool("tell_time", "Tells the time")});
  return params;
}

// No result asks twice.
Json asking_for(const char* method, Json params) {
  return {{"resultType", "input_required"},
          {"inputRequests", {{kKey, {{"method", method}, {"params", std::move(params)}}}}}};
}

class AskedFeaturesPlay : public Play {
 public:
  std::optional<std::string> begin(const harness::Venue& venue) override {
    origin_ = venue.origin;
    return std::nullopt;
  }
  void on_reply(const transport::HttpHead& request, std::string_view /*body*/,
                transport::HttpReply& reply) override {
    if (!std::string_view(request.target).starts_with(kPage)) return;
    was_opened_ = true;
    reply.status = 200;
    reply.headers = {{"Content-Type", "text/html"}};
    reply.body = "<title>Do you agree?</title>";
  }
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    const bool is_answered = !member(visit.message().params(), "inputResponses").is_null();
    const std::string tool = called_tool(visit.message());
    const FormTool* const form = form_tool(tool);
    if (form != nullptr && !is_answered) {
      return visit.answer(asking_for(kFormFeature.method, params_of(*form)));
    }
    for (const AskedFeature& each : kFeatures) {
      if (tool != each.tool || is_answered) continue;
      return visit.answer(asking_for(each.method, params_of(each)));
    }
    if (tool == kSampleWithTools && !is_answered) {
      return visit.answer(asking_for(kSamplingFeature.method, params_with_tools()));
    }
    if (tool == kUrlTool && !is_answered && declares_url(visit.message())) {
      return visit.answer(
          asking_for("elicitation/create", {{"mode", "url"},
                                            {"message", "Please agree on this page"},
                                            {"url", origin_ + std::string(kPage)}}));
    }
    visit.answer(text_result(visit.message(), "Done"));
  }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    std::vector<Json> tools;
    for (const AskedFeature& each : kFeatures) {
      tools.push_back(hosted_tool(each.tool, std::string("Asks for ") + each.method));
    }
    for (const FormTool& each : kFormTools) {
      if (each.name == kFormFeature.tool) continue;
      tools.push_back(hosted_tool(std::string(each.name), "Asks for a form"));
    }
    tools.push_back(hosted_tool(kSampleWithTools, "Samples with tools"));
    // Over stdio nobody would see who opens it.
    if (!origin_.empty()) tools.push_back(hosted_tool(kUrlTool, "Sends the user to a page"));
    list_only(tools, result);
  }

  void review(Review& review) override {
    std::vector<FilledForm> filled;
    for (const Said& call : review.requests("tools/call")) {
      const Json& answer = answer_in(call);
      if (!answer.is_object()) continue;
      const std::string tool = called_tool(call.message);
      const FormTool* const form = form_tool(tool);
      if (form != nullptr && harness::text_member(answer, "action") == "accept") {
        filled.push_back({form->form, nullptr, call.event, member(answer, "content")});
      }
      for (const AskedFeature& feature : kFeatures) {
        if (tool == feature.tool) review_answer(review, feature, call, answer);
      }
      // Who leaves the tools alone has not taken them, declared or not.
      if (tool == kSampleWithTools && uses_tool(member(answer, "content"))) {
        review.check("sampling.tools-declared",
                     harness::declares_in(review.capabilities(call), "sampling.tools"),
                     "the client samples with tools, and its request does not declare so",
                     {call.event}, "/params/inputResponses");
      }
    }
    review_default_forms(review, filled, "/params/inputResponses/asked/content");
    review_modeless(review);
    review_url(review);
  }

 private:
  static bool declares_url(const wire::Message& call) {
    const Json& meta = member(call.params(), "_meta");
    return harness::declares_in(member(meta, "io.modelcontextprotocol/clientCapabilities"),
                                "elicitation.url");
  }

  // Who answers the form with a mode answers the one without.
  static void review_modeless(Review& review) {
    const catalogue::RequirementId rule = "elicitation.missing-mode-is-form";
    std::optional<Said> asked;
    bool answers_forms = false;
    for (const Said& call : review.requests("tools/call")) {
      const std::string tool = called_tool(call.message);
      const bool is_answer = answer_in(call).is_object();
      if (tool == kModelessTool && is_answer) return review.held(rule, call.event);
      if (tool == kModelessTool && !asked) asked = call;
      answers_forms = answers_forms || (tool == kFormFeature.tool && is_answer);
    }
    if (!asked || !answers_forms) return;
    review.missed(rule, "the client answers a form, but not one that names no mode", {asked->event},
                  {"the answer to the form"});
  }

  // Nobody is there to agree but who answers that he does.
  void review_url(Review& review) const {
    EventPtr asked;
    bool has_agreed = false;
    for (const Said& call : review.requests("tools/call")) {
      if (called_tool(call.message) != kUrlTool || !declares_url(call.message)) continue;
      if (asked == nullptr) asked = call.event;
      has_agreed = has_agreed || harness::text_member(answer_in(call), "action") == "accept";
    }
    if (asked == nullptr || (was_opened_ && has_agreed)) return;
    for (const catalogue::RequirementId rule :
         {catalogue::RequirementId("elicitation.url-not-prefetched"),
          catalogue::RequirementId("elicitation.url-opened-with-consent")}) {
      review.check(rule, !was_opened_,
                   "the client opened the URL of an elicitation, and no user agreed to it",
                   {asked});
    }
  }

  static const Json& answer_in(const Said& call) {
    return member(member(call.message.params(), "inputResponses"), kKey);
  }

  // One block, or several.
  static bool uses_tool(const Json& content) {
    const auto is_use = [](const Json& block) {
      return harness::text_member(block, "type") == "tool_use";
    };
    return is_use(content) ||
           (content.is_array() && std::any_of(content.begin(), content.end(), is_use));
  }

  static void review_answer(Review& review, const AskedFeature& feature, const Said& call,
                            const Json& answer) {
    review.check(feature.rule, harness::declares_in(review.capabilities(call), feature.capability),
                 std::string("the client answers ") + feature.method +
                     ", and its request does not declare the capability",
                 {call.event}, "/params/inputResponses");
    if (std::string_view(feature.capability) != "roots") return;
    review_given_roots(review, answer, {call.event}, "/params/inputResponses/asked/roots");
  }

  std::string origin_;  // empty over stdio
  bool was_opened_ = false;
};

const ClientScenarioRegistration kAskedFeatures(
    {.name = "results-ask",
     .task = "calls each tool, and answers what its result asks for",
     .requirements = {"elicitation.capability-declared", "elicitation.missing-mode-is-form",
                      "elicitation.defaults-filled", "roots.capability-declared",
                      "roots.uri-is-file", "roots.uris-validated", "sampling.capability-declared",
                      "sampling.tools-declared", "elicitation.url-not-prefetched",
                      "elicitation.url-opened-with-consent"},
     .make = make_play<AskedFeaturesPlay>,
     .concerns = &model::Revision::asks_in_results,
     .may_fail = true,
     .deeds = {{harness::Act::kAnswersElicitation, "test_asks_for_form"},
               {harness::Act::kAnswersElicitation, kModelessTool},
               {harness::Act::kAnswersElicitation, "test_asks_for_choices"},
               {harness::Act::kAnswersElicitation, "test_asks_for_other_choices"}}});

}  // namespace
}  // namespace assay::scenarios
