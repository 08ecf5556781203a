// One message gone wrong: in a field, a value, its envelope, its id, or the names in it.
#include <fmt/format.h>

#include <algorithm>

#include "fuzz/live/judge/refusals.h"
#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/values/odd_values.h"

namespace assay::fuzz {

Case Generator::valid() {
  Case made;
  made.origin = "valid";
  Json whole = request(made);
  if (random_.chance(20)) whole["params"]["_meta"]["progressToken"] = random_.below(1000);
  made.steps.push_back(line_step(text_of(whole)));
  return made;
}

Case Generator::mutated_field() {
  const std::size_t seed = random_.below(seeds_.size());
  const auto& all = mutations_of(seed);
  if (all.empty()) return valid();
  const model::Mutation& mutation = random_.pick(all);
  Case made;
  made.origin = fmt::format("field: {} {}", mutation.name,
                            shown(without_indexes(mutation.promised.pointer), 80));
  Json whole = mutation.value;
  if (whole.is_object() && whole.value("id", Json()) == 1'000'000) whole["id"] = new_id(made);
  made.steps.push_back(line_step(text_of(whole)));
  return made;
}

Case Generator::odd_value_somewhere() {
  Case made;
  Json whole = request(made);
  if (!whole.contains("params") || random_.chance(20)) {
    static constexpr const char* kMembers[] = {"_meta", "cursor", "name", "uri", "assay"};
    if (!whole.contains("params") && random_.chance(50)) {
      whole["params"] = Json::object();
    } else {
      if (!whole.contains("params")) whole["params"] = Json::object();
      const std::string key = random_.pick(kMembers);
      if (key == "_meta") {
        whole["params"]["_meta"].update({{"progressToken", 1}, {"assay/x", 1}});
      } else {
        whole["params"][key] = 1;
      }
    }
  }
  const OddValue odd = random_.chance(25) ? odd_string(random_) : odd_value(random_);
  made.origin = fmt::format("value: {}", odd.label);
  const auto at = places(whole, true);
  made.steps.push_back(line_step(with_value(std::move(whole), random_.pick(at), odd.text)));
  return made;
}

Case Generator::bad_tool_arguments() {
  Case made;
  const Json& tool = random_.pick(words_.tools);
  BadArguments bad = bad_arguments(tool.value("inputSchema", Json::object()), random_);
  made.origin = "arguments: " + bad.label;
  const Json whole =
      request(made, "tools/call", {{"name", tool["name"]}, {"arguments", std::move(bad.value)}});
  made.steps.push_back(line_step(text_of(whole)));
  return made;
}

Case Generator::odd_request_id() {
  Case made;
  Json whole = request(made);
  const OddValue odd = odd_id(random_);
  made.origin = fmt::format("id: {}", odd.label);
  made.ids.clear();
  made.steps.push_back(
      line_step(with_value(std::move(whole), Json::json_pointer("/id"), odd.text)));
  return made;
}

Case Generator::odd_envelope() {
  Case made;
  Json whole = request(made);
  const std::size_t roll = random_.below(12);
  static constexpr const char* kLabels[] = {
      "no-version", "old-version", "no-method",   "params-array", "params-null", "params-text",
      "result-too", "extra",       "odd-version", "odd-method",   "odd-params",  "not-an-object"};
  made.origin = fmt::format("envelope: {}", kLabels[roll]);
  std::string text;
  switch (roll) {
    case 0:
      whole.erase("jsonrpc");
      break;
    case 1:
      whole["jsonrpc"] = "1.0";
      break;
    case 2:
      whole.erase("method");
      break;
    case 3:
      whole["params"] = Json::array({1, "two"});
      break;
    case 4:
      whole["params"] = nullptr;
      break;
    case 5:
      whole["params"] = "text";
      break;
    case 6:
      whole["result"] = Json::object();
      break;
    case 7:
      whole["assay"] = {{"extra", true}};
      break;
    case 8:
      text = with_value(std::move(whole), Json::json_pointer("/jsonrpc"), odd_value(random_).text);
      break;
    case 9:
      text = with_value(std::move(whole), Json::json_pointer("/method"), odd_value(random_).text);
      break;
    case 10:
      text = with_value(std::move(whole), Json::json_pointer("/params"), odd_value(random_).text);
      break;
    default:
      text = odd_value(random_).text;
      break;
  }
  made.steps.push_back(line_step(text.empty() ? text_of(whole) : text));
  return made;
}

Case Generator::unknown_name() {
  Case made;
  Json whole = request(made);
  const std::string method = whole["method"];
  const std::string nothing = fmt::format("{}-{}", kNoSuch, random_.below(1000));
  if (method.ends_with("/list") && random_.chance(80)) {
    const std::size_t roll = random_.below(3);
    made.origin = "name: cursor";
    whole["params"]["cursor"] =
        roll == 0 && !words_.cursors.empty() ? nothing + random_.pick(words_.cursors) : nothing;
  } else if (whole.contains("params") && whole["params"].contains("name")) {
    made.origin = "name: name";
    whole["params"]["name"] = nothing;
  } else if (whole.contains("params") && whole["params"].contains("uri")) {
    made.origin = "name: uri";
    whole["params"]["uri"] = nothing + "://nothing/" + nothing;
  } else {
    made.origin = "name: method";
    static constexpr const char* kPrefixes[] = {"", "tools/", "notifications/", "rpc.", "$/"};
    whole["method"] = random_.pick(kPrefixes) + nothing;
  }
  made.steps.push_back(line_step(text_of(whole)));
  return made;
}

Case Generator::from_pool() {
  if (pool_.empty()) return valid();
  Case made = random_.pick(pool_);
  if (made.steps.empty()) return valid();
  renumber(made, last_id_);
  if (!made.origin.ends_with(" again")) made.origin += " again";
  Step& step = made.steps[random_.below(made.steps.size())];
  const Json whole = Json::parse(step.bytes, nullptr, false);
  const std::size_t roll = random_.below(5);
  if (roll == 0 && made.steps.size() < 8) {  // more of it
    Case other = from_pool();
    made.steps.insert(made.steps.end(), other.steps.begin(), other.steps.end());
    made.ids.insert(made.ids.end(), other.ids.begin(), other.ids.end());
  } else if (roll <= 2 && whole.is_object() && whole.contains("params")) {
    const auto at = places(whole, true);
    step.bytes = with_value(whole, random_.pick(at), odd_value(random_).text) + "\n";
  } else if (roll == 3 && whole.is_object() && whole.contains("params") &&
             whole["params"].is_object() && !whole["params"].empty()) {
    Json changed = whole;
    auto at = changed["params"].begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(changed["params"].size())));
    changed["params"].erase(at.key());
    step.bytes = text_of(changed) + "\n";
  } else {
    step.waits = true;
  }
  return made;
}

}  // namespace assay::fuzz
