#include "reports/history.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/findings.h"
#include "reports/text.h"

namespace assay::reports {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kLongestKey = 300;
constexpr std::size_t kLongestTime = 40;

int number(const json& object, const char* name) {
  const auto found = object.find(name);
  const bool is_count = found != object.end() && found->is_number_unsigned() &&
                        found->get<std::uint64_t>() < 1'000'000;
  return is_count ? found->get<int>() : 0;
}

std::string text(const json& object, const char* name, std::size_t longest) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return "";
  return printable_line(cut(found->get_ref<const std::string&>(), longest));
}

void keep_last(std::vector<HistoryPoint>& points) {
  if (points.size() <= kMostHistory) return;
  points.erase(points.begin(), points.end() - static_cast<std::ptrdiff_t>(kMostHistory));
}

}  // namespace

std::string history_key(const Result& result) {
  const Target& target = result.target;
  const std::string& name = target.label.empty() ? target.name : target.label;
  return printable_line(
      cut(target.subject + " " + (name.empty() ? target_location(target) : name), kLongestKey));
}

HistoryPoint history_point(const Result& result) {
  const Exercised exercised = exercised_in(result);
  return {printable_line(cut(result.started, kLongestTime)),
          static_cast<int>(failures(result).size()), exercised.exercised, exercised.applicable,
          was_tested(result)};
}

History parse_history(std::string_view lines) {
  History out;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const json entry = json::parse(line, nullptr, false);
    if (!entry.is_object()) continue;
    const std::string key = text(entry, "target", kLongestKey);
    if (key.empty()) continue;
    const auto tested = entry.find("tested");
    out[key].push_back({text(entry, "started", kLongestTime), number(entry, "violated"),
                        number(entry, "exercised"), number(entry, "applicable"),
                        tested != entry.end() && *tested == true});
    keep_last(out[key]);
  }
  return out;
}

void add_to_history(History& history, const Result& result) {
  std::vector<HistoryPoint>& points = history[history_key(result)];
  points.push_back(history_point(result));
  keep_last(points);
}

std::string render_history(const History& history) {
  std::string out;
  for (const auto& [key, points] : history) {
    for (const HistoryPoint& point : points) {
      const ordered_json entry = {{"target", key},
                                  {"started", point.started},
                                  {"violated", point.violated},
                                  {"exercised", point.exercised},
                                  {"applicable", point.applicable},
                                  {"tested", point.was_tested}};
      out += entry.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
    }
  }
  return out;
}

}  // namespace assay::reports
