// Looking for faults of the reference server, for tests of the checks that should find them.
#pragma once

#include <compare>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/model/revision.h"
#include "reference/server/faults/fault.h"
#include "reference/server/options.h"

namespace assay::scenarios {

using Ids = std::set<std::string_view>;

// Everything that a scenario or a monitor may speak of.
Ids judged_requirements();

// A rule that a pipe can show: those of the other transports are tested where their transport is.
bool is_seen_over_a_pipe(const server::Fault& fault);

// What an in-process server with a fault is given: short pages for what is wrong between pages, and
// little patience with its client.
server::Options options_for(const server::Fault& fault);

// How a matrix came out.
struct Matrix {
  int tried = 0;
  int caught = 0;
  struct Miss {
    std::string_view fault;
    std::string where;  // "fault in revision over transport"
    auto operator<=>(const Miss&) const = default;
  };
  struct Blame {
    std::string_view fault;
    std::string rule;
    std::string told;  // what was said, and where
    auto operator<=>(const Blame&) const = default;
  };
  std::set<Miss> missed;
  std::set<Blame> blamed_wrongly;
  std::string all_missed() const;  // a line each
  std::string all_blamed() const;

  std::string summary() const;  // "caught 3 of 3, blamed wrongly 0"
};

enum class Over { kPipe, kHttp };

// Certifies a server with each of these faults, in those of the revisions that each concerns, and
// sees whether just what it breaks is found broken. A server that asks for tokens is shown one.
// `wants`: which scenarios are played, by their names.
Matrix play(
    const std::vector<const server::Fault*>& faults, const std::vector<model::Revision>& revisions,
    Over over,
    const std::function<bool(std::string_view)>& wants = [](std::string_view) { return true; });

}  // namespace assay::scenarios
