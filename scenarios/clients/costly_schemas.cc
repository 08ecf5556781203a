// A tool whose output fits its schema, and where a validator without bounds finds that out only
// after a lifetime: each of forty definitions asks for the next one twice.
//
// Specification of 2026-07-28: basic, "Composition-Keyword Resource Use".
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/clients/plays.h"

namespace assay::scenarios {
namespace {

constexpr std::string_view kCostlyTool = "test_costly_schema";
constexpr int kDoublings = 40;
// Who still sits over an answer then sits over its schema; who leaves sooner may be done.
constexpr std::chrono::milliseconds kLongThought{4000};
constexpr std::chrono::milliseconds kLongEnough{8000};

// All of it fits, so that no list of what does not grows meanwhile.
Json costly_schema() {
  Json schema = {{"type", "object"}, {"$ref", "#/$defs/part0"}};
  for (int i = 0; i < kDoublings; ++i) {
    const Json next = {{"$ref", fmt::format("#/$defs/part{}", i + 1)}};
    schema["$defs"][fmt::format("part{}", i)] = {{"allOf", {next, next}}};
  }
  schema["$defs"][fmt::format("part{}", kDoublings)] = {{"type", "object"}};
  return schema;
}

class CostlySchemaPlay : public Play {
 public:
  void on_message(Visit& visit) override {
    if (!visit.is_request("tools/call")) return;
    Json result = text_result(visit.message(), "Done");
    if (called_tool(visit.message()) == kCostlyTool) {
      result["structuredContent"] = {{"cost", "much"}};
      if (!given_) {
        given_ = harness::Clock::now();
        if (answered_) pace_ = *given_ - *answered_;
      }
    }
    answered_ = harness::Clock::now();
    visit.answer(std::move(result));
  }
  void on_client_end() override { left_ = harness::Clock::now(); }
  void on_result(const wire::Message& request, Json& result) override {
    if (request.method() != "tools/list") return;
    Json costly = hosted_tool(std::string(kCostlyTool), "Its output has a costly schema");
    costly["outputSchema"] = costly_schema();
    list_only({hosted_tool("test_before", "Answers with a text"), costly,
               hosted_tool("test_simple_text", "Answers with a text")},
              result);
  }

  void review(Review& review) override {
    constexpr catalogue::RequirementId kRule("json-schema.bounded-validation");
    bool calls_others = false;
    for (const Said& call : review.requests("tools/call")) {
      const auto reply = review.reply_to(call);
      if (!reply) continue;
      if (called_tool(call.message) != kCostlyTool) {
        calls_others = true;
        continue;
      }
      if (review.went_on_after(*reply)) return review.held(kRule, reply->event);
      if (!review.crash().empty()) {
        return review.crashed(
            kRule, "the client crashed over an output with a costly schema: " + review.crash(),
            {reply->event});
      }
      // Whoever calls but one tool may be through with it; and some take long between two calls.
      const bool sits = given_ && left_ && *left_ - *given_ >= kLongThought + 3 * pace_;
      if (sits && calls_others) {
        return review.fell_silent(kRule,
                                  "the client calls one tool after another, and nothing more came "
                                  "after an output whose schema doubles its own cost forty times",
                                  {reply->event});
      }
      return review.not_exercised(kRule, "the client asked for nothing after the output");
    }
    review.not_exercised(kRule, "the client did not call the tool whose schema is costly");
  }

 private:
  harness::Clock::duration pace_{};  // between two calls
  std::optional<harness::Clock::time_point> answered_;
  std::optional<harness::Clock::time_point> given_;
  std::optional<harness::Clock::time_point> left_;
};

const ClientScenarioRegistration kCostlySchema(
    {.name = "costly-schema",
     .task = "calls test_before, test_costly_schema and test_simple_text",
     .requirements = {"json-schema.bounded-validation"},
     .make = make_play<CostlySchemaPlay>,
     .may_fail = true,
     .enough = kLongEnough});

}  // namespace
}  // namespace assay::scenarios
