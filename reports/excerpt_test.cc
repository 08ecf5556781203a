#include "reports/excerpt.h"

#include <gtest/gtest.h>

namespace assay::reports {
namespace {

std::string found(std::string_view text, std::string_view pointer) {
  const std::optional<Span> span = locate(text, pointer);
  if (!span) return "nothing";
  return std::string(span->is_exact ? "" : "parent ") +
         std::string(text.substr(span->begin, span->end - span->begin));
}

Evidence evidence(const std::string& text, const std::string& pointer) {
  Evidence out;
  out.text = text;
  out.pointer = pointer;
  return out;
}

TEST(Locate, FindsMembersAndElements) {
  const std::string text = R"({"a": {"b" : [1, {"c": "x"}, 3.5]}, "d": null})";
  EXPECT_EQ(found(text, "/a/b/1/c"), R"("c": "x")");
  EXPECT_EQ(found(text, "/a/b/2"), "3.5");
  EXPECT_EQ(found(text, "/a/b"), R"("b" : [1, {"c": "x"}, 3.5])");
  EXPECT_EQ(found(text, "/d"), R"("d": null)");
}

TEST(Locate, UnderstandsPointerEscapes) {
  EXPECT_EQ(found(R"({"a/b": 1, "m~n": 2})", "/a~1b"), R"("a/b": 1)");
  EXPECT_EQ(found(R"({"a/b": 1, "m~n": 2})", "/m~0n"), R"("m~n": 2)");
}

TEST(Locate, IsNotFooledByStrings) {
  EXPECT_EQ(found(R"({"x": "{\"a\": [", "a": 7})", "/a"), R"("a": 7)");
}

TEST(Locate, NamesTheParentOfAMissingValue) {
  EXPECT_EQ(found(R"({"result": {"b": 1}})", "/result/c"), R"(parent "result": {"b": 1})");
  EXPECT_EQ(found(R"({"result": []})", "/result/0"), R"(parent "result": [])");
  EXPECT_EQ(found(R"({"b": 1})", "/c"), R"(parent {"b": 1})");
}

TEST(Locate, LooksBehindHttpFieldsAndSse) {
  EXPECT_EQ(found("HTTP/1.1 200 OK\r\nA: {\r\n\r\n{\"id\": 1}", "/id"), "\"id\": 1");
  EXPECT_EQ(found("event: message\ndata: {\"id\": 1}\n\n", "/id"), "\"id\": 1");
}

TEST(Locate, SurvivesBrokenText) {
  for (const std::string_view text :
       {"", "{", "{\"", "{\"a\"", "{\"a\":", "{\"a\":\"", "{\"a\":\"\\", "[", "[1", "[1,", "}}",
        "{]", "{\"a\" 1}", "{:::}", "[,,]", "{\"a\":{\"b\""}) {
    locate(text, "/a/b");
    locate(text, "/0");
    locate(text, "//");
    excerpt(evidence(std::string(text), "/a/b"), 10);
  }
  EXPECT_EQ(found(R"({"a": 1, "b": )", "/a"), R"("a": 1)");
}

TEST(Locate, SurvivesDeepNesting) {
  std::string pointer;
  for (int i = 0; i < 5000; ++i) pointer += "/0";
  EXPECT_TRUE(locate(std::string(5000, '['), pointer).has_value());
}

TEST(Excerpt, SplitsAroundTheMarkedPart) {
  const Excerpt part = excerpt(evidence(R"({"a":1,"b":2})", "/b"), 100);
  EXPECT_EQ(part.before, R"({"a":1,)");
  EXPECT_EQ(part.marked, R"("b":2)");
  EXPECT_EQ(part.after, "}");
  EXPECT_EQ(part.missing, "");
}

TEST(Excerpt, KeepsTheMarkedPartOfALongText) {
  const std::string text =
      "{\"x\":\"" + std::string(5000, 'x') + "\",\"b\":2,\"y\":\"" + std::string(5000, 'y') + "\"}";
  const Excerpt part = excerpt(evidence(text, "/b"), 300);
  EXPECT_EQ(part.marked, "\"b\":2");
  EXPECT_TRUE(part.before.starts_with("[cut: ")) << part.before;
  EXPECT_TRUE(part.after.ends_with(" bytes]")) << part.after;
  EXPECT_LT(part.before.size() + part.after.size(), 400U);
}

TEST(Excerpt, SaysWhatIsMissing) {
  const Excerpt part = excerpt(evidence(R"({"result":{},"id":1})", "/result/tools"), 100);
  EXPECT_EQ(part.marked, R"("result":{})");
  EXPECT_EQ(part.missing, "/result/tools");
}

TEST(Excerpt, MarksNothingWhenTheWholeMessageIsTheParent) {
  const Excerpt part = excerpt(evidence(R"({"id":1})", "/jsonrpc"), 100);
  EXPECT_EQ(part.before, R"({"id":1})");
  EXPECT_EQ(part.marked, "");
  EXPECT_EQ(part.missing, "/jsonrpc");
}

TEST(Excerpt, IsPrintable) {
  EXPECT_EQ(excerpt(evidence("{\"a\":\"\x1b\"}", "/a"), 100).marked, "\"a\":\"<U+001B>\"");
}

TEST(Excerpt, TellsThatTheHarnessCut) {
  Evidence cut = evidence("abc", "");
  cut.is_cut = true;
  EXPECT_EQ(excerpt(cut, 100).before, "abc[cut]");
  cut.text = std::string(200, 'x');
  EXPECT_TRUE(excerpt(cut, 100).before.ends_with("x[cut: more than 100 bytes]"));
}

TEST(Excerpt, DoesNotCallMissingWhatStandsBehindTheCut) {
  Evidence cut = evidence(R"({"result":{"tools":[{"name":"a"},{"na)", "/result/tools/7/name");
  cut.is_cut = true;
  const Excerpt part = excerpt(cut, 100);
  EXPECT_EQ(part.missing, "");
  EXPECT_EQ(part.marked, "");
  EXPECT_EQ(part.unseen, "/result/tools/7/name");
  EXPECT_EQ(pointer_word(part), "after the cut");
}

TEST(Excerpt, WhatIsMissingBeforeTheCutIsMissing) {
  Evidence cut = evidence(R"({"result":{"tools":[{"title":"a"},{"na)", "/result/tools/0/name");
  cut.is_cut = true;
  const Excerpt part = excerpt(cut, 100);
  EXPECT_EQ(part.missing, "/result/tools/0/name");
  EXPECT_EQ(part.marked, R"({"title":"a"})");
}

}  // namespace
}  // namespace assay::reports
