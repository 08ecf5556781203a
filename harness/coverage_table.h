// How much of the catalogue is covered, as numbers that may not fall.
//
// For every revision, subject and strength: how many statements a scenario provokes, how many only
// a monitor judges, how many nobody judges yet, and how many no peer can observe; and of those that
// are judged, how many only in part (`judged: part`). Each statement counts once in a row; what
// obliges both sides counts for servers and for clients. The statements of an extension have rows
// of their own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/coverage.h"
#include "reports/result.h"

namespace assay::harness {

enum class Side { kServer, kClient, kThirdParty };
std::string_view name(Side side);  // "server", "client", "third parties"

struct CoverageRow {
  model::Revision revision;
  Side side;
  reports::Strength strength;
  int active = 0;
  int passive = 0;
  int open = 0;  // observable, but nobody judges it yet
  int unobservable = 0;
  int part = 0;  // of the covered ones: those whose checks decide only a part of them
  std::string_view extension = {};  // whose statements, by name; empty for the core protocol

  // "2026-07-28", "2026-07-28 + tasks".
  std::string label() const;
  int covered() const { return active + passive; }
  int whole() const { return covered() - part; }
  friend bool operator==(const CoverageRow&, const CoverageRow&) = default;
};

// By extension, revision, side and strength; no empty rows.
using CoverageTable = std::vector<CoverageRow>;
CoverageTable count_coverage(std::span<const catalogue::Requirement> requirements,
                             const CoverageMap& coverage);

// Whether somebody judges the requirement for that side in that revision.
bool is_covered(const catalogue::Requirement& requirement, const CoverageMap& coverage,
                model::Revision revision, Side side);

std::string to_text(const CoverageTable& table);      // aligned, for people
std::string to_markdown(const CoverageTable& table);  // for COVERAGE.md
std::string to_tsv(const CoverageTable& table);       // for the recorded file

// One sentence for each number of `now` that is below the recorded one, and for text that is no
// recorded table.
std::vector<std::string> fallen(std::string_view recorded_tsv, const CoverageTable& now);

// `document` with `table` between the lines "<!-- coverage -->" and "<!-- /coverage -->"; unchanged
// text if it lacks them.
std::string with_table(const std::string& document, const std::string& table);

}  // namespace assay::harness
