// mcp-assay judge: verdicts from recorded traffic.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "harness/cli/input_file.h"
#include "harness/cli/passive_options.h"
#include "harness/frame/command.h"
#include "harness/frame/exit_status.h"
#include "harness/frame/page.h"
#include "harness/recording/recording.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

class JudgeCommand : public Command {
 public:
  std::string_view name() const override { return "judge"; }
  std::string_view summary() const override {
    return "Judge a server and its client from recorded traffic";
  }

  void declare(Arguments& arguments) override {
    passive_.declare(arguments);
    page_.declare(arguments);
    arguments.positionals("FILE", files_, true,
                          "Transcripts, lines with one message each, or HAR ('-': standard input)");
    arguments.footer(
        "A FILE is one of\n"
        "  - a transcript, from --transcript of 'tap' and 'server'\n"
        "  - lines with one message each: {\"from\":\"client\",\"message\":{...}}. If the message "
        "is a string, its\n"
        "    bytes are judged. \"session\" separates sessions, \"at_ms\" is a time, and "
        "\"transport\":\"http\" says\n"
        "    that it was not stdio\n"
        "  - HAR, which browsers and proxies write\n"
        "judge finds the revision and the sessions from the traffic. If a recording begins in the "
        "middle, it\n"
        "is judged only for what its messages show by themselves.\n"
        "\n"
        "Examples:\n"
        "  mcp-assay judge session.jsonl\n"
        "  mcp-assay judge --party server --report html=result.html traffic.har\n"
        "  jq -c '{from: (if .direction == \"out\" then \"client\" else \"server\" end), message: "
        ".payload}' \\\n"
        "    app.log | mcp-assay judge -\n"
        "\n"
        "Exit status: 0 conformant, 1 unexpected violations, 2 wrong command line or file, 3 "
        "nothing could be\n"
        "judged, 130 a recording that was cut short.");
  }

  int run() override {
    passive_.prepare();
    page_.leave_standard_output(passive_.claims_standard_output());
    for (const std::string& file : files_) read(file);
    if (unjudged_ > 0) {
      fmt::print(stderr,
                 "mcp-assay judge: {} not judged: nothing tells the revision (--revision)\n",
                 unjudged_ == 1 ? "1 session was" : fmt::format("{} sessions were", unjudged_));
    }
    reports::Target target;
    target.label = std::filesystem::path(files_.front()).filename().string();
    if (files_.size() > 1) target.label += fmt::format(" and {} more", files_.size() - 1);
    const auto results = passive_.finish(target, *vault_, "judge");
    int worst = passive_.write(results) ? kConformant : kUsage;
    bool is_first = true;
    for (const reports::Result& result : results) {
      if (!is_first) page_.stream() << '\n';
      is_first = false;
      page_.print(result);
      worst = std::max(worst, exit_status(result));
    }
    return worst;
  }

 private:
  void read(const std::string& file) {
    const std::string shown = reports::printable_line(file);
    const auto take = [this](harness::RecordedSession conversation) {
      unjudged_ += passive_.judge(std::move(conversation)) ? 0 : 1;
    };
    harness::ReadRecording read;
    if (file == "-") {
      read = harness::read_recording(std::cin, vault_, take);
    } else {
      InputFile input(file);
      read = harness::read_recording(input.stream(), vault_, take);
    }
    if (!read.error.empty()) throw UsageError(fmt::format("'{}': {}", shown, read.error));
    if (!read.shortfall.empty()) passive_.cut_short(fmt::format("'{}': {}", shown, read.shortfall));
    for (const std::string& remark : read.remarks) {
      fmt::print(stderr, "mcp-assay judge: '{}': {}\n", shown, remark);
    }
  }

  PassiveOptions passive_;
  Page page_;
  std::vector<std::string> files_;
  std::shared_ptr<reports::Vault> vault_ = std::make_shared<reports::Vault>();
  int unjudged_ = 0;
};

const CommandRegistration<JudgeCommand> kJudgeCommandRegistration;

}  // namespace
}  // namespace assay::cli
