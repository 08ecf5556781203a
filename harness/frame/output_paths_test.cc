#include "harness/frame/output_paths.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "harness/frame/command.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

class OutputPathsTest : public ::testing::Test {
 protected:
  ~OutputPathsTest() override { fs::remove_all(folder_); }

  // What is wrong with the path; empty if nothing is.
  std::string claim(const std::string& path, const std::vector<std::string>& places = {}) {
    try {
      paths_.claim(path, places);
    } catch (const UsageError& error) {
      return error.text();
    }
    return "";
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("assay-output-paths-" + std::to_string(::getpid()));
  OutputPaths paths_;
};

TEST_F(OutputPathsTest, TakesAPathOnceHoweverItIsWritten) {
  EXPECT_EQ(claim(folder_ / "a.json"), "");
  EXPECT_NE(claim(folder_ / "x" / ".." / "a.json").find("two outputs go to"), std::string::npos);
  EXPECT_EQ(claim(folder_ / "b.json"), "");
}

TEST_F(OutputPathsTest, LetsDevicesAndStandardOutputBeShared) {
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(claim("/dev/null"), "");
    EXPECT_EQ(claim("-"), "");
  }
}

TEST_F(OutputPathsTest, RefusesAPlaceholderThatMeansNothing) {
  const std::string folder = folder_.string() + "/";
  EXPECT_EQ(claim(folder + "{revision}.html", {"{revision}"}), "");
  EXPECT_NE(claim(folder + "{nam}.html")
                .find("{nam} in it, which means nothing here; do you mean "
                      "'{name}'?"),
            std::string::npos);
  EXPECT_NE(claim(folder + "{name}.html").find("{name} in it, which means nothing here"),
            std::string::npos);
  EXPECT_EQ(claim(folder + "a{1}.html"), "") << "no word";
}

TEST_F(OutputPathsTest, SaysWhyAPathCannotBeWritten) {
  EXPECT_NE(claim("/proc/nowhere/x").find("cannot write"), std::string::npos);
}

}  // namespace
}  // namespace assay::cli
