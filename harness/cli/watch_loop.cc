#include "harness/cli/watch_loop.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "harness/cli/file_watch.h"
#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"
#include "harness/frame/run_program.h"
#include "reports/escape.h"
#include "reports/json.h"
#include "reports/output.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// Where a test that the loop starts leaves its result.
constexpr const char* kKeptResult = "MCP_ASSAY_WATCHED_RESULT";

// A folder of ours alone, gone at the end.
class Scratch {
 public:
  Scratch() {
    std::string path = (fs::temp_directory_path() / "mcp-assay-watch-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) throw UsageError("--watch: no temporary folder");
    path_ = path;
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const char* name) const { return (fs::path(path_) / name).string(); }

 private:
  std::string path_;
};

// Runs this program to its end; Ctrl-C reaches it as it reaches us.
int run_again(std::vector<std::string> words) {
  words.insert(words.begin(), "mcp-assay");
  const auto status = run_program("/proc/self/exe", std::move(words));
  if (!status) throw UsageError("--watch: this program cannot be started again");
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : kInterrupted;
}

class Loop {
 public:
  Loop(std::vector<std::string> words, const std::vector<std::string>& command)
      : words_(std::move(words)), command_(command) {}

  int run() {
    FileWatch files(fs::current_path());
    files.note();
    int status = test({});
    while (!interrupt_.was_requested()) {
      fmt::print(stderr, "\nmcp-assay: waits for a source file to change (Ctrl-C ends)\n");
      const std::string changed = files.wait(interrupt_.token());
      if (changed.empty()) break;
      files.note();
      fmt::print(stderr, "mcp-assay: {} changed\n", reports::printable_line(changed));
      status = test_after_change(status);
    }
    return status;
  }

 private:
  // What failed before, alone; everything once that holds.
  int test_after_change(int before) {
    std::error_code ignored;
    const bool has_failed = before == kViolations && fs::exists(whole_, ignored);
    if (!has_failed) return test({});
    const int status = test({"--failed=" + whole_});
    if (status != kConformant || interrupt_.was_requested()) return status;
    fmt::print(stderr, "\nmcp-assay: what failed holds now; everything is tested again\n");
    return test({});
  }

  int test(const std::vector<std::string>& more) {
    std::vector<std::string> all = words_;
    all.insert(all.end(), more.begin(), more.end());
    // Of a part of the plan nothing is kept: the next test needs all that failed.
    ::setenv(kKeptResult, more.empty() ? whole_.c_str() : "", 1);
    if (!command_.empty()) {
      all.emplace_back("--");
      all.insert(all.end(), command_.begin(), command_.end());
    }
    std::fflush(stdout);
    return run_again(std::move(all));
  }

  const Interrupt interrupt_;
  const Scratch scratch_;
  const std::string whole_ = scratch_.file("last.json");
  const std::vector<std::string> words_;
  const std::vector<std::string>& command_;
};

}  // namespace

int watch_loop(std::vector<std::string> words, const std::vector<std::string>& command) {
  std::erase(words, "--watch");
  return Loop(std::move(words), command).run();
}

void keep_for_watch_loop(const reports::Result& result) {
  const char* path = std::getenv(kKeptResult);
  if (path == nullptr || *path == '\0') return;
  if (const auto error = reports::write_file(path, reports::render_json(result))) {
    fmt::print(stderr, "mcp-assay server: {}\n", *error);
  }
}

}  // namespace assay::cli
