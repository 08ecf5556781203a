// mcp-assay tap: stands between a client and its server, and judges both.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/passive_options.h"
#include "harness/tap/recorder.h"
#include "harness/tap/transcript_log.h"
#include "reference/transport/passage.h"
#include "reports/escape.h"

namespace assay::cli {
namespace {

// As a shell says it of a command that it cannot start.
constexpr int kCannotExecute = 126;
constexpr int kNoSuchCommand = 127;

// "20251125T103000-4711": no two sessions of one machine have the same.
std::string session_name() {
  return fmt::format("{:%Y%m%dT%H%M%S}-{}", fmt::gmtime(std::time(nullptr)), ::getpid());
}

class TapCommand : public Command {
 public:
  std::string_view name() const override { return "tap"; }
  std::string_view summary() const override {
    return "Stand between a client and its server, and judge both";
  }

  void declare(Arguments& arguments) override {
    passive_.declare(arguments);
    arguments.text("--transcript", transcript_, "FILE",
                   "Keep everything that passes (JSON lines, 1 GiB at most); 'judge' reads it");
    arguments.command_line(command_, "the stdio server that the client wanted to start");
    arguments.footer(
        "Write it before the server's command, in any client's configuration:\n"
        "\n"
        "  \"command\": \"mcp-assay\",\n"
        "  \"args\": [\"tap\", \"--report\", \"html=/tmp/{party}-{session}.html\", \"--\",\n"
        "           \"npx\", \"-y\", \"@modelcontextprotocol/server-everything\"]\n"
        "\n"
        "Every byte passes unchanged, and so do ends of input, signals and the exit status. "
        "Nothing of\n"
        "ours is written to the streams of the two: what there is to say stands in the reports. "
        "'{session}'\n"
        "in a path is replaced by time and process, '{party}' by server or client.\n"
        "\nExit status: the server's; 126 or 127 if it cannot be started, 2 for a wrong command "
        "line.");
  }

  int run() override {
    if (command_.empty()) throw UsageError("no server: give its command behind --");
    passive_.set_session(session_name());
    passive_.prepare();
    if (transcript_.empty() && !passive_.writes_anything()) {
      throw UsageError("nothing would be kept: give --report or --transcript");
    }
    std::optional<harness::TranscriptLog> log = open_log();
    harness::Recorder recorder(vault_, [&log](const harness::Event& event) {
      if (log) log->write(event);
    });
    auto opened = transport::Passage::open(command_, recorder);
    if (const auto* failure = std::get_if<transport::Failure>(&opened)) {
      fmt::print(stderr, "mcp-assay tap: {}\n", reports::printable_line(failure->detail));
      return failure->kind == transport::Failure::Kind::kNotFound ? kNoSuchCommand : kCannotExecute;
    }
    const transport::ProcessExit exit =
        std::get<std::unique_ptr<transport::Passage>>(opened)->wait();
    report(recorder, exit, log);
    transport::end_like(exit);
  }

 private:
  std::optional<harness::TranscriptLog> open_log() {
    if (transcript_.empty()) return std::nullopt;
    const std::string path = passive_.path_of_session(transcript_);
    std::optional<harness::TranscriptLog> log;
    log.emplace(path, "tap stdio", [vault = vault_](std::string& text) { vault->redact(text); });
    if (!log->is_open()) {
      throw UsageError(fmt::format("cannot write the transcript '{}': {}",
                                   reports::printable_line(path), log->problem()));
    }
    return log;
  }

  void report(harness::Recorder& recorder, const transport::ProcessExit& exit,
              const std::optional<harness::TranscriptLog>& log) {
    passive_.judge(recorder.finish(exit));
    if (!recorder.shortfall().empty()) {
      passive_.cut_short(recorder.shortfall() + ": what came after that is not judged");
    } else if (log && !log->problem().empty()) {
      passive_.remark("the transcript could not be written whole: " + log->problem());
    }
    reports::Target target;
    target.command = command_;
    passive_.write(passive_.finish(target, *vault_, "tap"));
  }

  PassiveOptions passive_;
  std::string transcript_;
  std::vector<std::string> command_;
  std::shared_ptr<reports::Vault> vault_ = std::make_shared<reports::Vault>();
};

const CommandRegistration<TapCommand> kTapCommandRegistration;

}  // namespace
}  // namespace assay::cli
