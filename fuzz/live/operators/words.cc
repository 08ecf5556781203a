// Words that the target itself named in place of arguments, and values of one case in another.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kTries = 6;

}  // namespace

// Mostly the word itself; now and then what stands beside it.
Json Generator::worded_value(const std::string& tool) {
  Json value = dictionary_.pick(tool, random_);
  if (!random_.chance(12)) return value;
  if (value.is_number_integer()) {
    const std::uint64_t step = random_.chance(50) ? 1 : UINT64_MAX;  // one more, or one less
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value.get<std::int64_t>()) + step);
  }
  if (!value.is_string()) return value;
  const Json other = dictionary_.pick(tool, random_);
  static constexpr const char* kBetween[] = {"", " ", ":", "/", "-", ",", "="};
  return value.get<std::string>() + random_.pick(kBetween) +
         (other.is_string() ? other.get<std::string>() : other.dump());
}

Json Generator::base_arguments(const Json& tool) {
  const auto kept = pooled_arguments_.find(text_member(tool, "name"));
  if (kept == pooled_arguments_.end() || random_.chance(30)) {
    return fitting_arguments(tool.value("inputSchema", Json::object()), random_);
  }
  // What was answered in a new way last has come furthest.
  const std::deque<Json>& all = kept->second;
  const std::size_t newest = std::min<std::size_t>(all.size(), 6);
  return random_.chance(60) ? all[all.size() - 1 - random_.below(newest)] : random_.pick(all);
}

Case Generator::worded() {
  Case made;
  const Json& tool = random_.pick(words_.tools);
  const std::string name = random_.chance(88) ? text_member(tool, "name") : std::string();
  made.origin = fmt::format("word: {}", name.empty() ? "of any request" : shown(name, 40));
  Json whole = name.empty() ? request(made)
                            : request(made, "tools/call",
                                      {{"name", name}, {"arguments", base_arguments(tool)}});
  std::vector<Json::json_pointer> leaves;
  for (const Json::json_pointer& at : places(whole, true)) {
    const bool is_argument = name.empty() || at.to_string().starts_with("/params/arguments/");
    if (is_argument && whole[at].is_primitive()) leaves.push_back(at);
  }
  const Json schema = tool.value("inputSchema", Json());
  const Json properties = schema.is_object() ? schema.value("properties", Json()) : Json();
  const bool adds = !name.empty() && properties.is_object() && !properties.empty() &&
                    (leaves.empty() || random_.chance(10));
  if (adds) {
    auto at = properties.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(properties.size())));
    whole["params"]["arguments"][at.key()] = worded_value(name);
  } else if (!leaves.empty()) {
    const Json::json_pointer one = random_.pick(leaves);
    const bool is_all = random_.chance(25);
    for (const Json::json_pointer& at : leaves) {
      if (!is_all && at != one) continue;
      const bool wants_number = whole[at].is_number() && random_.chance(80);
      Json value = wants_number ? dictionary_.pick_number(random_).value_or(7) : worded_value(name);
      whole[at] = std::move(value);
    }
  }
  made.steps.push_back(line_step(text_of(whole)));
  return made;
}

Case Generator::spliced() {
  if (pool_.size() < 2) return valid();
  Case made = random_.pick(pool_);
  const Case& other = random_.pick(pool_);
  if (made.steps.empty() || other.steps.empty()) return valid();
  Step& step = made.steps[random_.below(made.steps.size())];
  Json whole = Json::parse(step.bytes, nullptr, false);
  const Json source = Json::parse(random_.pick(other.steps).bytes, nullptr, false);
  const bool have_params = whole.is_object() && whole.contains("params") && source.is_object() &&
                           source.contains("params");
  if (!have_params) return valid();
  const auto to = places(whole, true);
  const auto from = places(source, true);
  Json::json_pointer at = random_.pick(to);
  Json::json_pointer with = random_.pick(from);
  // A value goes where one of its name was, if there is such a place.
  for (std::size_t i = 0; i < kTries && (at.empty() || with.empty() || at.back() != with.back());
       ++i) {
    at = random_.pick(to);
    with = random_.pick(from);
  }
  // What stands for an answer of the other case has none here.
  const std::string text = text_of(source[with]);
  if (text.find("@LINK ") != std::string::npos || text.find("@STATE ") != std::string::npos) {
    return valid();
  }
  whole[at] = source[with];
  step.bytes = text_of(whole) + "\n";
  renumber(made, last_id_);
  made.origin = fmt::format("splice: {}", shown(without_indexes(at.to_string()), 60));
  return made;
}

}  // namespace assay::fuzz
