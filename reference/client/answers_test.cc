#include "reference/client/answers.h"

#include <gtest/gtest.h>

#include <variant>

namespace assay::client {
namespace {

using model::Revision;

TEST(Answers, DeclaresWhatTheRevisionHas) {
  const Offer everything;
  EXPECT_FALSE(client_capabilities(everything, Revision::v2025_03_26).contains("elicitation"));
  EXPECT_EQ(client_capabilities(everything, Revision::v2025_06_18)["elicitation"], Json::object());
  const Json newest = client_capabilities(everything, Revision::v2025_11_25);
  EXPECT_TRUE(newest["elicitation"].contains("form"));
  EXPECT_TRUE(newest["elicitation"].contains("url"));
}

TEST(Answers, NeitherDeclaresNorAnswersWhatIsNotOffered) {
  Offer nothing;
  nothing.roots = nothing.sampling = nothing.apps = false;
  nothing.elicitation_form = nothing.elicitation_url = false;
  EXPECT_EQ(client_capabilities(nothing, Revision::v2025_11_25), Json::object());
  const auto handlers = default_handlers(nothing, Revision::v2025_11_25);
  EXPECT_EQ(handlers.size(), 1u);
  EXPECT_TRUE(handlers.contains("ping"));
}

TEST(Answers, RefusesAModeThatWasNotDeclared) {
  Offer offer;
  offer.elicitation_url = false;
  const auto handlers = default_handlers(offer, Revision::v2025_11_25);
  const Answer answer = handlers.at("elicitation/create")({{"mode", "url"}});
  EXPECT_TRUE(std::holds_alternative<ErrorAnswer>(answer));
}

TEST(Answers, FillsAFormWithItsDefaults) {
  const Json schema = Json::parse(R"({"type":"object","properties":{
      "name":{"type":"string","default":"John Doe"}, "age":{"type":"integer","default":30},
      "note":{"type":"string"}, "ok":{"type":"boolean","default":false}}})");
  EXPECT_EQ(default_content(schema), Json::parse(R"({"name":"John Doe","age":30,"ok":false})"));
}

TEST(Answers, FillsRequiredFieldsWithinTheirBounds) {
  const Json schema = Json::parse(R"({"properties":{
      "choice":{"type":"string","enum":["a","b"]}, "titled":{"oneOf":[{"const":"c","title":"C"}]},
      "many":{"type":"array","minItems":1,"items":{"anyOf":[{"const":"d"}]}},
      "long":{"type":"string","minLength":6}, "short":{"type":"string","maxLength":2},
      "mail":{"type":"string","format":"email"}, "big":{"type":"number","minimum":7},
      "small":{"type":"integer","maximum":-3}},
      "required":["choice","titled","many","long","short","mail","big","small"]})");
  EXPECT_EQ(default_content(schema),
            Json::parse(R"({"choice":"a","titled":"c","many":["d"],"long":"textxx","short":"te",
                            "mail":"someone@example.com","big":7,"small":-3})"));
}

TEST(Answers, SurvivesSchemasThatAreNone) {
  for (const char* text :
       {"null", "[]", "3", R"({"properties":[]})", R"({"properties":{"a":3},"required":["a",1]})",
        R"({"properties":{"a":{"enum":[]}},"required":"a"})"}) {
    EXPECT_TRUE(default_content(Json::parse(text)).is_object()) << text;
  }
}

// What a handler gave; null for an error.
Json result_of(const Answer& answer) {
  const auto* json = std::get_if<Json>(&answer);
  return json == nullptr ? Json() : *json;
}

TEST(Tasks, AreCreatedFetchedAndNotCancelledAtTheirEnd) {
  auto handlers = default_handlers(Offer(), Revision::v2025_11_25);
  const Json request = {{"messages", Json::array()}, {"maxTokens", 1}, {"task", {{"ttl", 1000}}}};
  const Json created = result_of(handlers["sampling/createMessage"](request))["task"];
  EXPECT_EQ(created["status"], "working");
  const Json named = {{"taskId", created["taskId"]}};
  EXPECT_EQ(result_of(handlers["tasks/get"](named))["status"], "completed");
  const Json result = result_of(handlers["tasks/result"](named));
  EXPECT_EQ(result["role"], "assistant");
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/related-task"], named);
  EXPECT_TRUE(std::holds_alternative<ErrorAnswer>(handlers["tasks/cancel"](named)));
  EXPECT_EQ(result_of(handlers["tasks/list"](Json()))["tasks"].size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ErrorAnswer>(handlers["tasks/get"]({{"taskId", "x"}})));
}

TEST(Tasks, AreCancelledWhileTheyWorkAndFailWithTheirRequest) {
  auto handlers = default_handlers(Offer(), Revision::v2025_11_25);
  const Json bad = {{"task", Json::object()}};
  const Json first = result_of(handlers["sampling/createMessage"](bad))["task"];
  const Json second = result_of(handlers["sampling/createMessage"](bad))["task"];
  EXPECT_NE(first["taskId"], second["taskId"]);
  const Json cancelled = {{"taskId", first["taskId"]}};
  EXPECT_EQ(result_of(handlers["tasks/cancel"](cancelled))["status"], "cancelled");
  EXPECT_EQ(result_of(handlers["tasks/get"](cancelled))["status"], "cancelled");
  const Json failed = {{"taskId", second["taskId"]}};
  EXPECT_EQ(result_of(handlers["tasks/get"](failed))["status"], "failed");
  const auto answer = handlers["tasks/result"](failed);
  ASSERT_TRUE(std::holds_alternative<ErrorAnswer>(answer));
  EXPECT_EQ(std::get<ErrorAnswer>(answer).code, -32602);
}

TEST(Tasks, AreNotThereBeforeTheirRevision) {
  auto handlers = default_handlers(Offer(), Revision::v2025_06_18);
  EXPECT_FALSE(handlers.contains("tasks/get"));
  EXPECT_FALSE(client_capabilities(Offer(), Revision::v2025_06_18).contains("tasks"));
  const Json request = {{"messages", Json::array()}, {"maxTokens", 1}, {"task", Json::object()}};
  EXPECT_EQ(result_of(handlers["sampling/createMessage"](request))["role"], "assistant");
}

TEST(Sampling, UsesAToolWhereOneIsRequiredAndRefusesWhatWasNotDeclared) {
  Json request = {{"messages", Json::array()},
                  {"maxTokens", 1},
                  {"tools", Json::array({{{"name", "look"}}})},
                  {"toolChoice", {{"mode", "required"}}}};
  auto handlers = default_handlers(Offer(), Revision::v2025_11_25);
  EXPECT_EQ(result_of(handlers["sampling/createMessage"](request))["content"]["name"], "look");
  Offer without;
  without.sampling_tools = false;
  handlers = default_handlers(without, Revision::v2025_11_25);
  EXPECT_TRUE(std::holds_alternative<ErrorAnswer>(handlers["sampling/createMessage"](request)));
}

}  // namespace
}  // namespace assay::client
