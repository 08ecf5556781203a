#include "fuzz/live/target/links.h"

#include <gtest/gtest.h>

#include <string>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/values/request_states.h"

namespace assay::fuzz {
namespace {

std::string told(const Json& result) {
  std::string text;
  for (const Identifier& each : identifiers_in(result)) {
    text += each.member + "=" + each.value.dump() + " ";
  }
  return text;
}

TEST(Links, AreSeenInStructuredContentTextsAndResources) {
  EXPECT_EQ(told({{"structuredContent", {{"id", 7}, {"valid", "no"}, {"in", {{"noteId", "n"}}}}},
                  {"content", Json::array()}}),
            "id=7 noteId=\"n\" ");
  EXPECT_EQ(told({{"content",
                   {{{"type", "text"}, {"text", R"({"note_id":"a","name":"b"})"}},
                    {{"type", "resource_link"}, {"uri", "note://1"}, {"name", "x"}}}}}),
            "note_id=\"a\" uri=\"note://1\" ");
}

TEST(Links, AreNotSeenInFailuresOrInWhatIsLong) {
  EXPECT_EQ(told({{"structuredContent", {{"id", 7}}}, {"isError", true}}), "");
  EXPECT_EQ(told({{"structuredContent", {{"id", std::string(10'000, 'a')}}}}), "");
  EXPECT_EQ(told({{"structuredContent", {{std::string(10'000, 'a') + "_id", 1}}}}), "");
  EXPECT_EQ(told(nullptr), "");
}

TEST(Links, JoinNamesOfOneKind) {
  EXPECT_TRUE(asks_for("id", "id"));
  EXPECT_TRUE(asks_for("note_id", "id"));
  EXPECT_TRUE(asks_for("id", "noteId"));
  EXPECT_TRUE(asks_for("note_id", "noteId"));
  EXPECT_FALSE(asks_for("note_id", "user_id"));
  EXPECT_FALSE(asks_for("uri", "id"));
  EXPECT_FALSE(asks_for("valid", "id"));
  EXPECT_FALSE(asks_for("text", "id"));
}

TEST(Links, AreFilledInWithWhatTheAnswerSaid) {
  RequestStates states;
  const std::string place = "{\"id\":\"" + link_place(1'000'001, "id") + "\"}";
  EXPECT_EQ(state_places(place), std::vector<std::uint64_t>{1'000'001});
  EXPECT_EQ(states.fill(place), R"({"id":"assay-no-such-state"})");
  states.note(
      R"({"jsonrpc":"2.0","id":1000001,"result":{"content":[],"structuredContent":{"id":"a\"b"}}})");
  EXPECT_EQ(states.fill(place), R"({"id":"a\"b"})");
  states.note(
      R"({"jsonrpc":"2.0","id":1000002,"result":{"content":[],"structuredContent":{"id":42}}})");
  EXPECT_EQ(states.fill("[\"" + link_place(1'000'002, "id") + "\",1]"), "[42,1]");
}

Vocabulary notes() {
  Vocabulary words;
  const Json id = {{"type", "object"}, {"properties", {{"note_id", {{"type", "string"}}}}}};
  words.tools = {{{"name", "create"}, {"inputSchema", {{"type", "object"}}}},
                 {{"name", "get"}, {"inputSchema", id}}};
  return words;
}

TEST(Links, PutAnIdentifierIntoACallBehindTheOneThatMadeIt) {
  const Vocabulary words = notes();
  Generator generator(words, 1, false);
  generator.learn({{"create", "id"}, {"unlisted", "id"}});
  std::size_t linked = 0;
  for (int i = 0; i < 2000; ++i) {
    const Case made = generator.next();
    if (!made.origin.starts_with("link: ") || made.origin.ends_with(" again")) continue;
    ++linked;
    EXPECT_EQ(made.origin, "link: id of create into get");
    EXPECT_TRUE(made.steps[0].waits);
    EXPECT_EQ(state_places(made.steps[1].bytes), std::vector<std::uint64_t>{made.ids[0]});
  }
  EXPECT_GT(linked, 10u);
}

}  // namespace
}  // namespace assay::fuzz
