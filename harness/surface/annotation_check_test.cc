#include "harness/surface/annotation_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "harness/script/scripted_peer_testing.h"
#include "harness/script/upstream.h"
#include "reference/transport/http_fetch.h"

namespace assay::harness {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}
void overwrite(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

class AnnotationCheckTest : public ::testing::Test {
 protected:
  AnnotationCheckTest() {
    std::string name = fs::temp_directory_path() / "annotations-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    overwrite(folder_ + "/kept.txt", "some text");
  }
  ~AnnotationCheckTest() override { fs::remove_all(folder_); }

  // A server with one tool of these annotations, which does that, and a log that each request makes
  // longer.
  AnnotationCheck check_by(const ToolPolicy& policy, const Json& annotations,
                           std::function<void(const Json&)> act, bool is_error = false) {
    const Json tool = {{"name", "it"},
                       {"inputSchema",
                        {{"type", "object"},
                         {"properties", {{"path", {{"type", "string"}}}}},
                         {"required", {"path"}}}},
                       {"annotations", annotations}};
    TargetAccess access = scripted_target(
        [this, tool, act, is_error](const wire::Message& message, const auto& say) {
          if (!message.id()) return;
          append(folder_ + "/log.txt", "a request\n");
          if (message.method() == "tools/list") {
            say(wire::encode(wire::make_result(*message.id(), {{"tools", {tool}}})));
          } else if (message.method() == "tools/call" && message.params()["name"] == "it") {
            act(message.params()["arguments"]);
            say(wire::encode(wire::make_result(
                *message.id(), {{"content", Json::array()}, {"isError", is_error}})));
          } else {
            say(wire::encode(wire::make_error(message.id(), -32602, "Invalid params")));
          }
        },
        {{"tools", Json::object()}});
    access.upstream = upstream_;
    auto found = check_annotations(access, folder_, policy, Patience{}, {});
    auto* checked = std::get_if<AnnotationCheck>(&found);
    if (checked != nullptr) return std::move(*checked);
    ADD_FAILURE() << std::get<transport::Failure>(found).detail;
    return {};
  }

  // What comes of its tool, where every tool may be called.
  AnnotatedTool check(const Json& annotations, std::function<void(const Json&)> act,
                      bool is_error = false) {
    const AnnotationCheck checked =
        check_by(ToolPolicy::parse("all"), annotations, std::move(act), is_error);
    if (checked.tools.size() == 1) return checked.tools.front();
    ADD_FAILURE() << "nothing was compared";
    return {};
  }

  void ask_api(const std::string& method) {
    transport::HttpMessage message;
    message.method = method;
    transport::fetch(upstream_->url() + "/notes/1", std::move(message), std::chrono::seconds(5));
  }

  std::string folder_;
  std::shared_ptr<Upstream> upstream_;  // none, unless a test starts it
};

constexpr auto kNothing = [](const Json&) {};

TEST_F(AnnotationCheckTest, AReadOnlyToolThatWritesIsShownWithTheFiles) {
  const AnnotatedTool tool = check({{"readOnlyHint", true}}, [this](const Json&) {
    overwrite(folder_ + "/new.txt", "written");
  });
  ASSERT_EQ(tool.advice.size(), 1u);
  EXPECT_EQ(tool.advice[0].hint, "readOnlyHint");
  EXPECT_THAT(tool.advice[0].changes,
              ElementsAre(FileChange{FileChange::Kind::kCreated, "new.txt"}));
  EXPECT_EQ(tool.advice[0].events.size(), 2u);
}

TEST_F(AnnotationCheckTest, ALogThatEachRequestWritesIsNoWorkOfTheTool) {
  const AnnotatedTool tool = check({{"readOnlyHint", true}}, kNothing);
  EXPECT_THAT(tool.advice, IsEmpty());
  EXPECT_EQ(tool.trouble, "");
}

TEST_F(AnnotationCheckTest, AnIdempotentToolThatAppendsIsShown) {
  const AnnotatedTool tool = check({{"idempotentHint", true}},
                                   [this](const Json&) { append(folder_ + "/kept.txt", "more"); });
  ASSERT_EQ(tool.advice.size(), 1u);
  EXPECT_EQ(tool.advice[0].hint, "idempotentHint");
}

TEST_F(AnnotationCheckTest, AnIdempotentToolMayWriteTheSameAgain) {
  const AnnotatedTool tool = check({{"idempotentHint", true}}, [this](const Json&) {
    overwrite(folder_ + "/kept.txt", "the same");
  });
  EXPECT_THAT(tool.advice, IsEmpty());
}

TEST_F(AnnotationCheckTest, AToolThatSaysThatItOnlyAddsMustNotTakeAway) {
  const AnnotatedTool removes = check({{"destructiveHint", false}},
                                      [this](const Json&) { fs::remove(folder_ + "/kept.txt"); });
  ASSERT_EQ(removes.advice.size(), 1u);
  EXPECT_EQ(removes.advice[0].hint, "destructiveHint");
  const AnnotatedTool adds = check({{"destructiveHint", false}},
                                   [this](const Json&) { append(folder_ + "/other.txt", "more"); });
  EXPECT_THAT(adds.advice, IsEmpty());
}

TEST_F(AnnotationCheckTest, AReadOnlyToolThatChangesTheApiIsShownWithTheRequest) {
  upstream_ = std::make_shared<Upstream>();
  ASSERT_EQ(upstream_->start(), std::nullopt);
  const AnnotatedTool deletes =
      check({{"readOnlyHint", true}}, [this](const Json&) { ask_api("DELETE"); });
  ASSERT_EQ(deletes.advice.size(), 1u);
  ASSERT_EQ(deletes.advice[0].events.size(), 3u);
  EXPECT_EQ(deletes.advice[0].events[2]->observation.http()->method, "DELETE");
  const AnnotatedTool reads =
      check({{"readOnlyHint", true}}, [this](const Json&) { ask_api("GET"); });
  EXPECT_THAT(reads.advice, IsEmpty());
}

TEST_F(AnnotationCheckTest, ToolsThatClaimNothingAreNotCalled) {
  bool was_called = false;
  const AnnotatedTool tool =
      check({{"destructiveHint", true}}, [&was_called](const Json&) { was_called = true; });
  EXPECT_FALSE(was_called);
  EXPECT_FALSE(tool.makes_a_claim);
}

TEST_F(AnnotationCheckTest, ACallThatFailsProvesNothing) {
  const AnnotatedTool tool = check({{"idempotentHint", true}}, kNothing, true);
  EXPECT_THAT(tool.advice, IsEmpty());
  EXPECT_THAT(tool.trouble, HasSubstr("failed"));
}

TEST_F(AnnotationCheckTest, WhereNoCallSucceedsNothingWasCompared) {
  const ToolPolicy all = ToolPolicy::parse("all");
  EXPECT_TRUE(check_by(all, {{"readOnlyHint", true}}, kNothing, true).compared_nothing());
  EXPECT_FALSE(check_by(all, {{"readOnlyHint", true}}, kNothing).compared_nothing());
  // There was nothing to compare.
  EXPECT_FALSE(check_by(all, Json::object(), kNothing).compared_nothing());
}

TEST_F(AnnotationCheckTest, WithAToolThatIsNotListedNoneIsCalled) {
  bool was_called = false;
  const AnnotationCheck checked = check_by(ToolPolicy::parse("it,its"), {{"readOnlyHint", true}},
                                           [&was_called](const Json&) { was_called = true; });
  EXPECT_FALSE(was_called);
  EXPECT_THAT(checked.unlisted, ElementsAre("its"));
  EXPECT_THAT(checked.listed, ElementsAre("it"));
}

TEST_F(AnnotationCheckTest, ArgumentsNameThingsInTheSandbox) {
  const Json schema = Json::parse(R"({
      "type": "object", "required": ["path", "text", "directory", "paths"],
      "properties": {"path": {"type": "string"}, "text": {"type": "string"},
                     "directory": {"type": "string"},
                     "paths": {"type": "array", "items": {"type": "string"}, "minItems": 1}}})");
  const Json arguments = sandbox_arguments({{"name", "x"}, {"inputSchema", schema}}, "/box");
  EXPECT_EQ(arguments["path"], "/box/assay-file.txt");
  EXPECT_EQ(arguments["directory"], "/box");
  EXPECT_EQ(arguments["paths"], Json({"/box/assay-file.txt"}));
  EXPECT_NE(arguments["text"], "/box");
}

// Words, and not letters that happen to stand together.
TEST_F(AnnotationCheckTest, OnlyWordsForPathsAndFoldersAreSuchArguments) {
  const auto chosen = [](const std::string& tool, const std::string& key) {
    const Json schema = {
        {"type", "object"}, {"required", {key}}, {"properties", {{key, {{"type", "string"}}}}}};
    const Json arguments = sandbox_arguments({{"name", tool}, {"inputSchema", schema}}, "/box");
    return arguments[key].get<std::string>();
  };
  for (const char* key : {"dir", "outputDir", "base_directory", "workdir", "ROOT", "projectRoot"}) {
    EXPECT_EQ(chosen("x", key), "/box") << key;
  }
  for (const char* key : {"filePath", "input-file", "outputfile", "source", "uri"}) {
    EXPECT_EQ(chosen("x", key), "/box/assay-file.txt") << key;
  }
  for (const char* key : {"direction", "redirect", "indirect", "resource", "profile", "xpath"}) {
    EXPECT_NE(chosen("x", key).substr(0, 4), "/box") << key;
  }
  EXPECT_EQ(chosen("list_directory", "path"), "/box");
  EXPECT_EQ(chosen("find_direction", "path"), "/box/assay-file.txt");
}

TEST_F(AnnotationCheckTest, LinksAreNotFollowed) {
  fs::create_directory_symlink("/", folder_ + "/everything");
  const FolderState before = FolderState::of(folder_);
  EXPECT_TRUE(before.is_complete());
  fs::remove(folder_ + "/everything");
  EXPECT_THAT(before.changes_in(FolderState::of(folder_)),
              ElementsAre(FileChange{FileChange::Kind::kRemoved, "everything"}));
}

TEST_F(AnnotationCheckTest, AServerThatDoesNotBeginIsAFailure) {
  const TargetAccess access = piped_target([](std::string_view, transport::Pipe&) {});
  Patience patience;
  patience.start = std::chrono::milliseconds(1);
  const auto found = check_annotations(access, folder_, ToolPolicy::parse("all"), patience, {});
  EXPECT_TRUE(std::holds_alternative<transport::Failure>(found));
}

}  // namespace
}  // namespace assay::harness
