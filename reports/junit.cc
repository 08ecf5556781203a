#include "reports/junit.h"

#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "reports/escape.h"
#include "reports/excerpt.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr std::size_t kMaxJunitEvidenceBytes = 4000;
constexpr std::size_t kMaxJunitTextBytes = 2000;

// pugixml quotes for XML; what XML 1.0 cannot hold at all is spelled out before.
void attribute(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name) = printable_line(cut(value, kMaxJunitTextBytes)).c_str();
}

void body(pugi::xml_node node, const std::string& value) {
  node.append_child(pugi::node_pcdata).set_value(printable_text(value).c_str());
}

std::string seconds(std::int64_t milliseconds) {
  return fmt::format("{:.3f}", static_cast<double>(milliseconds) / 1000);
}

void property(pugi::xml_node properties, const char* name, std::string_view value) {
  if (value.empty()) return;
  pugi::xml_node node = properties.append_child("property");
  attribute(node, "name", name);
  attribute(node, "value", value);
}

std::string explanation(const Verdict& verdict) {
  const auto said = [](std::string_view text) { return cut(text, kMaxJunitTextBytes); };
  std::string out = fmt::format("{} {}\n", name(verdict.level), said(verdict.summary));
  if (!verdict.spec.empty()) out += said(verdict.spec) + "\n";
  for (const Evidence& evidence : verdict.evidence) {
    if (evidence.is_context) continue;
    const Excerpt part = excerpt(evidence, kMaxJunitEvidenceBytes);
    out += fmt::format("\n{} (event {}, {}):\n{}{}{}\n", speaker_words(evidence), evidence.n,
                       said(evidence.lane), part.before, part.marked, part.after);
    if (!evidence.pointer.empty()) {
      out += fmt::format("{}: {}\n", pointer_word(part), said(evidence.pointer));
    }
  }
  out += fmt::format("\nWhy: {}\n", said(verdict.detail));
  if (const std::string command = command_text(verdict); !command.empty()) {
    out += fmt::format("Reproduce: {}\n", command);
  }
  return out;
}

struct Totals {
  int tests = 0;
  int failures = 0;
  int errors = 0;
  int skipped = 0;

  void add(const Totals& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
  }
};

void write(pugi::xml_node node, const Totals& totals) {
  node.append_attribute("tests") = totals.tests;
  node.append_attribute("failures") = totals.failures;
  node.append_attribute("errors") = totals.errors;
  // Jenkins' schema has no such attribute on the root.
  const bool is_root = std::string_view(node.name()) == "testsuites";
  if (!is_root) node.append_attribute("skipped") = totals.skipped;
}

void add_case(pugi::xml_node suite, const Verdict& verdict, bool is_strict, Totals& totals) {
  pugi::xml_node node = suite.append_child("testcase");
  attribute(node, "classname", verdict.area());
  attribute(node, "name", verdict.requirement);
  attribute(node, "time", seconds(verdict.duration_ms));
  ++totals.tests;
  if (verdict.outcome == Outcome::kSatisfied) return;
  if (is_failure(verdict, is_strict)) {
    ++totals.failures;
    pugi::xml_node failure = node.append_child("failure");
    attribute(failure, "message", verdict.detail.empty() ? verdict.summary : verdict.detail);
    attribute(failure, "type", name(verdict.level));
    body(failure, explanation(verdict));
    return;
  }
  ++totals.skipped;
  attribute(node.append_child("skipped"), "message", why_not_counted(verdict));
  if (verdict.outcome == Outcome::kViolated) {
    body(node.append_child("system-out"), explanation(verdict));
  }
}

void add_error(pugi::xml_node suite, const Run& run, Totals& totals) {
  pugi::xml_node node = suite.append_child("testcase");
  attribute(node, "classname", "run");
  const bool is_cut = run.status == RunStatus::kIncomplete;
  attribute(node, "name", is_cut ? "was done to its end" : "could be tested");
  attribute(node, "time", seconds(run.duration_ms));
  ++totals.tests;
  const bool is_failed = is_cut || run.status == RunStatus::kFailed;
  pugi::xml_node outcome = node.append_child(is_failed ? "error" : "skipped");
  ++(is_failed ? totals.errors : totals.skipped);
  const std::string_view first_line = std::string_view(run.reason).substr(0, run.reason.find('\n'));
  attribute(outcome, "message", first_line);
  if (is_failed) {
    attribute(outcome, "type", name(run.status));
    body(outcome, cut(run.reason, kMaxJunitEvidenceBytes));
  }
}

Totals add_suite(pugi::xml_node root, const Result& result, const Run& run) {
  pugi::xml_node suite = root.append_child("testsuite");
  attribute(suite, "name", fmt::format("{} {}", run.revision, run.transport));
  Totals totals;
  pugi::xml_node properties = suite.append_child("properties");
  property(properties, "tool", "mcp-assay " + result.tool_version);
  property(properties, "catalogue", result.catalogue_version);
  property(properties, "catalogue.digest", result.catalogue_digest);
  property(properties, "revision", run.revision);
  property(properties, "transport", run.transport);
  if (!run.extensions.empty()) property(properties, "extensions", extensions_text(run));
  property(properties, "status", name(run.status));
  property(properties, "target", target_title(result.target));
  property(properties, "target.location", target_location(result.target));
  if (has_remark(run)) property(properties, "remark", cut(run.reason, kMaxJunitEvidenceBytes));
  if (!was_tested(run)) add_error(suite, run, totals);
  for (const Verdict& verdict : run.verdicts) add_case(suite, verdict, result.is_strict, totals);
  write(suite, totals);
  attribute(suite, "time", seconds(run.duration_ms));
  if (!result.started.empty()) attribute(suite, "timestamp", timestamp(result.started));
  return totals;
}

// Stale expectations fail the run, so a reader of this file alone must see them.
Totals add_stale(pugi::xml_node root, const Result& result) {
  Totals totals;
  if (result.stale_expectations.empty()) return totals;
  pugi::xml_node suite = root.append_child("testsuite");
  attribute(suite, "name", "expected failures");
  for (const StaleExpectation& stale : result.stale_expectations) {
    pugi::xml_node node = suite.append_child("testcase");
    attribute(node, "classname", "expected-failures");
    attribute(node, "name", stale_title(stale));
    attribute(node, "time", seconds(0));
    pugi::xml_node failure = node.append_child("failure");
    attribute(failure, "message", "listed as an expected failure, but nothing fails: remove it");
    attribute(failure, "type", "stale");
    ++totals.tests;
    ++totals.failures;
  }
  write(suite, totals);
  attribute(suite, "time", seconds(0));
  return totals;
}

}  // namespace

std::string render_junit(const Result& result) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node root = document.append_child("testsuites");
  attribute(root, "name", "mcp-assay");
  Totals totals;
  for (const Run& run : result.runs) totals.add(add_suite(root, result, run));
  totals.add(add_stale(root, result));
  write(root, totals);
  attribute(root, "time", seconds(result.duration_ms));
  std::ostringstream out;
  document.save(out, " ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace assay::reports
