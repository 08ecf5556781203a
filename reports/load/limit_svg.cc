#include "reports/load/limit_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <pugixml.hpp>
#include <sstream>
#include <vector>

#include "reports/escape.h"
#include "reports/load/limit_text.h"
#include "reports/load/load_text.h"

namespace assay::reports {
namespace {

constexpr double kPlotWidth = 720;
constexpr double kPlotHeight = 380;
constexpr double kLeft = 76;
constexpr double kRight = 700;
constexpr double kTop = 64;
constexpr double kBottom = 320;
constexpr double kHalfLabel = 50;  // of "held 1,000,000/s"
constexpr std::size_t kMostTargetBytes = 80;
constexpr const char* kGood = "#2a78c2";
constexpr const char* kBad = "#d1495b";
constexpr const char* kQuiet = "#5c6b73";

// A logarithmic axis.
struct Axis {
  double low = 1;
  double high = 10;
  double from = 0;  // where `low` is, and `high`
  double to = 1;

  double place(double value) const {
    const double share = std::log(std::max(value, low) / low) / std::log(high / low);
    return from + (to - from) * std::min(share, 1.0);
  }
};

// All values above 0, with some room around them.
Axis axis_over(std::vector<double> values, double from, double to) {
  std::erase_if(values, [](double value) { return !(value > 0); });
  if (values.empty()) values = {1};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least / 1.3, *most * 1.3, from, to};
}

// Powers of ten, and between them where there are few.
std::vector<double> ticks_of(const Axis& axis) {
  const bool is_wide = axis.high / axis.low > 1000;
  std::vector<double> ticks;
  for (double power = std::pow(10, std::floor(std::log10(axis.low))); power <= axis.high;
       power *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double value = power * step;
      if (is_wide && step > 1) break;
      if (value >= axis.low && value <= axis.high) ticks.push_back(value);
    }
  }
  return ticks;
}

pugi::xml_node write_words(pugi::xml_node parent, double x, double y, const char* anchor,
                           const std::string& text) {
  pugi::xml_node node = parent.append_child("text");
  node.append_attribute("x") = fmt::format("{:.1f}", x).c_str();
  node.append_attribute("y") = fmt::format("{:.1f}", y).c_str();
  node.append_attribute("text-anchor") = anchor;
  node.append_child(pugi::node_pcdata).set_value(text.c_str());
  return node;
}

pugi::xml_node draw_path(pugi::xml_node parent, const std::string& path, const char* color) {
  pugi::xml_node node = parent.append_child("path");
  node.append_attribute("d") = path.c_str();
  node.append_attribute("stroke") = color;
  node.append_attribute("fill") = "none";
  return node;
}

void draw_axes(pugi::xml_node svg, const Axis& x, const Axis& y) {
  for (const double value : ticks_of(y)) {
    const double at = y.place(value);
    draw_path(svg, fmt::format("M{} {:.1f}H{}", kLeft, at, kRight), "#dddddd");
    write_words(svg, kLeft - 6, at + 4, "end", latency_text(value));
  }
  for (const double value : ticks_of(x)) {
    const double at = x.place(value);
    draw_path(svg, fmt::format("M{:.1f} {}V{}", at, kTop, kBottom), "#eeeeee");
    write_words(svg, at, kBottom + 16, "middle", rate_text(value));
  }
  draw_path(svg, fmt::format("M{} {}V{}H{}", kLeft, kTop, kBottom, kRight), "#333333");
  write_words(svg, (kLeft + kRight) / 2, kBottom + 36, "middle", "requests per second, asked for");
}

void draw_step(pugi::xml_node svg, const LimitStep& step, double x, double y) {
  pugi::xml_node mark;
  if (step.limited_by == LimitStep::LimitedBy::kServer) {
    mark = draw_path(svg, fmt::format("M{:.1f} {:.1f}l8 8m0 -8l-8 8", x - 4, y - 4), kBad);
    mark.append_attribute("stroke-width") = 2;
  } else {
    const bool is_held = step.limited_by == LimitStep::LimitedBy::kNothing;
    mark = svg.append_child("circle");
    mark.append_attribute("cx") = fmt::format("{:.1f}", x).c_str();
    mark.append_attribute("cy") = fmt::format("{:.1f}", y).c_str();
    mark.append_attribute("r") = 4;
    mark.append_attribute("fill") = is_held ? kGood : "#ffffff";
    mark.append_attribute("stroke") = is_held ? kGood : kQuiet;
  }
  mark.append_child("title")
      .append_child(pugi::node_pcdata)
      .set_value(fmt::format("{}: p99 {}, {}", rate_text(step.rate), latency_text(step.p99),
                             limit_name(step.limited_by))
                     .c_str());
}

void draw_curve(pugi::xml_node svg, const LimitResult& result, const Axis& x, const Axis& y) {
  std::vector<LimitStep> steps;
  for (const LimitStep& step : result.steps) {
    if (step.p99 > 0) steps.push_back(step);  // without an answer there is no latency
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const LimitStep& a, const LimitStep& b) { return a.rate < b.rate; });
  std::string path;
  for (const LimitStep& step : steps) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.place(step.rate),
                        y.place(step.p99));
  }
  if (!path.empty()) draw_path(svg, path, kGood);
  for (const LimitStep& step : steps) {
    draw_step(svg, step, x.place(step.rate), y.place(step.p99));
  }
}

void draw_marks(pugi::xml_node svg, const LimitResult& result, const Axis& x, const Axis& y) {
  const double limit = y.place(result.limit);
  draw_path(svg, fmt::format("M{} {:.1f}H{}", kLeft, limit, kRight), kBad)
      .append_attribute("stroke-dasharray") = "6 4";
  write_words(svg, kLeft + 6, limit - 5, "start", "limit " + latency_text(result.limit));
  if (result.held <= 0) return;
  const double held = x.place(result.held);
  draw_path(svg, fmt::format("M{:.1f} {}V{}", held, kTop, kBottom), kQuiet)
      .append_attribute("stroke-dasharray") = "2 3";
  const bool is_knee =
      result.failed_step() && result.failed_step()->limited_by == LimitStep::LimitedBy::kServer;
  write_words(svg, std::clamp(held, kLeft + kHalfLabel, kRight - kHalfLabel), kTop - 6, "middle",
              fmt::format("{} {}", is_knee ? "knee" : "held", rate_text(result.held)));
}

}  // namespace

std::string limit_svg(const LimitResult& result) {
  std::vector<double> rates;
  std::vector<double> latencies = {result.limit};
  for (const LimitStep& step : result.steps) {
    rates.push_back(step.rate);
    latencies.push_back(step.p99);
  }
  const Axis x = axis_over(rates, kLeft, kRight);
  const Axis y = axis_over(latencies, kBottom, kTop);
  const std::string target = cut(load_target_text(result.setting), kMostTargetBytes);
  const std::string title = "p99 over the rate: " + target;
  pugi::xml_document document;
  pugi::xml_node svg = document.append_child("svg");
  svg.append_attribute("xmlns") = "http://www.w3.org/2000/svg";
  svg.append_attribute("viewBox") = fmt::format("0 0 {} {}", kPlotWidth, kPlotHeight).c_str();
  svg.append_attribute("font-family") = "sans-serif";
  svg.append_attribute("font-size") = 12;
  svg.append_attribute("role") = "img";
  svg.append_attribute("aria-label") = title.c_str();
  pugi::xml_node paper = svg.append_child("rect");
  paper.append_attribute("width") = kPlotWidth;
  paper.append_attribute("height") = kPlotHeight;
  paper.append_attribute("fill") = "#ffffff";
  write_words(svg, kLeft, 18, "start", "p99 over the rate").append_attribute("font-weight") =
      "bold";
  write_words(svg, kLeft, 36, "start", target);
  draw_axes(svg, x, y);
  draw_curve(svg, result, x, y);
  draw_marks(svg, result, x, y);
  write_words(svg, kLeft, kPlotHeight - 8, "start",
              "filled: held; cross: not held by the server; ring: our connections or generator "
              "were the limit");
  std::ostringstream out;
  document.save(out, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return out.str() + "\n";
}

}  // namespace assay::reports
