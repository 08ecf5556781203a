// mcp-assay replay: sends what a finding holds again, and says whether it shows.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>

#include "fuzz/live/client/client_command.h"
#include "fuzz/live/client/client_finding.h"
#include "fuzz/live/proof/finding.h"
#include "fuzz/live/proof/finding_folder.h"
#include "fuzz/live/proof/prober.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/target_options.h"
#include "harness/frame/command.h"
#include "harness/frame/interrupt.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kLongestCommand = 4000;
constexpr std::chrono::seconds kGrowthTime{60};

// What is sent names a place in the sandbox, or what comes back would.
bool speaks_of_sandbox(const Saved& saved) {
  return saved.oracle == Oracle::kTraversal ||
         std::any_of(saved.recipe.steps.begin(), saved.recipe.steps.end(), [](const Step& step) {
           return step.bytes.find(kSandboxPath) != std::string::npos ||
                  step.bytes.find(kSandboxUriPath) != std::string::npos;
         });
}

class ReplayCommand : public cli::Command {
 public:
  std::string_view name() const override { return "replay"; }
  std::string_view summary() const override { return "Reproduce a finding of 'fuzz'"; }

  void declare(cli::Arguments& arguments) override {
    arguments.positional("FINDING", path_, true, "The folder of a finding, or its finding.json");
    target_.declare(arguments, "The command that starts the server over stdio, or the client");
    arguments.flag("--trust", trust_, "Use the command or URL in FINDING, which its author chose");
    arguments.group("How to replay");
    arguments.text("--tools", tools_, "all|none|readonly|safe|NAME,...",
                   "Tools whose input schemas count (default: all; only FINDING calls tools)");
    arguments.flag("--verbose", verbose_, "Show everything sent and received");
    arguments.footer(
        "Examples:\n"
        "  mcp-assay replay mcp-assay-findings/crash-1a2b3c4d -- ./my-server\n"
        "  mcp-assay replay mcp-assay-findings/crash-1a2b3c4d --trust\n"
        "\n"
        "A finding names the command that it was found with. replay shows it, and runs it only "
        "with --trust.\n"
        "\n"
        "Exit status: 0 it does not reproduce, 1 it reproduces, 2 wrong command line or a damaged "
        "finding,\n"
        "3 the target could not be tested.");
  }

  int run() override {
    if (is_client_finding(path_)) {
      return replay_client({path_, target_.command(), target_.client_environment(), trust_});
    }
    auto loaded = load_finding(path_);
    if (const auto* trouble = std::get_if<std::string>(&loaded)) {
      throw cli::UsageError(shown(*trouble, 400));
    }
    const Saved& saved = std::get<Saved>(loaded);
    const bool takes_named = !target_.is_given();
    if (takes_named) take_named_target(saved);
    const bool needs_sandbox =
        (takes_named && saved.has_sandbox) || target_.names_sandbox() || speaks_of_sandbox(saved);
    if (needs_sandbox && target_.sandbox().empty()) {
      throw cli::UsageError("the finding needs a scratch directory: give --sandbox DIR");
    }
    const auto sandbox = target_.make_sandbox();
    const harness::TargetAccess access = target_.access(sandbox.get());
    const cli::Interrupt interrupt;
    harness::Patience patience;
    patience.start = target_.waits().start;
    patience.request = target_.waits().answer;
    const auto words = survey(access, harness::ToolPolicy::parse(tools_), patience,
                              interrupt.token(), saved.revision, sandbox.get());
    if (const auto* failure = std::get_if<transport::Failure>(&words)) {
      std::string why = failure->detail;
      access.vault->redact_quoted(why);
      fmt::print(stderr, "mcp-assay replay: the target could not be tested: {}\n", shown(why, 400));
      return cli::kNotTested;
    }
    Prober prober(access, std::get<Vocabulary>(words), target_.waits(), interrupt.token());
    return show(prober, saved, *access.vault);
  }

 private:
  // A finding that came from somebody else names a program of theirs.
  void take_named_target(const Saved& saved) {
    if (saved.command.empty() && saved.url.empty()) {
      throw cli::UsageError("the finding names no target: give --url URL, or -- COMMAND");
    }
    if (saved.command.empty() && saved.hides_url) {
      throw cli::UsageError(fmt::format(
          "a part of the URL that the finding names is kept secret: give it whole, --url URL: {}",
          shown(saved.url, kLongestCommand)));
    }
    if (!trust_) {
      RunFacts facts;
      facts.target.command = saved.command;
      facts.target.url = saved.url;
      if (saved.has_sandbox || speaks_of_sandbox(saved)) {
        facts.sandbox = target_.sandbox().empty() ? "DIR" : target_.sandbox();
        facts.sandbox_environment = saved.sandbox_environment;
      }
      throw cli::UsageError(
          fmt::format("the finding names its target; to run that, give it again, or --trust: {}",
                      shown(replay_command(facts, path_), kLongestCommand)));
    }
    target_.set_target(
        saved.command, saved.url,
        saved.command.empty() ? std::vector<std::string>() : saved.sandbox_environment);
  }

  int show(Prober& prober, const Saved& saved, const reports::Vault& vault) const {
    harness::Transcript transcript = prober.transcript();
    std::optional<Suspicion> found;
    if (saved.oracle == Oracle::kMemory || saved.oracle == Oracle::kDescriptors) {
      const GrowthLimits limits;
      found = prober.grows({Case{false, saved.recipe.steps, "", {}}}, saved.oracle, limits,
                           Prober::Clock::now() + kGrowthTime);
    } else {
      found = prober.find(saved.recipe, saved.signature, prober.waits(), &transcript);
    }
    if (verbose_) {
      for (const auto& event : transcript.events()) {
        fmt::print("{}\n", line_without_secrets(*event, &vault));
      }
    }
    if (!found) {
      fmt::print("not shown: {}\n", shown(saved.signature));
      return cli::kConformant;
    }
    vault.redact_quoted(found->detail);
    fmt::print("reproduced: {}\n", found->detail);
    return cli::kViolations;
  }

  TargetOptions target_;
  std::string path_;
  std::string tools_ = "all";
  bool trust_ = false;
  bool verbose_ = false;
};

const cli::CommandRegistration<ReplayCommand> kReplayCommandRegistration;

}  // namespace
}  // namespace assay::fuzz
