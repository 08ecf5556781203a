#include "fuzz/live/client/wording.h"

#include <fmt/format.h>

#include <utility>

#include "fuzz/live/target/text.h"
#include "reports/escape.h"

namespace assay::fuzz {
namespace {

// What is longer is told by its operator alone.
constexpr std::size_t kLongestWording = 256u << 10;
// Marks the step of a recipe that stands for the answer.
constexpr const char* kAnswerStep = "answer";

std::string with_marks(std::string text, const std::string& id, const std::string& canary) {
  for (const char* member : {"\"id\":", "\"requestId\":", "\"progressToken\":"}) {
    for (const char* end : {",", "}"}) {
      replace_each(text, member + id + end, fmt::format("{}{}{}", member, kIdPlace, end));
    }
  }
  replace_each(text, canary, kCanaryPlace);
  return text;
}

Recipe recipe_for(const Wording& wording) {
  Recipe recipe;
  for (const std::string& each : wording.ahead) recipe.steps.push_back({.bytes = each});
  if (wording.answer) recipe.steps.push_back({.bytes = *wording.answer, .method = kAnswerStep});
  return recipe;
}

Wording wording_for(const Recipe& recipe) {
  Wording wording;
  for (const Step& step : recipe.steps) {
    if (step.method == kAnswerStep) {
      wording.answer = step.bytes;
    } else {
      wording.ahead.push_back(step.bytes);
    }
  }
  return wording;
}

}  // namespace

std::string filled(std::string text, const std::string& id, const std::string& canary) {
  replace_each(text, kIdPlace, id);
  replace_each(text, kCanaryPlace, canary);
  return text;
}

std::optional<Wording> kept_wording(Wording said, const std::string& id,
                                    const std::string& canary) {
  std::size_t bytes = 0;
  const auto keep = [&](std::string& text) {
    bytes += text.size();
    if (bytes > kLongestWording || reports::valid_utf8(text) != text) return false;
    text = with_marks(std::move(text), id, canary);
    return true;
  };
  for (std::string& each : said.ahead) {
    if (!keep(each)) return std::nullopt;
  }
  if (said.answer && !keep(*said.answer)) return std::nullopt;
  return said;
}

std::size_t bytes_of(const Wording& wording) {
  std::size_t bytes = wording.answer ? wording.answer->size() : 0;
  for (const std::string& each : wording.ahead) bytes += each.size();
  return bytes;
}

void put_wording(const Wording& wording, nlohmann::ordered_json& line) {
  line["ahead"] = wording.ahead;
  if (wording.answer) line["answer"] = *wording.answer;
}

std::optional<Wording> wording_from(const Json& line) {
  Wording wording;
  const Json ahead = line.value("ahead", Json());
  if (!ahead.is_array()) return std::nullopt;
  for (const Json& each : ahead) {
    if (!each.is_string()) return std::nullopt;
    wording.ahead.push_back(each.get<std::string>());
  }
  if (!line.contains("answer")) return wording;
  if (!line["answer"].is_string()) return std::nullopt;
  wording.answer = line["answer"].get<std::string>();
  return wording;
}

Wording minimize_wording(const Wording& wording, const std::function<bool(const Wording&)>& shows,
                         const MinimizeLimits& limits) {
  const std::function<bool(const Recipe&)> shows_recipe = [&](const Recipe& recipe) {
    return shows(wording_for(recipe));
  };
  return wording_for(minimize(recipe_for(wording), shows_recipe, limits));
}

std::string text(const Wording& wording) {
  std::string out;
  for (const std::string& each : wording.ahead) out += (out.empty() ? "" : ", then ") + each;
  if (wording.answer) out += (out.empty() ? "" : ", then ") + *wording.answer;
  return out;
}

}  // namespace assay::fuzz
