#include "fuzz/live/corpus.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/live/fuzzer.h"
#include "fuzz/live/target/pipe_target_testing.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;

class CorpusFolder : public testing::Test {
 protected:
  CorpusFolder() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = fs::path(testing::TempDir()) /
            ("corpus-" + std::to_string(::getpid()) + "-" + info->name());
    fs::remove_all(path_);
  }
  ~CorpusFolder() override { fs::remove_all(path_); }

  std::size_t count_files() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path_))
      count += entry.is_regular_file() ? 1 : 0;
    return count;
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(path_);
    std::ofstream(path_ / name) << text;
  }

  fs::path path_;
};

Case asking(std::uint64_t id, const std::string& method) {
  Case made;
  made.ids = {id, id + 1};
  made.origin = "valid";
  for (const std::uint64_t each : made.ids) {
    Step step;
    step.bytes =
        R"({"jsonrpc":"2.0","id":)" + std::to_string(each) + R"(,"method":")" + method + "\"}\n";
    made.steps.push_back(step);
  }
  return made;
}

TEST_F(CorpusFolder, KeepsACaseOnceWhateverItsIdsWere) {
  Corpus corpus(path_);
  EXPECT_TRUE(corpus.load(false).cases.empty());
  EXPECT_EQ(corpus.keep(asking(1'000'777, "ping")), std::nullopt);
  EXPECT_EQ(corpus.keep(asking(1'234'567, "ping")), std::nullopt);
  EXPECT_EQ(corpus.keep(asking(1'000'000, "tools/list")), std::nullopt);
  EXPECT_EQ(corpus.added(), 2u);
  EXPECT_EQ(count_files(), 2u);
  Corpus next(path_);
  const Corpus::Loaded loaded = next.load(false);
  ASSERT_EQ(loaded.cases.size(), 2u);
  EXPECT_EQ(loaded.skipped, 0u);
  for (const Case& each : loaded.cases) {
    EXPECT_EQ(each.ids, (std::vector<std::uint64_t>{1'000'001, 1'000'002}));
    EXPECT_EQ(next.keep(each), std::nullopt);
  }
  EXPECT_EQ(next.added(), 0u);
}

TEST_F(CorpusFolder, SendsFilesOfAnyName) {
  put("mine.txt", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n{\n");
  put("other.jsonl", R"({"bytes":"[]\n"})"
                     "\n");
  put(".hidden", "x\n");
  const Corpus::Loaded loaded = Corpus(path_).load(false);
  ASSERT_EQ(loaded.cases.size(), 2u);
  EXPECT_EQ(loaded.skipped, 0u);
  EXPECT_EQ(loaded.cases[0].origin, "corpus: mine.txt");
  ASSERT_EQ(loaded.cases[0].steps.size(), 2u);
  EXPECT_EQ(loaded.cases[0].steps[1].bytes, "{\n");
  ASSERT_EQ(loaded.cases[1].steps.size(), 1u);
  EXPECT_EQ(loaded.cases[1].steps[0].bytes, "[]\n");
}

TEST_F(CorpusFolder, PassesOverWhatIsDamaged) {
  Corpus corpus(path_);
  EXPECT_EQ(corpus.keep(asking(1'000'001, "ping")), std::nullopt);
  const std::string name = fs::directory_iterator(path_)->path().filename().string();
  put(name, "{\"bytes\":\"cut");
  put("case-0000000000000000.jsonl", "{\"bytes\":\"x\"}\n");
  put("case-0000000000000001.jsonl", std::string(Corpus::kLargestFile + 1, 'x'));
  put("empty.txt", "\n");
  fs::create_symlink("/dev/zero", path_ / "case-0000000000000002.jsonl");
  const Corpus::Loaded loaded = Corpus(path_).load(false);
  EXPECT_TRUE(loaded.cases.empty());
  EXPECT_EQ(loaded.skipped, 4u);
  EXPECT_EQ(loaded.first_skipped, "case-0000000000000000.jsonl");
}

TEST_F(CorpusFolder, LeavesWhatOnlyHttpCanSendToHttp) {
  Case made = asking(1'000'001, "ping");
  made.steps[0].kind = Step::Kind::kHttp;
  Corpus corpus(path_);
  EXPECT_EQ(corpus.keep(made), std::nullopt);
  EXPECT_TRUE(Corpus(path_).load(false).cases.empty());
  EXPECT_EQ(Corpus(path_).load(true).cases.size(), 1u);
}

TEST_F(CorpusFolder, SaysWhereItCannotWrite) {
  put("file", "");
  Corpus corpus(path_ / "file");
  EXPECT_NE(corpus.keep(asking(1'000'001, "ping")), std::nullopt);
}

// The server dies of a word that the fuzzer does not know.
TEST_F(CorpusFolder, IsSentBeforeEverythingElse) {
  Corpus corpus(path_);
  EXPECT_EQ(corpus.keep(asking(1'000'001, "xyzzy")), std::nullopt);
  const auto access = over_pipe([](PipeLife& life, std::string_view, const wire::Message* message) {
    const bool is_fatal = message != nullptr && message->method() == "xyzzy";
    if (is_fatal) life.die();
    return is_fatal;
  });
  FuzzOptions options;
  options.cases = 64;
  options.checks = {Oracle::kCrash};
  options.waits.ping = options.waits.answer = std::chrono::milliseconds(200);
  options.ping_time = std::chrono::milliseconds(1);
  options.replayed = Corpus(path_).load(false).cases;
  auto outcome = Fuzzer(access, std::move(options)).run();
  const auto& done = std::get<FuzzOutcome>(outcome);
  ASSERT_EQ(done.findings.size(), 1u);
  EXPECT_TRUE(done.findings[0].origin.starts_with("corpus: ")) << done.findings[0].origin;
}

}  // namespace
}  // namespace assay::fuzz
