#include "fuzz/live/operators/generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fuzz/live/judge/refusals.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/courtesy.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/text.h"
#include "harness/script/capability.h"
#include "reference/model/extension.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kMostSeeds = 120;
constexpr std::size_t kAttempts = 16;
// An avoided origin is let through once in so many times: there may be more behind it.
constexpr std::size_t kSeldom = 200;

Json message(std::string_view method, Json params = nullptr) {
  Json out = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null()) out["params"] = std::move(params);
  return out;
}

Json prompt_params(const Json& prompt) {
  Json params = {{"name", prompt["name"]}};
  if (Json arguments = prompt_arguments(prompt); !arguments.empty()) {
    params["arguments"] = std::move(arguments);
  }
  return params;
}

// Of the extensions that the server declares, about a task or a skill that does not exist.
std::vector<Json> extension_seeds(const Vocabulary& words) {
  std::vector<Json> seeds;
  const auto declared = model::declared_extensions(words.revision, words.capabilities);
  for (const model::Extension* extension : model::members_of(declared)) {
    for (const model::Method& method : extension->methods) {
      if (method.sender != model::Sender::kClient || !method.is_request) continue;
      Json params = Json::object();
      if (!method.header_name.empty()) {
        params[method.header_name] = std::string(kNoSuch) + "-task";
      } else if (!method.name.ends_with("/list")) {
        params["uri"] = std::string(kNoSuch) + "://skill/SKILL.md";
      }
      seeds.push_back(message(method.name, std::move(params)));
    }
  }
  return seeds;
}

}  // namespace

Step line_step(std::string_view text) {
  Step step;
  step.bytes = std::string(text) + "\n";
  return step;
}

std::string expanded(std::string text) {
  for (std::size_t at = text.find('{'); at != std::string::npos; at = text.find('{', at)) {
    const std::size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    text.replace(at, end - at + 1, "7");
  }
  return text;
}

std::string text_of(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Generator::Generator(const Vocabulary& words, std::uint64_t seed, bool is_http)
    : words_(words), is_http_(is_http), random_(seed), seeds_(make_seeds()), sweep_(words) {
  mutations_.resize(seeds_.size());
  operators_ = {
      {10, &Generator::valid},
      {20, &Generator::mutated_field},
      {22, &Generator::odd_value_somewhere},
      {8, &Generator::odd_request_id},
      {6, &Generator::odd_envelope},
      {6, &Generator::unknown_name},
      {10, &Generator::from_pool},
      {6, &Generator::cancelled},
      {4, &Generator::unasked_answer},
      {4, &Generator::batched},
      {2, &Generator::same_id_twice},
      {1, &Generator::many_at_once},
      {4, &Generator::odd_notification},
      {8, &Generator::framed_badly},
  };
  if (!words_.tools.empty()) {
    operators_.push_back({12, &Generator::bad_tool_arguments});
    operators_.push_back({6, &Generator::overlapping});
    operators_.push_back({14, &Generator::worded});
  }
  operators_.push_back({6, &Generator::spliced});
  dictionary_.learn(words_);
  if (words_.revision.is_stateless()) {
    operators_.push_back({14, &Generator::odd_meta});
    operators_.push_back({8, &Generator::listening});
    if (!words_.rounds.empty()) operators_.push_back({14, &Generator::input_round});
    if (is_http_) operators_.push_back({14, &Generator::odd_repeated_field});
  }
  if (!is_http_) operators_.push_back({2, &Generator::quiet_after_bad_line});
  if (is_http_) {
    operators_.push_back({25, &Generator::odd_http});
    operators_.push_back({12, &Generator::raw_http});
    operators_.push_back({12, &Generator::two_sessions});
    operators_.push_back({6, &Generator::one_id_in_two_sessions});
  }
}

std::vector<Json> Generator::make_seeds() {
  std::vector<Json> seeds = {message(fence_method(words_))};
  const auto has = [&](std::string_view path) {
    return harness::declares(Json{{"capabilities", words_.capabilities}}, path);
  };
  if (has("tools")) seeds.push_back(message("tools/list"));
  if (has("resources")) {
    seeds.push_back(message("resources/list"));
    seeds.push_back(message("resources/templates/list"));
  }
  if (has("prompts")) seeds.push_back(message("prompts/list"));
  if (has("logging") && words_.revision.has_set_level())
    seeds.push_back(message("logging/setLevel", {{"level", "warning"}}));
  if (has("tasks") && words_.revision.has_core_tasks()) {
    seeds.push_back(message("tasks/list"));
    seeds.push_back(message("tasks/get", {{"taskId", std::string(kNoSuch) + "-task"}}));
    seeds.push_back(message("tasks/cancel", {{"taskId", std::string(kNoSuch) + "-task"}}));
    seeds.push_back(message("tasks/result", {{"taskId", std::string(kNoSuch) + "-task"}}));
  }
  for (Json& seed : extension_seeds(words_)) seeds.push_back(std::move(seed));
  for (const std::string& cursor : words_.cursors) {
    seeds.push_back(message("tools/list", {{"cursor", cursor}}));
    if (seeds.size() > 12) break;
  }
  const auto add = [&](Json one) {
    if (seeds.size() < kMostSeeds) seeds.push_back(std::move(one));
  };
  for (const Json& tool : words_.tools) {
    add(message("tools/call", {{"name", tool["name"]}, {"arguments", Json::object()}}));
  }
  std::vector<std::string> uris = words_.resources;
  for (const std::string& each : words_.templates) uris.push_back(expanded(each));
  if (uris.size() > 12) uris.resize(12);
  for (const std::string& uri : uris) {
    add(message("resources/read", {{"uri", uri}}));
    if (!has("resources.subscribe") || !words_.revision.has_subscribe()) continue;
    add(message("resources/subscribe", {{"uri", uri}}));
    add(message("resources/unsubscribe", {{"uri", uri}}));
  }
  for (const Json& prompt : words_.prompts) {
    add(message("prompts/get", prompt_params(prompt)));
    if (!has("completions")) continue;
    add(message("completion/complete", {{"ref", {{"type", "ref/prompt"}, {"name", prompt["name"]}}},
                                        {"argument", {{"name", "arg1"}, {"value", "a"}}}}));
  }
  for (Json& seed : seeds) seed = with_request_meta(words_, std::move(seed));
  return seeds;
}

std::uint64_t Generator::new_id(Case& made) {
  made.ids.push_back(++last_id_);
  return last_id_;
}

Json Generator::fresh_arguments(Json seed) {
  const Json* tool = words_.tool(seed["params"]["name"].get<std::string>());
  if (tool != nullptr) {
    seed["params"]["arguments"] =
        fitting_arguments(tool->value("inputSchema", Json::object()), random_);
  }
  return seed;
}

void Generator::learn_words(const std::vector<Word>& heard) {
  for (const Word& word : heard) dictionary_.add(word);
}

Json Generator::request(Case& made) {
  Json chosen = random_.pick(seeds_);
  if (chosen["method"] == "tools/call") chosen = fresh_arguments(std::move(chosen));
  chosen["id"] = new_id(made);
  return chosen;
}

Json Generator::request(Case& made, std::string_view method, Json params) {
  Json out = with_request_meta(words_, message(method, std::move(params)));
  out["id"] = new_id(made);
  return out;
}

Json Generator::fence(Case& made) {
  return request(made, fence_method(words_), nullptr);
}

Case Generator::pick_case(const std::vector<Operator>& operators) {
  std::size_t total = 0;
  for (const Operator& each : operators) total += each.weight;
  Case made;
  for (std::size_t attempt = 0; attempt < kAttempts; ++attempt) {
    std::size_t roll = random_.below(total);
    auto chosen = operators.begin();
    while (roll >= chosen->weight) roll -= (chosen++)->weight;
    made = (this->*chosen->make)();
    const std::string origin = made.origin.substr(0, made.origin.find(" again"));
    const bool is_wanted = !avoided_.contains(origin) || random_.below(kSeldom) == 0;
    if (is_wanted && is_safe(made)) return made;
  }
  made = {};
  made.origin = "valid";
  made.steps.push_back(line_step(text_of(fence(made))));
  return made;
}

bool Generator::is_safe(const Case& made) const {
  std::string bytes;
  for (const Step& step : made.steps) bytes += step.bytes;
  bool is_safe = true;
  for_each_line(bytes, [&](std::string_view line) { is_safe = is_safe && words_.is_safe(line); });
  return is_safe;
}

std::optional<Case> Generator::next_swept() {
  while (is_sweeping_) {
    auto made = sweep_.next(++last_id_);
    if (!made) {
      is_sweeping_ = false;
      break;
    }
    const bool is_wanted = !avoided_.contains(made->origin) || random_.below(kSeldom) == 0;
    if (is_wanted && is_safe(*made)) return made;
  }
  return std::nullopt;
}

std::vector<Case> Generator::in_turn(std::vector<Case> cases) const {
  constexpr std::uint64_t kAside = 8'000'000;  // no id of ours is one that they have
  std::vector<Case> turns;
  for (Case& each : cases) {
    if (each.is_fresh || !is_safe(each)) continue;
    std::uint64_t aside = kAside;
    renumber(each, aside);
    turns.push_back(std::move(each));
  }
  std::reverse(turns.begin(), turns.end());
  return turns;
}

Case Generator::take_last(std::vector<Case>& cases) {
  Case made = std::move(cases.back());
  cases.pop_back();
  renumber(made, last_id_);
  return made;
}

Case Generator::next() {
  if (!replayed_.empty()) return take_last(replayed_);
  is_mixed_next_ = !is_mixed_next_;
  if (is_mixed_next_ && !mixed_.empty()) return take_last(mixed_);
  is_swept_next_ = !is_swept_next_;
  if (!is_swept_next_) {
    if (auto made = next_swept()) return *std::move(made);
  }
  return pick_case(operators_);
}

Case Generator::next_fresh() {
  std::vector<Operator> fresh = {{3, words_.revision.has_handshake() ? &Generator::before_lifecycle
                                                                     : &Generator::first_of_all}};
  if (!is_http_ && words_.revision.has_handshake()) fresh.push_back({1, &Generator::ended_input});
  Case made = pick_case(fresh);
  made.is_fresh = true;
  return made;
}

int Generator::next_manners() {
  return random_.chance(80) ? 0 : 1 + static_cast<int>(random_.below(kWorstManners));
}

void Generator::keep(const Case& found) {
  std::size_t size = 0;
  for (const Step& step : found.steps) size += step.bytes.size();
  if (size > kLargestPooled || found.steps.size() > 32 || found.is_fresh) return;
  for (const Step& step : found.steps) {
    const Json whole = Json::parse(step.bytes, nullptr, false);
    const Json params = whole.is_object() ? whole.value("params", Json()) : Json();
    if (!params.is_object() || words_.tool(text_member(params, "name")) == nullptr) continue;
    const Json arguments = params.value("arguments", Json());
    if (!arguments.is_object() || whole.value("method", Json()) != "tools/call") continue;
    std::deque<Json>& kept = pooled_arguments_[text_member(params, "name")];
    kept.push_back(arguments);
    if (kept.size() > kMostPooledArguments) kept.pop_front();
  }
  if (pool_.size() < kMostPooled) {
    pool_.push_back(found);
  } else {
    pool_[random_.below(pool_.size())] = found;
  }
}

const std::vector<model::Mutation>& Generator::mutations_of(std::size_t seed) {
  if (mutations_[seed].empty()) {
    Json whole = seeds_[seed];
    if (whole["method"] == "tools/call") whole = fresh_arguments(std::move(whole));
    whole["id"] = 1'000'000;
    mutations_[seed] =
        model::message_mutations(words_.revision, model::Direction::kClientToServer, whole);
  }
  return mutations_[seed];
}

std::vector<Json::json_pointer> Generator::places(const Json& message, bool only_params) {
  constexpr std::size_t kMost = 400;
  // What every request carries has many places, and would take the turn of all others.
  const bool without_meta = words_.revision.is_stateless() && random_.chance(80);
  std::vector<Json::json_pointer> all;
  const Json::json_pointer root;
  std::vector<Json::json_pointer> open = {only_params ? root / "params" : root};
  while (!open.empty() && all.size() < kMost) {
    const Json::json_pointer at = open.back();
    open.pop_back();
    if (!message.contains(at)) continue;
    if (!at.empty()) all.push_back(at);
    const Json& value = message[at];
    if (value.is_object()) {
      for (const auto& [key, member] : value.items()) {
        if (!without_meta || key != "_meta") open.push_back(at / key);
      }
    } else if (value.is_array()) {
      for (std::size_t i = 0; i < std::min<std::size_t>(value.size(), 20); ++i) {
        open.push_back(at / i);
      }
    }
  }
  return all;
}

}  // namespace assay::fuzz
