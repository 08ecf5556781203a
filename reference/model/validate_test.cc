#include "reference/model/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay::model {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Revision kNewestHandshake = Revision::newest_handshake();

std::vector<std::string> texts(const Deviations& deviations) {
  std::vector<std::string> lines;
  for (const Deviation& deviation : deviations) lines.push_back(to_text(deviation));
  return lines;
}

std::vector<std::string> judge(Revision revision, std::string_view type, const char* json) {
  return texts(validate(revision, type, Json::parse(json)));
}

TEST(Validate, CompilesTheTablesOfEveryRevision) {
  for (const Revision revision : Revision::all()) {
    EXPECT_GT(known_types(revision).size(), 70u) << revision.text();
  }
}

TEST(Validate, NamesPointerExpectationAndFinding) {
  EXPECT_THAT(judge(kNewestHandshake, "ListToolsResult",
                    R"({"tools": [{"name": "a", "inputSchema": {"type": "array"}}]})"),
              ElementsAre(R"(/tools/0/inputSchema/type: expected "object", found "array")"));
  EXPECT_THAT(judge(kNewestHandshake, "CallToolRequestParams", R"({"name": 3})"),
              ElementsAre("/name: expected string, found number"));
}

TEST(Validate, ReportsEveryDeviation) {
  EXPECT_THAT(
      judge(kNewestHandshake, "Tool", R"({"description": 1, "title": null})"),
      ElementsAre("/description: expected string, found number",
                  "/inputSchema: expected object, found nothing",
                  "/name: expected tool name (1 to 128 of A-Z a-z 0-9 _ - .), found nothing",
                  "/title: expected string, found null"));
}

TEST(Validate, AllowsUnknownMembers) {
  EXPECT_THAT(judge(Revision::v2024_11_05, "Implementation",
                    R"({"name": "a", "version": "1", "title": 7, "x": {}})"),
              IsEmpty());
}

TEST(Validate, KnowsWhichRevisionAFieldLivesIn) {
  constexpr const char* kImplementation = R"({"name": "a", "version": "1", "title": 7})";
  EXPECT_THAT(judge(Revision::v2025_03_26, "Implementation", kImplementation), IsEmpty());
  EXPECT_THAT(judge(Revision::v2025_06_18, "Implementation", kImplementation),
              ElementsAre("/title: expected string, found number"));
}

TEST(Validate, FindsTheAlternativeThatTheValueNames) {
  EXPECT_THAT(judge(kNewestHandshake, "ContentBlock", R"({"type": "text", "text": 1})"),
              ElementsAre("/text: expected string, found number"));
  EXPECT_THAT(judge(kNewestHandshake, "ContentBlock", R"({"type": "video"})"),
              ElementsAre(R"(/type: expected one of "text", "image", "audio", "resource_link", )"
                          R"("resource", found "video")"));
  EXPECT_THAT(judge(Revision::v2024_11_05, "PromptMessage",
                    R"({"role": "user", "content": {"type": "audio"}})"),
              ElementsAre(R"(/content/type: expected one of "text", "image", "resource", )"
                          R"(found "audio")"));
}

TEST(Validate, SaysWhichAlternativeCameClosest) {
  EXPECT_THAT(
      judge(kNewestHandshake, "ReadResourceResult", R"({"contents": [{"uri": "a:b", "blob": 1}]})"),
      ElementsAre("/contents/0/blob: expected base64 string (RFC 4648), found number "
                  "(taken as BlobResourceContents)"));
  EXPECT_THAT(judge(kNewestHandshake, "ElicitRequestParams",
                    R"({"mode": "url", "message": "m", "elicitationId": "1"})"),
              ElementsAre("/url: expected URI (RFC 3986), found nothing "
                          "(taken as ElicitRequestURLParams)"));
}

TEST(Validate, ChecksFormats) {
  EXPECT_THAT(judge(kNewestHandshake, "ImageContent",
                    R"({"type": "image", "data": "ab*=", "mimeType": "image/png"})"),
              ElementsAre("/data: expected base64 string (RFC 4648), found \"ab*=\", wrong from "
                          "offset 2: \"*=\""));
  EXPECT_THAT(judge(kNewestHandshake, "Root", R"({"uri": "no scheme"})"),
              ElementsAre("/uri: expected URI (RFC 3986), found \"no scheme\", wrong from offset "
                          "2: \" scheme\""));
}

TEST(Validate, TellsAdviceFromObligation) {
  const Json tool = Json::parse(R"({"name": "a b", "inputSchema": {"type": "object"}})");
  const Deviations deviations = validate(kNewestHandshake, "Tool", tool);
  ASSERT_EQ(deviations.size(), 1u);
  EXPECT_EQ(deviations[0].rule, Rule::kToolName);
  EXPECT_EQ(deviations[0].strength, Strength::kShould);
  EXPECT_TRUE(is_valid(kNewestHandshake, "Tool", tool));
  EXPECT_THAT(validate(Revision::v2025_06_18, "Tool", tool), IsEmpty());
}

TEST(Validate, ChecksMetaKeyNamesSinceTheyHaveRules) {
  const Json result = Json::parse(R"({"_meta": {"a b": 1, "x.y/z": 1}})");
  const Deviations deviations = validate(Revision::v2025_06_18, "Result", result);
  ASSERT_EQ(deviations.size(), 1u);
  EXPECT_EQ(deviations[0].rule, Rule::kMetaKey);
  EXPECT_EQ(deviations[0].pointer, "/_meta/a b");
  EXPECT_THAT(validate(Revision::v2025_03_26, "Result", result), IsEmpty());
}

TEST(Validate, EscapesPointers) {
  EXPECT_THAT(judge(kNewestHandshake, "GetPromptRequestParams",
                    R"({"name": "p", "arguments": {"a/b~c": 1}})"),
              ElementsAre("/arguments/a~1b~0c: expected string, found number"));
}

TEST(Validate, BoundsWhatAHostileValueMakesItSay) {
  Json::array_t tools(5 * kMostDeviations, Json(1));
  EXPECT_EQ(validate(kNewestHandshake, "ListToolsResult", {{"tools", tools}}).size(),
            kMostDeviations);
  const Json arguments = {{std::string(100000, 'k'), 1}};
  const Deviations deviations = validate(kNewestHandshake, "GetPromptRequestParams",
                                         {{"name", "p"}, {"arguments", arguments}});
  ASSERT_EQ(deviations.size(), 1u);
  EXPECT_LT(deviations[0].pointer.size(), 2 * kLongestPointerKey);
}

TEST(Validate, CutsLongNamesBetweenCharacters) {
  std::string key;
  for (int i = 0; i < 200; ++i) key += "\u4e16";
  const Deviations deviations = validate(kNewestHandshake, "GetPromptRequestParams",
                                         {{"name", "p"}, {"arguments", {{key, 1}}}});
  ASSERT_EQ(deviations.size(), 1u);
  EXPECT_NO_THROW(Json(deviations[0].pointer).dump());
}

TEST(Validate, TellsTypesOfWholeMessages) {
  for (const Revision revision : Revision::all()) {
    EXPECT_TRUE(is_message_type(revision, "JSONRPCRequest"));
    EXPECT_TRUE(is_message_type(revision, "JSONRPCMessage"));
    EXPECT_FALSE(is_message_type(revision, "CallToolResult"));
  }
}

TEST(Validate, RefusesToJudgeAnUnknownType) {
  EXPECT_FALSE(is_known_type(Revision::v2024_11_05, "Task"));
  EXPECT_THROW(validate(Revision::v2024_11_05, "Task", Json::object()), std::out_of_range);
}

class ValidateMessage : public testing::Test {
 protected:
  std::vector<std::string> from_client(Revision revision, const char* json,
                                       std::optional<std::string_view> method = {}) {
    return texts(validate_message(revision, Direction::kClientToServer, Json::parse(json), method));
  }
  std::vector<std::string> from_server(Revision revision, const char* json,
                                       std::optional<std::string_view> method = {}) {
    return texts(validate_message(revision, Direction::kServerToClient, Json::parse(json), method));
  }
};

TEST_F(ValidateMessage, JudgesARequestByItsMethod) {
  for (const Revision revision : Revision::handshake()) {
    EXPECT_THAT(from_client(revision, R"({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                          "params": {"name": 3, "_meta": {"progressToken": []}}})"),
                ElementsAre("/params/_meta/progressToken: expected string or integer, found array",
                            "/params/name: expected string, found number"))
        << revision.text();
  }
}

TEST_F(ValidateMessage, AsksForTheEnvelopeInEveryRevision) {
  for (const Revision revision : Revision::handshake()) {
    EXPECT_THAT(from_client(revision, R"({"method": "ping"})"),
                ElementsAre("/id: expected string or integer, found nothing",
                            R"(/jsonrpc: expected "2.0", found nothing)"))
        << revision.text();
  }
}

TEST_F(ValidateMessage, AsksForRequestMetadataInTheStatelessEra) {
  EXPECT_THAT(from_client(Revision::v2026_07_28,
                          R"({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})"),
              ElementsAre("/params/_meta: expected object (RequestMetaObject), found nothing"));
}

TEST_F(ValidateMessage, LeavesUnknownMethodsAlone) {
  EXPECT_THAT(from_client(kNewestHandshake, R"({"jsonrpc": "2.0", "id": 1, "method": "x/y"})"),
              IsEmpty());
  EXPECT_THAT(from_server(kNewestHandshake,
                          R"({"jsonrpc": "2.0", "method": "notifications/x", "params": {}})"),
              IsEmpty());
  EXPECT_EQ(known_method(kNewestHandshake, Direction::kServerToClient, "tools/call"), std::nullopt);
  EXPECT_EQ(known_method(kNewestHandshake, Direction::kClientToServer, "tools/call"),
            MessageForm::kRequest);
}

TEST_F(ValidateMessage, JudgesAResultByTheMethodItAnswers) {
  constexpr const char* kResult = R"({"jsonrpc": "2.0", "id": 1, "result": {"tools": 1}})";
  EXPECT_THAT(from_server(kNewestHandshake, kResult, "tools/list"),
              ElementsAre("/result/tools: expected array, found number"));
  EXPECT_THAT(from_server(kNewestHandshake, kResult), IsEmpty());
  EXPECT_THAT(from_server(kNewestHandshake, kResult, "x/y"), IsEmpty());
}

TEST_F(ValidateMessage, KnowsThatALongRequestMayBeAnsweredWithATask) {
  constexpr const char* kTask = R"({"jsonrpc": "2.0", "id": 1, "result": {"task": {
      "taskId": "1", "status": "working", "createdAt": "2025-11-25T10:30:00Z",
      "lastUpdatedAt": "2025-11-25T10:30:00Z", "ttl": null}}})";
  EXPECT_THAT(from_server(Revision::v2025_11_25, kTask, "tools/call"), IsEmpty());
  EXPECT_THAT(from_server(Revision::v2025_06_18, kTask, "tools/call"),
              ElementsAre("/result/content: expected array, found nothing"));
}

TEST_F(ValidateMessage, JudgesAStatelessResultByItsResultType) {
  EXPECT_THAT(from_server(Revision::v2026_07_28,
                          R"({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "complete"}})",
                          "tools/call"),
              ElementsAre("/result/content: expected array, found nothing"));
  EXPECT_THAT(
      from_server(Revision::v2026_07_28,
                  R"({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "input_required"}})",
                  "tools/call"),
      ElementsAre(
          R"(/result: expected at least one of "inputRequests", "requestState", found neither)"));
  EXPECT_THAT(from_server(Revision::v2026_07_28,
                          R"({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "x.y/z"}})",
                          "tools/call"),
              IsEmpty());
}

TEST_F(ValidateMessage, JudgesAnErrorByItsCode) {
  EXPECT_THAT(from_server(Revision::v2025_11_25,
                          R"({"jsonrpc": "2.0", "id": 1, "error": {"code": -32042, "message": "m",
                              "data": {"elicitations": 1}}})"),
              ElementsAre("/error/data/elicitations: expected array, found number"));
  EXPECT_THAT(from_server(Revision::v2025_06_18,
                          R"({"jsonrpc": "2.0", "id": 1, "error": {"code": -32042}})"),
              ElementsAre("/error/message: expected string, found nothing"));
}

TEST_F(ValidateMessage, AcceptsAnErrorWithNullIdAsJsonRpcAsks) {
  for (const Revision revision : Revision::all()) {
    EXPECT_THAT(from_server(revision, R"({"jsonrpc": "2.0", "id": null,
                                          "error": {"code": -32700, "message": "m"}})"),
                IsEmpty());
  }
}

TEST_F(ValidateMessage, RefusesAnIdOnANotification) {
  EXPECT_THAT(from_client(kNewestHandshake, R"({"jsonrpc": "2.0", "id": 1,
                                                "method": "notifications/initialized"})"),
              ElementsAre("/id: expected no id (it is a notification), found number"));
}

TEST_F(ValidateMessage, RefusesWhatIsNoMessage) {
  EXPECT_THAT(from_client(kNewestHandshake, "3"),
              ElementsAre("(the whole value): expected a JSON-RPC message (an object), "
                          "found number"));
  EXPECT_THAT(from_client(kNewestHandshake, "{}"), testing::SizeIs(1));
  EXPECT_THAT(from_client(kNewestHandshake, R"({"jsonrpc": "2.0", "id": 1, "result": {},
                                                "error": {"code": 1, "message": "m"}})"),
              ElementsAre(R"((the whole value): expected either "result" or "error", found both)"));
}

TEST_F(ValidateMessage, WalksBatchesWhereTheyExist) {
  constexpr const char* kBatch =
      R"([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "1.0", "method": "x"}])";
  EXPECT_THAT(from_client(Revision::v2025_03_26, kBatch),
              ElementsAre(R"(/1/jsonrpc: expected "2.0", found "1.0")"));
  EXPECT_THAT(from_client(Revision::v2025_06_18, kBatch), testing::SizeIs(1));
  EXPECT_THAT(from_client(Revision::v2025_03_26, "[]"), testing::SizeIs(1));
}

}  // namespace
}  // namespace assay::model
