// mcp-assay show: opens the report that was written last.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/cli/interop_reports.h"
#include "harness/frame/command.h"
#include "harness/frame/last_report.h"
#include "harness/frame/load_report.h"
#include "harness/frame/page.h"
#include "harness/parties/login_callback.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

bool has_extension(const std::string& path, const char* extension) {
  return fs::path(path).extension() == extension;
}

// Somebody sits before a screen on which a browser can open.
bool has_screen() {
  for (const char* name : {"BROWSER", "DISPLAY", "WAYLAND_DISPLAY"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != '\0') return true;
  }
  return false;
}

class ShowCommand : public Command {
 public:
  std::string_view name() const override { return "show"; }
  std::string_view summary() const override { return "Open the report that was written last"; }

  void declare(Arguments& arguments) override {
    arguments.positional("FILE", file_, false, "A report (default: the last one that was written)");
    arguments.flag("--path", prints_path_, "Print where the reports are, and open nothing");
    arguments.footer(
        "An HTML report opens in the browser (BROWSER, or xdg-open). Without a screen its path is "
        "printed. A\n"
        "JSON report is shown as text.\n"
        "\n"
        "Exit status: 0 shown, 2 there is no report.");
  }

  int run() override {
    const std::vector<std::string> all = reports();
    if (prints_path_) {
      for (const std::string& path : all) fmt::print("{}\n", reports::printable_line(path));
      return kConformant;
    }
    for (const std::string& path : all) {
      if (has_extension(path, ".html")) return open(path);
    }
    for (const std::string& path : all) {
      if (!has_extension(path, ".json")) continue;
      if (const auto matrix = load_interop(path)) {
        Page().print(*matrix, {path});
      } else {
        Page().print(load_report(path), {path});
      }
      return kConformant;
    }
    fmt::print("{}\n", reports::printable_line(all.front()));
    return kConformant;
  }

 private:
  std::vector<std::string> reports() const {
    if (!file_.empty()) {
      std::error_code ignored;
      if (fs::is_regular_file(file_, ignored)) return {fs::absolute(file_, ignored).string()};
      throw UsageError(fmt::format("there is no report '{}'", reports::printable_line(file_)));
    }
    std::vector<std::string> all = last_reports();
    if (all.empty()) {
      throw UsageError(
          "no report was written yet, or it is gone: run with --report html=report.html");
    }
    return all;
  }

  // In our place: what we would leave behind would end with us.
  static int open(const std::string& path) {
    fmt::print("{}\n", reports::printable_line(path));
    if (!has_screen()) return kConformant;
    std::fflush(stdout);
    std::vector<std::string> words = browser_command(std::getenv("BROWSER"), path);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    fmt::print(stderr, "mcp-assay show: '{}' cannot be started: open the file yourself\n",
               reports::printable_line(words.front()));
    return kConformant;
  }

  std::string file_;
  bool prints_path_ = false;
};

const CommandRegistration<ShowCommand> kShowCommandRegistration;

}  // namespace
}  // namespace assay::cli
