#include "fuzz/live/target/step.h"

#include <gtest/gtest.h>

#include <variant>

namespace assay::fuzz {
namespace {

std::string trouble(std::string_view text) {
  const auto steps = from_jsonl(text);
  const auto* what = std::get_if<std::string>(&steps);
  return what == nullptr ? "" : *what;
}

TEST(Steps, ComeBackAsTheyWereWritten) {
  Steps steps(3);
  steps[0].bytes = "{\"id\":1}\n";
  steps[0].waits = true;
  steps[1].bytes = std::string("\xff\0x", 3);
  steps[1].session = 1;
  steps[2].kind = Step::Kind::kHttp;
  steps[2].method = "DELETE";
  steps[2].headers = {{"Accept", "text/html"}};
  steps[2].end = Step::End::kHalfClose;
  steps[2].overlaps = true;
  const auto read = from_jsonl(to_jsonl(steps));
  ASSERT_TRUE(std::holds_alternative<Steps>(read)) << std::get<std::string>(read);
  EXPECT_EQ(std::get<Steps>(read), steps);
}

TEST(Steps, SayWhichLineOfADamagedFileIsWrong) {
  EXPECT_EQ(trouble("{\"bytes\":\"a\"}\n{\"bytes\":"), "line 2: no JSON object");
  EXPECT_EQ(trouble("{\"bytes\":7}"), "line 1: 'bytes' is no string");
  EXPECT_EQ(trouble("{\"base64\":\"?\"}"), "line 1: 'base64' is no base64");
  EXPECT_EQ(trouble("{\"bytes\":\"\",\"session\":9}"), "line 1: 'session' is neither 0 nor 1");
  EXPECT_EQ(trouble("{\"bytes\":\"\",\"kind\":\"x\"}"), "line 1: an unknown 'kind' or 'end'");
  EXPECT_EQ(trouble(""), "it holds no step");
}

TEST(Steps, CountLinesAsMessages) {
  Steps steps(3);
  steps[0].bytes = "one\ntwo\n\n";
  steps[1].bytes = "thr";
  steps[2].bytes = "ee\n";
  EXPECT_EQ(count_messages(steps, false), 3u);
  EXPECT_EQ(count_messages(steps, true), 3u);
}

TEST(Cases, GetNewIdsEverywhere) {
  Case one;
  one.ids = {1'000'001};
  one.steps.resize(2);
  one.steps[0].bytes = "{\"id\":1000001}\n";
  one.steps[1].bytes = "{\"requestId\":1000001}\n";
  std::uint64_t last = 2'000'000;
  renumber(one, last);
  EXPECT_EQ(one.steps[0].bytes, "{\"id\":2000001}\n");
  EXPECT_EQ(one.steps[1].bytes, "{\"requestId\":2000001}\n");
  EXPECT_EQ(last, 2'000'001u);
}

}  // namespace
}  // namespace assay::fuzz
