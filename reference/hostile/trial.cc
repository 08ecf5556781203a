#include "reference/hostile/trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <fstream>
#include <sstream>

namespace assay::hostile {
namespace {

using Words = std::vector<std::string>;

// Who is given time is not made to look bad by a busy machine.
constexpr double kPatientSeconds = 60;
constexpr double kServerSeconds = 6;
constexpr double kFuzzSeconds = 2;
constexpr double kBenchSeconds = 1;
constexpr double kSignalAfterSeconds = 1;
constexpr double kNoLimitSeconds = 600;
// What the commands take beyond the time that they are given: to start, and to end.
constexpr double kAround = 4;

std::string seconds_text(double seconds) {
  return fmt::format("{}", seconds);
}

std::string timeout_of(Patience patience, Command command) {
  if (is_interrupted(command)) return seconds_text(kNoLimitSeconds);
  return patience == Patience::kLong ? "10" : "0.5";
}

double server_seconds(Patience patience) {
  return patience == Patience::kLong ? kPatientSeconds : kServerSeconds;
}

// How long the command may take; with a signal, until after that.
double limit_of(Patience patience, Command command) {
  switch (command) {
    case Command::kServer:
      return server_seconds(patience);
    case Command::kFuzz:
      return kFuzzSeconds + kAround;
    case Command::kBench:
      return kBenchSeconds + kAround;
    case Command::kServerInterrupted:
    case Command::kFuzzInterrupted:
      return kSignalAfterSeconds + kSecondsAfterSignal;
  }
  return 0;
}

Words words_of(Patience patience, Command command, const std::string& files) {
  const std::string report = "json=" + files + ".json";
  const std::string timeout = timeout_of(patience, command);
  const auto seconds = [&](double wanted) {
    return seconds_text(is_interrupted(command) ? kNoLimitSeconds : wanted);
  };
  switch (command) {
    case Command::kServer:
    case Command::kServerInterrupted:
      return {"server",
              "--color",
              "never",
              "--revision",
              "2025-11-25",
              "--timeout",
              timeout,
              "--report",
              report,
              "--report",
              "html=" + files + ".html",
              "--report",
              "junit=" + files + ".xml",
              "--max-time",
              seconds(server_seconds(patience))};
    case Command::kFuzz:
    case Command::kFuzzInterrupted:
      return {"fuzz",     "--timeout", timeout, "--time",           seconds(kFuzzSeconds),
              "--report", report,      "--out", files + "-findings"};
    case Command::kBench:
      return {"bench",
              "--timeout",
              patience == Patience::kLong ? "10" : "1",
              "--time",
              seconds(kBenchSeconds),
              "--warm-up",
              "0.1",
              "--report",
              report};
  }
  return {};
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Lines are wrapped where they are shown: what is looked for may stand on two.
std::string unwrapped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool is_blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!is_blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

// Runs a program to its end, with its standard streams in files.
void run_program(Words words, const std::string& output, const std::string& errors) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  constexpr int kCreate = O_WRONLY | O_CREAT | O_TRUNC;
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), kCreate, 0600);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), kCreate, 0600);
  pid_t child = 0;
  if (::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0) {
    ::waitpid(child, nullptr, 0);
  }
  ::posix_spawn_file_actions_destroy(&actions);
}

}  // namespace

std::string name(Command command) {
  switch (command) {
    case Command::kServer:
      return "server";
    case Command::kFuzz:
      return "fuzz";
    case Command::kBench:
      return "bench";
    case Command::kServerInterrupted:
      return "server_interrupted";
    case Command::kFuzzInterrupted:
      return "fuzz_interrupted";
  }
  return {};
}

bool is_interrupted(Command command) {
  return command == Command::kServerInterrupted || command == Command::kFuzzInterrupted;
}

std::vector<std::string> Outcome::violated() const {
  std::vector<std::string> ids;
  if (!report.is_object() || !report.contains("runs")) return ids;
  for (const Json& run : report["runs"]) {
    for (const Json& verdict : run.value("verdicts", Json::array())) {
      if (verdict.value("outcome", "") == "violated") {
        ids.push_back(verdict.value("requirement", ""));
      }
    }
  }
  return ids;
}

Outcome run(const Peer& peer, Command command, Patience patience, const std::string& folder) {
  const std::string files = fmt::format("{}/{}-{}", folder, peer.name, name(command));
  Words words = {ASSAY_HOSTILE_WATCH, "--limit",
                 seconds_text(limit_of(patience, command) + kGraceSeconds)};
  if (is_interrupted(command)) {
    words.insert(words.end(), {"--signal-after", seconds_text(kSignalAfterSeconds)});
  }
  if (peer.is_over_http()) words.insert(words.end(), {"--peer", std::string(peer.name)});
  words.insert(words.end(), {"--", ASSAY_PROGRAM});
  for (std::string& word : words_of(patience, command, files)) words.push_back(std::move(word));
  if (peer.is_over_http()) {
    words.insert(words.end(), {"--url", "{url}"});
  } else {
    words.insert(words.end(), {"--", ASSAY_HOSTILE_PEER, std::string(peer.name)});
  }
  run_program(std::move(words), files + ".out", files + ".figures");

  Outcome outcome;
  outcome.output = unwrapped(text_of(files + ".out"));
  outcome.report = Json::parse(text_of(files + ".json"), nullptr, false);
  const Json figures = Json::parse(text_of(files + ".figures"), nullptr, false);
  if (!figures.is_object()) return outcome;
  outcome.status = figures["status"];
  outcome.seconds = figures["seconds"];
  if (figures["seconds_after_signal"].is_number()) {
    outcome.seconds_after_signal = figures["seconds_after_signal"];
  }
  outcome.is_overdue = figures["is_overdue"];
  outcome.peak_megabytes = figures["peak_megabytes"];
  outcome.processes_left = figures["left"];
  return outcome;
}

}  // namespace assay::hostile
