#include "fuzz/live/fuzz_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

void tell_unproved(const Summary& summary) {
  const std::size_t open = open_questions(summary.done);
  fmt::print("{} suspected and not proved", summary.done.unproved.size());
  if (open > 0) {
    const bool fails = open > summary.most_suspected;
    fmt::print(
        ", {} of them hangs or lost answers that were seen more than once{}: give more --time",
        open, fails ? ", which fails the run" : "");
  }
  fmt::print("\n");
}

void tell_rates(const Summary& summary) {
  const Progress& progress = summary.done.progress;
  const double seconds = std::max(progress.fuzzing_seconds, 0.001);
  const double rate = static_cast<double>(progress.cases) / seconds;
  const double pings = summary.done.ping_rate;
  fmt::print(
      "{} cases in {:.1f} s ({:.1f} s of them to start, prove, minimize and measure): {:.0f} cases "
      "a "
      "second while fuzzing,\n{:.0f}% of its {:.0f} pings a second one after another\n",
      progress.cases, progress.seconds, progress.seconds - progress.fuzzing_seconds, rate,
      pings > 0 ? 100 * rate / pings : 0, pings);
}

}  // namespace

std::size_t open_questions(const FuzzOutcome& done) {
  return static_cast<std::size_t>(
      std::count_if(done.unproved.begin(), done.unproved.end(), is_open_question));
}

void print_summary(const Summary& summary) {
  const FuzzOutcome& done = summary.done;
  const Progress& progress = done.progress;
  const reports::Target& said = summary.facts.target;  // without secrets
  const std::string target = said.name.empty() ? "the target" : shown(said.name, 60);
  fmt::print("{}{} {} in revision {}, seed {}\n", summary.is_quiet ? "" : "\n", target,
             shown(said.version, 40), done.words.revision.text(), summary.facts.seed);
  tell_rates(summary);
  if (!done.slowed_by.empty()) {
    fmt::print("what was waited for most: {} of the time while fuzzing\n", done.slowed_by);
  }
  fmt::print("{} shapes of answers, {} finding{}, {} that did not reproduce ({} fresh starts)\n",
             progress.shapes, done.findings.size(), done.findings.size() == 1 ? "" : "s",
             progress.not_reproduced, progress.trials);
  if (progress.floods > 0) {
    fmt::print("{} batch{} not judged: it wrote more than can be held\n", progress.floods,
               progress.floods == 1 ? "" : "es");
  }
  if (done.went_away) fmt::print("the target does not answer any more\n");
  if (!done.findings.empty() && !summary.is_quiet) {
    const auto folder = std::filesystem::path(summary.folder) / done.findings[0].id;
    fmt::print("Findings are in {}/. To show the first again:\n  {}\n", summary.folder,
               replay_command(summary.facts, folder.string()));
  }
  if (!done.unproved.empty()) tell_unproved(summary);
}

}  // namespace assay::fuzz
