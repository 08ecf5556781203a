#include "reports/interop/interop_junit.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/interop/interop_text.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kLongestAttribute = 1000;
constexpr std::size_t kLongestBody = 4000;

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name) = printable_line(cut(value, kLongestAttribute)).c_str();
}

std::string in_seconds(std::int64_t milliseconds) {
  return fmt::format("{:.3f}", static_cast<double>(milliseconds) / 1000);
}

std::string body_of(const PairCell& cell, const PairAct& act) {
  std::string out = act.detail + "\n";
  for (const std::string& blame : blame_of(cell, act)) out += blame + "\n";
  if (act.parting) out += "They parted here: " + act.parting->why + "\n";
  if (const Evidence* event = parting_event(cell, act)) {
    const Excerpt part = excerpt(*event, kLongestBody);
    out += fmt::format("\n{} (event {}):\n{}{}{}\n", speaker_words(*event), event->n, part.before,
                       part.marked, part.after);
  }
  return printable_text(cut(out, 2 * kLongestBody));
}

struct CellTotals {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;
};

void add_act(pugi::xml_node suite, const PairCell& cell, const PairAct& act, CellTotals& totals) {
  pugi::xml_node node = suite.append_child("testcase");
  set(node, "classname", cell.title());
  set(node, "name", act.act);
  set(node, "time", "0.000");
  ++totals.tests;
  if (is_failing(act.outcome)) {
    ++totals.failures;
    pugi::xml_node failure = node.append_child("failure");
    set(failure, "message", fmt::format("{}; {}", words(act.outcome), act.detail));
    set(failure, "type", name(act.outcome));
    failure.append_child(pugi::node_pcdata).set_value(body_of(cell, act).c_str());
    return;
  }
  const bool is_good = act.outcome == ActOutcome::kWorks || act.outcome == ActOutcome::kWorksThough;
  if (is_good) return;
  ++totals.skipped;
  const std::string by = act.lacking.empty() ? "" : fmt::format(" by the {}", act.lacking);
  set(node.append_child("skipped"), "message",
      fmt::format("{}{}{}", words(act.outcome), by, act.detail.empty() ? "" : ": " + act.detail));
}

void write_totals(pugi::xml_node node, const CellTotals& totals, bool is_root) {
  node.append_attribute("tests") = totals.tests;
  node.append_attribute("failures") = totals.failures;
  node.append_attribute("errors") = totals.errors;
  // Jenkins' schema has no such attribute on the root.
  if (!is_root) node.append_attribute("skipped") = totals.skipped;
}

CellTotals add_cell(pugi::xml_node root, const InteropResult& result, const PairCell& cell) {
  pugi::xml_node suite = root.append_child("testsuite");
  set(suite, "name", cell.title());
  CellTotals totals;
  if (!cell.not_run.empty()) {
    pugi::xml_node node = suite.append_child("testcase");
    set(node, "classname", cell.title());
    set(node, "name", "was run");
    set(node, "time", "0.000");
    set(node.append_child("error"), "message", cell.not_run);
    ++totals.tests;
    ++totals.errors;
  } else {
    for (const PairAct& act : cell.acts) add_act(suite, cell, act, totals);
  }
  write_totals(suite, totals, false);
  set(suite, "time", in_seconds(cell.duration_ms));
  if (!result.started.empty()) set(suite, "timestamp", timestamp(result.started));
  return totals;
}

}  // namespace

std::string render_interop_junit(const InteropResult& result) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  set(root, "name", "mcp-assay interop");
  CellTotals all;
  for (const PairCell& cell : result.cells) {
    if (is_trial(result, cell)) continue;
    const CellTotals totals = add_cell(root, result, cell);
    all.tests += totals.tests;
    all.failures += totals.failures;
    all.errors += totals.errors;
  }
  write_totals(root, all, true);
  set(root, "time", in_seconds(result.duration_ms));
  std::ostringstream out;
  document.save(out, " ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace assay::reports
