#include "fuzz/live/client/wording.h"

#include <gtest/gtest.h>

#include "fuzz/live/client/spoil.h"

namespace assay::fuzz {
namespace {

constexpr const char* kCanary = "http://127.0.0.1:4711/assay-canary";

TEST(Wording, HasPlacesForWhatDiffersFromOneLaunchToTheNext) {
  const auto kept =
      kept_wording({{R"({"params":{"progressToken":7,"progress":17}})"},
                    R"({"id":7,"result":{"a":"http://127.0.0.1:4711/assay-canary"}})"},
                   "7", kCanary);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->ahead[0], R"({"params":{"progressToken":@ID@,"progress":17}})");
  EXPECT_EQ(kept->answer, R"({"id":@ID@,"result":{"a":"@CANARY@"}})");
  EXPECT_EQ(filled(*kept->answer, R"("x")", "http://b/"),
            R"({"id":"x","result":{"a":"http://b/"}})");
}

TEST(Wording, IsNotKeptWhereItIsNoTextOrLong) {
  EXPECT_FALSE(kept_wording({{"\xFF"}, std::nullopt}, "1", kCanary));
  EXPECT_FALSE(kept_wording({{}, std::string(1u << 20, 'a')}, "1", kCanary));
}

TEST(Wording, IsCutToWhatItTakes) {
  const Wording whole = {{R"({"a":1})", R"({"b":[1,2,{"bad":null}],"c":3})"},
                         R"({"jsonrpc":"2.0","id":@ID@,"result":{}})"};
  const auto is_bad = [](const Wording& wording) {
    return text(wording).find("null") != std::string::npos;
  };
  const Wording least = minimize_wording(whole, is_bad, {});
  EXPECT_FALSE(least.answer);
  ASSERT_EQ(least.ahead.size(), 1u);
  EXPECT_LE(least.ahead[0].size(), 6u) << least.ahead[0];
}

TEST(Wording, SurvivesInASpoil) {
  Spoil spoil{"tools/list", 1, "value", 3, Wording{{"{}"}, "[\"a\"]"}};
  const auto loaded = spoils_from_jsonl(to_jsonl({spoil}));
  ASSERT_TRUE(std::holds_alternative<Spoils>(loaded));
  EXPECT_EQ(std::get<Spoils>(loaded), Spoils{spoil});
  spoil.wording->answer.reset();
  EXPECT_EQ(std::get<Spoils>(spoils_from_jsonl(to_jsonl({spoil}))), Spoils{spoil});
  const auto damaged = spoils_from_jsonl(
      R"({"method":"tools/list","occurrence":1,"what":"value","seed":3,"ahead":[7]})");
  ASSERT_TRUE(std::holds_alternative<std::string>(damaged));
  EXPECT_EQ(std::get<std::string>(damaged), "line 1 has no texts ahead");
}

}  // namespace
}  // namespace assay::fuzz
