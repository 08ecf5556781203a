#include "reference/client/answers.h"

#include <gtest/gtest.h>

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
  nothing.roots = nothing.sampling = nothing.elicitation_form = nothing.elicitation_url = false;
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

}  // namespace
}  // namespace assay::client
