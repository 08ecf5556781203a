#include "fuzz/live/target/sandbox.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fuzz/live/target/sandbox_testing.h"
#include "reference/wire/base64.h"

namespace assay::fuzz {
namespace {

namespace fs = std::filesystem;
using Canary = Sandbox::Canary;

std::size_t count_entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::recursive_directory_iterator(folder), {}));
}

TEST(Sandbox, IsGoneAtTheEnd) {
  const ScratchFolder scratch;
  const fs::path directory = scratch.path() / "new";
  auto sandbox = sandbox_in(directory);
  ASSERT_NE(sandbox, nullptr);
  EXPECT_EQ(sandbox->served(), (directory / "served").string());
  EXPECT_EQ(text_of_file(directory / "served/assay-inside.txt"), "This may be read.\n");
  EXPECT_TRUE(fs::is_symlink(directory / "served/assay-link.txt"));
  sandbox.reset();
  EXPECT_FALSE(fs::exists(directory));
}

TEST(Sandbox, LeavesWhatOthersWrote) {
  const ScratchFolder scratch;
  std::ofstream(scratch.path() / "mine.txt") << "mine";
  auto sandbox = sandbox_in(scratch.path());
  ASSERT_NE(sandbox, nullptr);
  std::ofstream(scratch.path() / "served/theirs.txt") << "theirs";
  sandbox.reset();
  EXPECT_EQ(count_entries(scratch.path()), 3u);
  EXPECT_EQ(text_of_file(scratch.path() / "mine.txt"), "mine");
  EXPECT_EQ(text_of_file(scratch.path() / "served/theirs.txt"), "theirs");
}

TEST(Sandbox, TakesAnEmptyFolderThatIsServedAlready) {
  const ScratchFolder scratch;
  fs::create_directories(scratch.path() / "served");
  EXPECT_NE(sandbox_in(scratch.path()), nullptr);
  EXPECT_EQ(count_entries(scratch.path()), 1u);
}

TEST(Sandbox, WritesOverNothing) {
  const ScratchFolder scratch;
  std::ofstream(scratch.path() / "assay-outside.txt") << "mine";
  const auto made = Sandbox::make(scratch.path().string());
  ASSERT_TRUE(std::holds_alternative<std::string>(made));
  EXPECT_NE(std::get<std::string>(made).find("assay-outside.txt: File exists"), std::string::npos)
      << std::get<std::string>(made);
  EXPECT_EQ(count_entries(scratch.path()), 1u);
  EXPECT_EQ(text_of_file(scratch.path() / "assay-outside.txt"), "mine");
}

TEST(Sandbox, WritesNothingBehindALink) {
  const ScratchFolder scratch;
  const ScratchFolder elsewhere;
  fs::create_directory_symlink(elsewhere.path(), scratch.path() / "served");
  EXPECT_EQ(sandbox_in(scratch.path()), nullptr);
  EXPECT_EQ(count_entries(elsewhere.path()), 0u);
  EXPECT_EQ(count_entries(scratch.path()), 1u);
}

TEST(Sandbox, PutsBackWhatATargetChanged) {
  const ScratchFolder scratch;
  const ScratchFolder elsewhere;
  const auto sandbox = sandbox_in(scratch.path());
  ASSERT_NE(sandbox, nullptr);
  const fs::path outside = sandbox->path_of(Canary::kOutside);
  const fs::path beside = sandbox->path_of(Canary::kBeside);
  const std::string word = text_of_file(outside);
  std::ofstream(outside) << "overwritten";
  fs::remove(beside);
  fs::create_symlink(elsewhere.path() / "file", beside);
  sandbox->restore();
  EXPECT_EQ(text_of_file(outside), word);
  EXPECT_FALSE(fs::is_symlink(beside));
  EXPECT_EQ(count_entries(elsewhere.path()), 0u);
}

// A tool that deletes may be called with the name of a link.
TEST(Sandbox, PutsBackALinkThatATargetTookAway) {
  const ScratchFolder scratch;
  const auto sandbox = sandbox_in(scratch.path());
  ASSERT_NE(sandbox, nullptr);
  const fs::path link = scratch.path() / "served/assay-link.txt";
  const fs::path where = fs::read_symlink(link);
  fs::remove(link);
  sandbox->restore();
  EXPECT_EQ(fs::read_symlink(link), where);
  fs::remove(link);
  std::ofstream(link) << "no link";
  sandbox->restore();
  EXPECT_EQ(fs::read_symlink(link), where);
}

// As on a disk that is full. In a process of its own, which the limit is for.
TEST(Sandbox, LeavesNothingBehindWhereAFileCannotBeWritten) {
  const ScratchFolder scratch;
  const auto make_small = [&] {
    const rlimit least = {4, 4};
    ::signal(SIGXFSZ, SIG_IGN);
    ::setrlimit(RLIMIT_FSIZE, &least);
    const bool is_made = sandbox_in(scratch.path()) != nullptr;
    std::_Exit(is_made ? 1 : 0);
  };
  EXPECT_EXIT(make_small(), testing::ExitedWithCode(0), "");
  EXPECT_EQ(count_entries(scratch.path()), 0u);
}

TEST(Sandbox, HasOtherWordsWhenItIsRenewed) {
  const ScratchFolder scratch;
  const auto sandbox = sandbox_in(scratch.path());
  ASSERT_NE(sandbox, nullptr);
  const std::string before = text_of_file(sandbox->path_of(Canary::kOutside));
  sandbox->renew();
  EXPECT_EQ(sandbox->canary_in(before), std::nullopt);
  EXPECT_EQ(sandbox->canary_in(text_of_file(sandbox->path_of(Canary::kOutside))), Canary::kOutside);
}

TEST(Sandbox, KnowsItsCanariesByTheirContent) {
  const ScratchFolder scratch;
  const auto sandbox = sandbox_in(scratch.path());
  ASSERT_NE(sandbox, nullptr);
  for (const Canary canary : {Canary::kOutside, Canary::kBeside, Canary::kLinked}) {
    const std::string word = text_of_file(sandbox->path_of(canary));
    EXPECT_EQ(sandbox->canary_in("[\"" + word + "\"]"), canary);
    for (const char* before : {"", "#", "##", "###"}) {
      const std::string blob = wire::encode_base64(before + word + "the rest");
      EXPECT_EQ(sandbox->canary_in("{\"blob\":\"" + blob + "\"}"), canary) << before;
    }
  }
  EXPECT_EQ(sandbox->canary_in("assay-outside.txt " + sandbox->path_of(Canary::kOutside)),
            std::nullopt);
}

TEST(Sandbox, TellsWhereItIs) {
  const ScratchFolder scratch;
  const auto sandbox = sandbox_in(scratch.path());
  ASSERT_NE(sandbox, nullptr);
  EXPECT_EQ(sandbox->told("a @SANDBOX@/b"), "a " + sandbox->directory() + "/b");
  EXPECT_EQ(sandbox->served_uri().find(' '), std::string::npos);
  EXPECT_EQ("file://" + sandbox->told("@SANDBOX-URI@/served"), sandbox->served_uri());
}

}  // namespace
}  // namespace assay::fuzz
