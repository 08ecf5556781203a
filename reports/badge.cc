#include "reports/badge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "reports/escape.h"
#include "reports/findings.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

constexpr int kRowHeight = 20;
constexpr int kPadding = 8;

struct Row {
  std::string label;
  std::string value;
  const char* color = "#57606a";
};

Row row_of(const std::string& revision, const std::vector<const Run*>& runs, bool is_strict) {
  Row row{"MCP " + printable_line(cut(revision, 20)), "not supported", "#57606a"};
  int violated = 0;
  int expected = 0;
  Exercised shown;  // in the run that shows most
  bool is_tested = false;
  bool has_failed = false;
  bool is_incomplete = false;
  for (const Run* run : runs) {
    const RunFigures figures = figures_of(*run, is_strict);
    violated = std::max(violated, figures.violated);
    expected = std::max(expected, figures.expected);
    has_failed = has_failed || run->status == RunStatus::kFailed;
    is_incomplete = is_incomplete || run->status == RunStatus::kIncomplete;
    is_tested = is_tested || was_tested(*run);
    const Exercised here = exercised_in(*run);
    if (here.exercised >= shown.exercised) shown = here;
  }
  if (violated > 0) {
    const char* open = is_incomplete ? ", incomplete" : (has_failed ? ", not all tested" : "");
    row.value = fmt::format("{} violated{}", violated, open), row.color = "#b42318";
  } else if (is_incomplete) {
    row.value = "incomplete";
  } else if (has_failed) {
    row.value = "not tested";
  } else if (is_tested && expected > 0) {
    row.value = fmt::format("{} known", plural(expected, "violation")), row.color = "#8a5a00";
  } else if (is_tested) {
    row.value = fmt::format("conformant, {}", exercised_text(shown)), row.color = "#18794e";
  }
  return row;
}

// DejaVu Sans and Verdana at 11 px take about 7 px a character; textLength makes it exact.
int text_width(const std::string& text) {
  return static_cast<int>(columns(text)) * 7;
}

void rectangle(pugi::xml_node parent, int x, int y, int width, const char* color) {
  pugi::xml_node node = parent.append_child("rect");
  node.append_attribute("x") = x;
  node.append_attribute("y") = y;
  node.append_attribute("width") = width;
  node.append_attribute("height") = kRowHeight;
  node.append_attribute("fill") = color;
}

void label(pugi::xml_node parent, int x, int y, const std::string& text) {
  pugi::xml_node node = parent.append_child("text");
  node.append_attribute("x") = x;
  node.append_attribute("y") = y + 14;
  node.append_attribute("textLength") = text_width(text);
  node.append_child(pugi::node_pcdata).set_value(text.c_str());
}

}  // namespace

std::string render_badge(const Result& result) {
  std::map<std::string, std::vector<const Run*>> revisions;
  for (const Run& run : result.runs) revisions[run.revision].push_back(&run);
  std::vector<Row> rows;
  int left = 0;
  int right = 0;
  std::string title;
  for (const auto& [revision, runs] : revisions) {
    rows.push_back(row_of(revision, runs, result.is_strict));
    left = std::max(left, text_width(rows.back().label) + 2 * kPadding);
    right = std::max(right, text_width(rows.back().value) + 2 * kPadding);
    title +=
        fmt::format("{}{}: {}", title.empty() ? "" : ", ", rows.back().label, rows.back().value);
  }
  pugi::xml_document document;
  pugi::xml_node svg = document.append_child("svg");
  svg.append_attribute("xmlns") = "http://www.w3.org/2000/svg";
  svg.append_attribute("width") = left + right;
  svg.append_attribute("height") = static_cast<int>(rows.size()) * kRowHeight;
  svg.append_attribute("role") = "img";
  svg.append_attribute("aria-label") = title.c_str();
  svg.append_child("title").append_child(pugi::node_pcdata).set_value(title.c_str());
  pugi::xml_node group = svg.append_child("g");
  group.append_attribute("fill") = "#fff";
  group.append_attribute("font-family") = "Verdana,DejaVu Sans,sans-serif";
  group.append_attribute("font-size") = 11;
  int y = 0;
  for (const Row& row : rows) {
    rectangle(group, 0, y, left, "#30363d");
    rectangle(group, left, y, right, row.color);
    label(group, kPadding, y, row.label);
    label(group, left + kPadding, y, row.value);
    y += kRowHeight;
  }
  std::ostringstream out;
  document.save(out, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return out.str() + "\n";
}

}  // namespace assay::reports
