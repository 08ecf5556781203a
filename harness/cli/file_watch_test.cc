#include "harness/cli/file_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

class FileWatchTest : public ::testing::Test {
 protected:
  FileWatchTest() {
    fs::create_directories(folder_ / "src");
    write("src/server.js", "one");
  }
  ~FileWatchTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("assay-file-watch-" + std::to_string(::getpid()));
};

TEST_F(FileWatchTest, SeesASourceThatChangesComesOrGoes) {
  FileWatch files(folder_);
  files.note();
  EXPECT_EQ(files.changed(), "");
  write("src/server.js", "longer than before");
  EXPECT_EQ(files.changed(), "src/server.js");
  files.note();
  write("src/more.py", "new");
  EXPECT_EQ(files.changed(), "src/more.py");
  files.note();
  fs::remove(folder_ / "src/more.py");
  EXPECT_EQ(files.changed(), "src/more.py");
}

TEST_F(FileWatchTest, LeavesOutWhatIsNoSourceOfTheProject) {
  FileWatch files(folder_);
  files.note();
  write("memory.json", "what the server keeps");
  write("report.html", "what we write");
  write("node_modules/sdk/index.js", "somebody else's");
  write(".git/hooks/x.sh", "git's");
  EXPECT_EQ(files.changed(), "");
  write("package.json", "{}");
  EXPECT_EQ(files.changed(), "package.json");
}

TEST_F(FileWatchTest, StopsToWaitWhenSomebodyAsks) {
  FileWatch files(folder_);
  files.note();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(files.wait(stop.get_token()), "");
}

}  // namespace
}  // namespace assay::cli
