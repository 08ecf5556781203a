#include "harness/coverage_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <tuple>

namespace assay::harness {
namespace {

using catalogue::Observation;
using catalogue::Requirement;
using catalogue::Subject;

constexpr std::array kSides = {Side::kServer, Side::kClient, Side::kThirdParty};
constexpr std::string_view kHeader =
    "revision\tsubject\tlevel\tactive\tpassive\topen\tunobservable\tpart\n";

bool binds(const Requirement& requirement, model::Revision revision, Side side) {
  switch (side) {
    case Side::kServer:
      return requirement.binds_server_in(revision);
    case Side::kClient:
      return requirement.binds_client_in(revision);
    case Side::kThirdParty:
      return requirement.holds_in(revision) && !requirement.binds_server_in(revision) &&
             !requirement.binds_client_in(revision);
  }
  return false;
}

bool judges(const Coverage& coverage, model::Revision revision, Side side) {
  const auto& revisions = coverage.revisions;
  if (std::find(revisions.begin(), revisions.end(), revision) == revisions.end()) return false;
  if (side == Side::kServer) return coverage.judges_servers;
  return side == Side::kClient ? coverage.judges_clients : coverage.judges_authorities;
}

bool is_seen(const Requirement& requirement, Side side) {
  switch (side) {
    case Side::kServer:
      return requirement.is_seen_of_server();
    case Side::kClient:
      return requirement.is_seen_of_client();
    case Side::kThirdParty:
      return requirement.observe != Observation::kNo;
  }
  return false;
}

void count(CoverageRow& row, const Requirement& requirement, const CoverageMap& coverage) {
  if (!is_seen(requirement, row.side)) {
    ++row.unobservable;
    return;
  }
  const auto of = coverage.of(requirement.id);
  const auto is_judged_by = [&](Coverage::Kind kind) {
    return std::any_of(of.begin(), of.end(), [&](const Coverage& it) {
      return it.kind == kind && judges(it, row.revision, row.side);
    });
  };
  const bool is_active = is_judged_by(Coverage::Kind::kActive);
  if (!is_active && !is_judged_by(Coverage::Kind::kPassive)) {
    ++row.open;
    return;
  }
  ++(is_active ? row.active : row.passive);
  if (requirement.is_judged_in_part()) ++row.part;
}

std::string key(const CoverageRow& row) {
  return fmt::format("{}\t{}\t{}", row.label(), name(row.side), reports::name(row.strength));
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

}  // namespace

std::string_view name(Side side) {
  switch (side) {
    case Side::kServer:
      return "server";
    case Side::kClient:
      return "client";
    case Side::kThirdParty:
      return "third parties";
  }
  return "";
}

std::string CoverageRow::label() const {
  return extension.empty() ? std::string(revision.text())
                           : fmt::format("{} + {}", revision.text(), extension);
}

CoverageTable count_coverage(std::span<const Requirement> requirements,
                             const CoverageMap& coverage) {
  using Key = std::tuple<std::string_view, model::Revision, Side, reports::Strength>;
  std::map<Key, CoverageRow> rows;
  for (const Requirement& requirement : requirements) {
    for (const catalogue::Holding& holding : requirement.in) {
      const reports::Strength strength = reports::strength(holding.level);
      for (const Side side : kSides) {
        if (!binds(requirement, holding.revision, side)) continue;
        auto& row = rows.try_emplace({requirement.extension, holding.revision, side, strength},
                                     CoverageRow{holding.revision, side, strength})
                        .first->second;
        row.extension = requirement.extension;
        count(row, requirement, coverage);
      }
    }
  }
  CoverageTable table;
  for (const auto& [where, row] : rows) table.push_back(row);
  return table;
}

bool is_covered(const Requirement& requirement, const CoverageMap& coverage,
                model::Revision revision, Side side) {
  const auto of = coverage.of(requirement.id);
  return std::any_of(of.begin(), of.end(),
                     [&](const Coverage& it) { return judges(it, revision, side); });
}

std::string to_text(const CoverageTable& table) {
  std::string out =
      fmt::format("{:<18}  {:<13}  {:<6}  {:>6}  {:>7}  {:>7}  {:>7}  {:>14}\n", "revision",
                  "subject", "level", "active", "passive", "in part", "not yet", "not observable");
  for (const CoverageRow& row : table) {
    out += fmt::format("{:<18}  {:<13}  {:<6}  {:>6}  {:>7}  {:>7}  {:>7}  {:>14}\n", row.label(),
                       name(row.side), upper(reports::name(row.strength)), row.active, row.passive,
                       row.part, row.open, row.unobservable);
  }
  return out;
}

std::string to_markdown(const CoverageTable& table) {
  std::string out =
      "| Revision | Subject | Level | Active | Passive | In part | Not yet | Not observable |\n"
      "|---|---|---|--:|--:|--:|--:|--:|\n";
  for (const CoverageRow& row : table) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", row.label(), name(row.side),
                       upper(reports::name(row.strength)), row.active, row.passive, row.part,
                       row.open, row.unobservable);
  }
  return out;
}

std::string to_tsv(const CoverageTable& table) {
  std::string out(kHeader);
  for (const CoverageRow& row : table) {
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", key(row), row.active, row.passive, row.open,
                       row.unobservable, row.part);
  }
  return out;
}

std::vector<std::string> fallen(std::string_view recorded_tsv, const CoverageTable& now) {
  std::vector<std::string> out;
  std::map<std::string, const CoverageRow*> rows;
  for (const CoverageRow& row : now) rows[key(row)] = &row;
  if (!recorded_tsv.starts_with(kHeader)) return {"the recorded file is no coverage table"};
  std::istringstream lines{std::string(recorded_tsv.substr(kHeader.size()))};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::array<std::string, 3> words;
    for (std::string& word : words) std::getline(fields, word, '\t');
    int active = 0;
    int passive = 0;
    int open = 0;
    int unobservable = 0;
    int part = 0;
    if (!(fields >> active >> passive >> open >> unobservable >> part)) {
      out.push_back(fmt::format("no row of a coverage table: {}", line));
      continue;
    }
    const auto row = rows.find(fmt::format("{}", fmt::join(words, "\t")));
    const int active_now = row == rows.end() ? 0 : row->second->active;
    const int covered_now = row == rows.end() ? 0 : row->second->covered();
    const int whole_now = row == rows.end() ? 0 : row->second->whole();
    const auto fell = [&](std::string_view what, int recorded, int present) {
      if (present >= recorded) return;
      out.push_back(fmt::format("{}: {} statements {}, {} were recorded", fmt::join(words, " "),
                                present, what, recorded));
    };
    fell("covered actively", active, active_now);
    fell("covered", active + passive, covered_now);
    fell("judged whole", active + passive - part, whole_now);
  }
  return out;
}

std::string with_table(const std::string& document, const std::string& table) {
  constexpr std::string_view kBegin = "<!-- coverage -->\n";
  constexpr std::string_view kEnd = "<!-- /coverage -->";
  const std::size_t begin = document.find(kBegin);
  if (begin == std::string::npos) return document;
  const std::size_t end = document.find(kEnd, begin);
  if (end == std::string::npos) return document;
  return document.substr(0, begin + kBegin.size()) + "\n" + table + "\n" + document.substr(end);
}

}  // namespace assay::harness
