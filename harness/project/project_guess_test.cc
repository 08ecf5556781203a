#include "harness/project/project_guess.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class ProjectGuess : public ::testing::Test {
 protected:
  ProjectGuess() { fs::create_directories(folder_); }
  ~ProjectGuess() override { fs::remove_all(folder_); }

  Words with(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    const auto guess = guess_start(folder_);
    if (!guess) return {};
    EXPECT_EQ(guess->from, name);
    return guess->words;
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("assay-guess-" + std::to_string(::getpid()));
};

TEST_F(ProjectGuess, TakesTheProgramOfAPackage) {
  EXPECT_EQ(with("package.json", R"({"bin": {"my-server": "dist/index.js"}, "main": "x.js"})"),
            (Words{"node", "dist/index.js"}));
  EXPECT_EQ(with("package.json", R"({"bin": "cli.js"})"), (Words{"node", "cli.js"}));
  EXPECT_EQ(with("package.json", R"({"scripts": {"start": "tsx src"}, "main": "x.js"})"),
            (Words{"npm", "run", "--silent", "start"}));
  EXPECT_EQ(with("package.json", R"({"main": "x.js"})"), (Words{"node", "x.js"}));
}

TEST_F(ProjectGuess, TakesTheScriptOfAPythonProject) {
  const std::string text =
      "[project]\nname = \"weather\"\n\n[project.scripts]\n# ours\nweather = "
      "\"weather.server:main\"\n";
  EXPECT_EQ(with("pyproject.toml", text), (Words{"python3", "-m", "weather.server"}));
  std::ofstream(folder_ / "uv.lock") << "version = 1";
  EXPECT_EQ(with("pyproject.toml", text), (Words{"uv", "run", "weather"}));
}

TEST_F(ProjectGuess, KnowsGoAndRust) {
  EXPECT_EQ(with("Cargo.toml", "[package]\n"), (Words{"cargo", "run", "--quiet"}));
  EXPECT_EQ(with("go.mod", "module x\n"), (Words{"go", "run", "."}));
}

TEST_F(ProjectGuess, GuessesNothingOfAFileThatSaysNothing) {
  EXPECT_FALSE(guess_start(folder_));
  EXPECT_EQ(with("package.json", "{\"bin\": 7, \"scripts\": []"), Words{});
  EXPECT_EQ(with("package.json", "[]"), Words{});
  EXPECT_EQ(with("pyproject.toml", "[project]\nscripts = 1\n"), Words{});
}

}  // namespace
}  // namespace assay::cli
