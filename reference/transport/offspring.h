// Finds and ends the processes that a child leaves behind.
//
// A process group holds most of them. Those that leave it (setsid, daemons) are found by their
// parents, and by a mark in the environment that every descendant inherits; the kernel is asked to
// make orphans ours (PR_SET_CHILD_SUBREAPER), so that none escapes to init.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::transport {

// What a look at a tree of processes may take, be it late: who starts them as fast as they are read
// has no end.
inline constexpr std::chrono::milliseconds kLookTime{500};

// A process, told apart from a later one with the same number by its start time.
struct ProcessIdentity {
  pid_t pid = 0;
  std::uint64_t started = 0;  // in clock ticks since boot

  friend bool operator==(const ProcessIdentity&, const ProcessIdentity&) = default;
};

// From now on orphaned descendants of this process become its children. For the whole process, and
// not inherited by children.
void adopt_orphans();

// All living descendants of `root`, without `root` itself, that are seen by `deadline`.
std::vector<ProcessIdentity> descendants_of(
    pid_t root,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::now() + kLookTime);

// Kills (SIGKILL) and reaps the group `group`, the processes in `known`, their descendants, and
// every process whose environment holds `mark` ("NAME=value"; nothing is searched for if it is
// empty), until none is left or `deadline` has passed. The leader of the group, which the caller
// has yet to reap, does not count. Returns whether none is left.
bool end_offspring(pid_t group, std::vector<ProcessIdentity> known, const std::string& mark,
                   std::chrono::steady_clock::time_point deadline);

// Kills and reaps every descendant of this process. For the end of a program all of whose children
// are children under test: it also catches one that left its group, lost its parent and emptied its
// environment. Returns whether none is left.
bool end_all_descendants(std::chrono::steady_clock::time_point deadline);

}  // namespace assay::transport
