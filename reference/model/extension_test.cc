#include "reference/model/extension.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/model/generate.h"
#include "reference/model/json_schema.h"
#include "reference/model/mutate.h"
#include "reference/model/validate.h"

namespace assay::model {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Revision kBase = Revision::v2026_07_28;

const Extension& tasks() {
  return *find_extension("tasks");
}

Protocol with_tasks() {
  return {kBase, set_of(tasks())};
}

std::vector<std::string> lines(const Deviations& deviations) {
  std::vector<std::string> all;
  for (const Deviation& deviation : deviations) all.push_back(to_text(deviation));
  return all;
}

constexpr const char* kTask = R"({
  "taskId": "t", "status": "working", "ttlMs": null,
  "createdAt": "2026-07-28T10:00:00Z", "lastUpdatedAt": "2026-07-28T10:00:00Z"})";

Json task(const char* status, const Json& more = Json::object()) {
  Json json = Json::parse(kTask);
  json["status"] = status;
  json.update(more);
  return json;
}

TEST(Extension, IsFoundByNameAndByIdentifier) {
  ASSERT_NE(find_extension("tasks"), nullptr);
  EXPECT_EQ(find_extension("io.modelcontextprotocol/tasks"), find_extension("tasks"));
  EXPECT_EQ(find_extension("io.modelcontextprotocol/nothing"), nullptr);
  EXPECT_EQ(find_extension(""), nullptr);
}

TEST(Extension, ExtendsItsBaseAndWhatIsBasedOnIt) {
  for (const Extension& extension : extensions()) {
    EXPECT_TRUE(extension.extends(extension.base)) << extension.name;
    EXPECT_TRUE(extension.extends(Revision::newest())) << extension.name;
    const bool is_first = extension.base == Revision::v2024_11_05;
    EXPECT_EQ(extension.extends(Revision::v2024_11_05), is_first) << extension.name;
  }
}

TEST(Extension, IsDeclaredInCapabilities) {
  EXPECT_EQ(declared_extensions(kBase, tasks().capability()), set_of(tasks()));
  EXPECT_TRUE(declared_extensions(Revision::v2025_11_25, tasks().capability()).is_empty());
  for (const char* const other :
       {"null", "[]", "{}", R"({"extensions": []})", R"({"extensions": {"x.y/z": {}}})",
        R"({"extensions": {"io.modelcontextprotocol/tasks": null}})",
        R"({"extensions": {"io.modelcontextprotocol/tasks": false}})"}) {
    EXPECT_TRUE(declared_extensions(kBase, Json::parse(other)).is_empty()) << other;
  }
}

TEST(Extension, IsDeclaredByClientsWithItsSettings) {
  const Extension& apps = *find_extension("apps");
  const Json settings = apps.capability()["extensions"][apps.identifier];
  EXPECT_THAT(
      lines(validate({Revision::v2024_11_05, set_of(apps)}, "McpUiClientCapabilities", settings)),
      IsEmpty());
  for (const Revision revision : Revision::all()) {
    EXPECT_EQ(declared_extensions(revision, apps.capability()), set_of(apps)) << revision.text();
  }
  EXPECT_EQ(tasks().capability()["extensions"][tasks().identifier], Json::object());
}

TEST(Extension, IsShownByToolsWhereServersDeclareNothing) {
  const Extension& apps = *find_extension("apps");
  for (const Revision revision : Revision::all()) {
    const Json tool = {{"name", "t"}, {"_meta", {{"ui", {{"resourceUri", "ui://a"}}}}}};
    EXPECT_EQ(extensions_shown_by(revision, tool), set_of(apps)) << revision.text();
  }
  for (const char* const other :
       {"null", "[]", R"({"name": "t"})", R"({"_meta": []})", R"({"_meta": {"ui": "ui://a"}})",
        R"({"_meta": {"ui": {"visibility": ["app"]}}})", R"({"_meta": {"ui": {"resourceUri": 1}}})",
        R"({"_meta": {"ui": ["resourceUri"]}})"}) {
    EXPECT_TRUE(extensions_shown_by(kBase, Json::parse(other)).is_empty()) << other;
  }
}

// A client says that it has tasks; that it has skills shows when it asks for them.
TEST(Extension, IsUsedByItsMethodsWhereClientsDeclareNothing) {
  const Extension* const skills = find_extension("skills");
  ASSERT_NE(skills, nullptr);
  EXPECT_EQ(extensions_used_by(kBase, "skills/list"), set_of(*skills));
  EXPECT_TRUE(extensions_used_by(Revision::v2025_11_25, "skills/list").is_empty());
  EXPECT_TRUE(extensions_used_by(kBase, "tasks/get").is_empty());
  EXPECT_TRUE(extensions_used_by(kBase, "resources/list").is_empty());
}

TEST(Extension, AddsTypesAndMethodsToItsRevisionOnly) {
  EXPECT_FALSE(is_known_type(kBase, "DetailedTask"));
  EXPECT_TRUE(is_known_type(with_tasks(), "DetailedTask"));
  EXPECT_FALSE(known_method(kBase, Direction::kClientToServer, "tasks/update"));
  EXPECT_EQ(known_method(with_tasks(), Direction::kClientToServer, "tasks/update"),
            MessageForm::kRequest);
  EXPECT_EQ(known_method(with_tasks(), Direction::kServerToClient, "notifications/tasks"),
            MessageForm::kNotification);
}

TEST(Extension, AddsMembersToATypeOfTheRevision) {
  const Json filter = {{"taskIds", "t"}};
  EXPECT_THAT(lines(validate(kBase, "SubscriptionFilter", filter)), IsEmpty());
  EXPECT_THAT(lines(validate(with_tasks(), "SubscriptionFilter", filter)),
              ElementsAre("/taskIds: expected array, found string"));
}

TEST(Extension, AddsAResultThatItsTypeTellsApart) {
  Json created = task("working", {{"resultType", "task"}});
  const Json message = {{"jsonrpc", "2.0"}, {"id", 1}, {"result", created}};
  EXPECT_THAT(validate_message(with_tasks(), Direction::kServerToClient, message, "tools/call"),
              IsEmpty());
  created.erase("ttlMs");
  const Json broken = {{"jsonrpc", "2.0"}, {"id", 1}, {"result", created}};
  EXPECT_THAT(
      lines(validate_message(with_tasks(), Direction::kServerToClient, broken, "tools/call")),
      ElementsAre(HasSubstr("/result/ttlMs")));
  EXPECT_THAT(validate_message(kBase, Direction::kServerToClient, broken, "tools/call"), IsEmpty());
  EXPECT_THAT(
      lines(validate_message(with_tasks(), Direction::kServerToClient, broken, "prompts/get")),
      Not(Contains(HasSubstr("ttlMs"))));
}

TEST(TasksExtension, AsksEachStatusForItsPayload) {
  const Json complete = {{"resultType", "complete"}};
  const auto judge = [&](const char* status, Json more) {
    more.update(complete);
    return lines(validate(with_tasks(), "GetTaskResult", task(status, more)));
  };
  EXPECT_THAT(judge("working", Json::object()), IsEmpty());
  EXPECT_THAT(judge("cancelled", Json::object()), IsEmpty());
  EXPECT_THAT(judge("completed", {{"result", Json::object()}}), IsEmpty());
  EXPECT_THAT(judge("failed", {{"error", {{"code", -32603}, {"message", "m"}}}}), IsEmpty());
  EXPECT_THAT(judge("input_required", {{"inputRequests", Json::object()}}), IsEmpty());
  EXPECT_THAT(judge("completed", Json::object()), ElementsAre(HasSubstr("/result: expected")));
  EXPECT_THAT(judge("failed", Json::object()), ElementsAre(HasSubstr("/error: expected")));
  EXPECT_THAT(judge("input_required", Json::object()),
              ElementsAre(HasSubstr("/inputRequests: expected")));
  EXPECT_THAT(judge("paused", Json::object()), ElementsAre(HasSubstr("/status")));
  EXPECT_THAT(
      lines(validate(with_tasks(), "GetTaskResult", task("working", {{"resultType", "task"}}))),
      ElementsAre(HasSubstr("/resultType: expected \"complete\"")));
}

TEST(Extension, EveryTypeIsGeneratedValidAndSpoiledInvalid) {
  Random random(1);
  for (const Extension& extension : extensions()) {
    const Protocol protocol{extension.base, set_of(extension)};
    for (const Type& type : extension.types) {
      for (std::size_t size = 0; size < 6; ++size) {
        const Json value = generate(protocol, type.name, random, size);
        EXPECT_THAT(lines(validate(protocol, type.name, value)), IsEmpty())
            << type.name << " " << value.dump();
        for (const Mutation& mutation : mutations(protocol, type.name, value)) {
          EXPECT_FALSE(is_valid(protocol, type.name, mutation.value))
              << type.name << " " << mutation.name << " " << mutation.value.dump();
        }
      }
    }
  }
}

TEST(Extension, IsPartOfTheExportedSchemaWhereItIsAskedFor) {
  EXPECT_TRUE(json_schema(with_tasks())["$defs"].contains("UpdateTaskRequest"));
  EXPECT_FALSE(json_schema(kBase)["$defs"].contains("UpdateTaskRequest"));
}

TEST(Extension, SaysWhatTheHeaderMcpNameRepeats) {
  EXPECT_EQ(name_member(with_tasks(), "tasks/get"), "taskId");
  EXPECT_EQ(name_member(kBase, "tasks/get"), "");
  EXPECT_EQ(name_member(kBase, "tools/call"), "name");
  EXPECT_EQ(name_member(kBase, "resources/read"), "uri");
  EXPECT_EQ(name_member(kBase, "tools/list"), "");
  EXPECT_EQ(name_member(Revision::v2025_11_25, "tools/call"), "");
}

}  // namespace
}  // namespace assay::model
