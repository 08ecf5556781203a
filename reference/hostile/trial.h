// One command of mcp-assay against one hostile peer, and what came of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reference/hostile/peer.h"
#include "reference/wire/json.h"

namespace assay::hostile {

enum class Command {
  kServer,
  kFuzz,
  kBench,
  kServerInterrupted,  // by SIGTERM, while it has time enough for anything
  kFuzzInterrupted,
};
inline constexpr Command kCommands[] = {Command::kServer, Command::kFuzz, Command::kBench,
                                        Command::kServerInterrupted, Command::kFuzzInterrupted};

// How long the command waits for the peer: a sound one needs kLong, and from most others there is
// nothing to wait for.
enum class Patience { kShort, kLong };

std::string name(Command command);
bool is_interrupted(Command command);

struct Outcome {
  int status = -1;  // 128 and more: killed by a signal
  double seconds = 0;
  std::optional<double> seconds_after_signal;  // nothing if it had ended by then
  bool is_overdue = true;                      // it had to be killed
  double peak_megabytes = 0;
  std::size_t processes_left = 0;
  std::string output;  // of both streams, with each run of white space as one blank
  Json report;         // the JSON report; null if there is none

  // The requirements that the report calls violated.
  std::vector<std::string> violated() const;
};

// What a run may take at most, on a machine that is busy with other things, too.
inline constexpr double kGraceSeconds = 20;
// Between a signal and the end, by the promise of mcp-assay.
inline constexpr double kSecondsAfterSignal = 2;
inline constexpr double kMostMegabytes = 150;

// Runs it; `folder` is where it may leave files, whose names begin with those of peer and command.
Outcome run(const Peer& peer, Command command, Patience patience, const std::string& folder);

}  // namespace assay::hostile
