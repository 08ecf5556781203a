#include "fuzz/live/operators/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/values/cursors.h"
#include "fuzz/live/values/odd_values.h"
#include "fuzz/live/values/sweep_values.h"

namespace assay::fuzz {
namespace {

Json request_of(std::string_view method, Json params) {
  return {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
}

// Everything below `at`, itself included, outermost first.
void add_sweep_places(const Json& message, const Json::json_pointer& at,
                      std::vector<Json::json_pointer>& places) {
  if (places.size() >= Sweep::kMostPlaces) return;
  places.push_back(at);
  const Json& value = message[at];
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) add_sweep_places(message, at / key, places);
  } else if (value.is_array() && !value.empty()) {
    add_sweep_places(message, at / 0, places);
  }
}

// Takes the place out; of an array, whose places are all alike, everything.
void leave_out(Json& message, const Json::json_pointer& at) {
  Json& parent = message[at.parent_pointer()];
  if (parent.is_object()) parent.erase(at.back());
  if (parent.is_array()) parent.clear();
}

// The text of the message without that place, or with `text` there.
std::string changed(const Json& message, const Json::json_pointer& at, const std::string& text) {
  if (!text.empty()) return with_value(message, at, text);
  Json shorter = message;
  leave_out(shorter, at);
  return text_of(shorter);
}

Case case_of(std::uint64_t id, std::string origin, const std::string& line) {
  Case made;
  made.origin = std::move(origin);
  made.ids = {id};
  made.steps.push_back(line_step(line));
  return made;
}

}  // namespace

Sweep::Sweep(const Vocabulary& words) : words_(words) {
  add_envelope();
  add_tools();
  add_rounds();
  add_uris();
  add_prompts();
  add_cursors();
  add_pairs();
}

void Sweep::add(Json message, std::string name) {
  if (requests_.size() >= kMostRequests) return;
  Request request{std::move(message), std::move(name)};
  add_sweep_places(request.message, Json::json_pointer("/params"), request.leaves);
  // What every request carries is tried with one for all.
  request.message = with_request_meta(words_, std::move(request.message));
  // The outermost place, all of the params, is tried with one request for all.
  request.leaves.erase(request.leaves.begin());
  const std::string method = request.message["method"];
  for (const auto& at : request.leaves) {
    // What becomes of a name that is none is tried with one request of each method.
    const bool is_name = at.to_string() == "/params/name";
    if (!is_name || named_.insert(method).second) places_.push_back({requests_.size(), at});
  }
  requests_.push_back(std::move(request));
}

void Sweep::add_envelope() {
  const std::string method(fence_method(words_));
  Request fence{with_request_meta(words_, request_of(method, {{"_meta", {{"progressToken", 1}}}})),
                method};
  add_sweep_places(fence.message, Json::json_pointer("/params"), fence.leaves);
  for (const char* at : {"/method", "/jsonrpc"}) fence.leaves.emplace_back(at);
  for (const auto& at : std::exchange(fence.leaves, {})) {
    envelope_.push_back({requests_.size(), at});
  }
  requests_.push_back(std::move(fence));
}

void Sweep::add_tools() {
  for (const Json& tool : words_.tools) {
    const std::string name = text_member(tool, "name");
    add(request_of("tools/call",
                   {{"name", name},
                    {"arguments", full_arguments(tool.value("inputSchema", Json::object()))}}),
        "tools/call " + name);
  }
}

// The second round of a request, with a state that never was.
void Sweep::add_rounds() {
  if (words_.rounds.empty()) return;
  const InputRound& round = words_.rounds.front();
  Json message = request_of(text_member(round.request, "method"), round.request["params"]);
  message["params"]["requestState"] = "a";
  message["params"]["inputResponses"] = round.responses;
  add(std::move(message), text_member(round.request, "method") + " again");
}

void Sweep::add_uris() {
  for (const std::string& uri : words_.resources) {
    add(request_of("resources/read", {{"uri", uri}}), "resources/read");
    break;  // what is wrong with an address is mostly wrong with all
  }
  // Each variable of a template, and the rest as it stands.
  for (const std::string& whole : words_.templates) {
    const std::size_t open = whole.find('{');
    const std::size_t close = whole.find('}', open);
    if (close == std::string::npos || requests_.size() >= kMostRequests) continue;
    Place place{requests_.size(), Json::json_pointer("/params/uri")};
    for (std::size_t i = 0; i < count_swept_values(); ++i) {
      const Json value = Json::parse(swept_value(i).text, nullptr, false);
      if (!value.is_string() || value.get_ref<const std::string&>().size() > kLongestName) continue;
      const std::string uri =
          whole.substr(0, open) + value.get<std::string>() + expanded(whole.substr(close + 1));
      place.values.push_back(text_of(uri));
    }
    places_.push_back(std::move(place));
    requests_.push_back(
        {with_request_meta(words_, request_of("resources/read", {{"uri", expanded(whole)}})),
         "resources/read " + whole});
  }
}

void Sweep::add_prompts() {
  const bool completes = words_.capabilities.contains("completions");
  for (const Json& prompt : words_.prompts) {
    const std::string name = text_member(prompt, "name");
    const Json arguments = prompt_arguments(prompt);
    add(request_of("prompts/get", {{"name", name}, {"arguments", arguments}}),
        "prompts/get " + name);
    if (!completes || arguments.empty()) continue;
    add(request_of("completion/complete",
                   {{"ref", {{"type", "ref/prompt"}, {"name", name}}},
                    {"argument", {{"name", arguments.begin().key()}, {"value", "a"}}}}),
        "completion/complete " + name);
  }
  if (words_.capabilities.contains("logging") && words_.revision.has_set_level()) {
    add(request_of("logging/setLevel", {{"level", "info"}}), "logging/setLevel");
  }
}

void Sweep::add_cursors() {
  for (const char* list : {"tools", "resources", "prompts"}) {
    if (!words_.capabilities.contains(list)) continue;
    const std::string method = fmt::format("{}/list", list);
    const std::string cursor = words_.cursors.empty() ? "a" : words_.cursors.front();
    add(request_of(method, {{"cursor", cursor}}), method);
    Place inside{requests_.size() - 1, Json::json_pointer("/params/cursor")};
    for (const std::string& each : words_.cursors) {
      for (const std::string& value : changed_cursors(each)) {
        if (inside.values.size() < kMostCursors) inside.values.push_back(text_of(value));
      }
    }
    if (!inside.values.empty()) places_.push_back(std::move(inside));
  }
}

void Sweep::add_pairs() {
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    const auto& leaves = requests_[i].leaves;
    for (std::size_t a = 0; a < leaves.size(); ++a) {
      for (std::size_t b = a + 1; b < leaves.size() && pairs_.size() < kMostPairs; ++b) {
        const std::string outer = leaves[a].to_string() + "/";
        const bool is_inside = leaves[b].to_string().starts_with(outer);
        if (!is_inside) pairs_.push_back({{i, leaves[a]}, {i, leaves[b]}});
      }
    }
  }
}

std::optional<Case> Sweep::next(std::uint64_t id) {
  if (auto made = next_of_envelope(id)) return made;
  if (auto made = next_single(id)) return made;
  return next_pair(id);
}

std::optional<Case> Sweep::next_of_envelope(std::uint64_t id) {
  if (envelope_value_ >= count_swept_values() * envelope_.size()) return std::nullopt;
  const Place& place = envelope_[envelope_value_ / count_swept_values()];
  return make(place, swept_value(envelope_value_++ % count_swept_values()), id);
}

Case Sweep::make(const Place& place, const SweptValue& value, std::uint64_t id) const {
  const Request& request = requests_[place.request];
  Json message = request.message;
  message["id"] = id;
  return case_of(id,
                 shown(fmt::format("sweep: {} {}", request.name, place.pointer.to_string()), 120),
                 changed(message, place.pointer, value.text));
}

std::optional<Case> Sweep::next_single(std::uint64_t id) {
  if (places_.empty()) return std::nullopt;
  const std::size_t most = count_swept_values();
  while (true) {
    if (place_ >= places_.size()) {
      place_ = 0;
      ++value_;
    }
    if (value_ >= most && std::none_of(places_.begin(), places_.end(), [&](const Place& each) {
          return each.values.size() > value_;
        })) {
      return std::nullopt;
    }
    const Place& place = places_[place_++];
    const bool is_own = !place.values.empty();
    if (value_ >= (is_own ? place.values.size() : most)) continue;
    const SweptValue value = is_own ? SweptValue{"own", place.values[value_]} : swept_value(value_);
    return make(place, value, id);
  }
}

std::optional<Case> Sweep::next_pair(std::uint64_t id) {
  const auto values = paired_values();
  if (pair_ >= pairs_.size()) return std::nullopt;
  const auto& [first, second] = pairs_[pair_];
  const std::string one = swept_value(values[paired_value_ / values.size()]).text;
  const std::string other = swept_value(values[paired_value_ % values.size()]).text;
  const Request& request = requests_[first.request];
  const std::string origin =
      shown(fmt::format("sweep: {} {} and {}", request.name, first.pointer.to_string(),
                        second.pointer.to_string()),
            120);
  if (++paired_value_ >= values.size() * values.size()) {
    paired_value_ = 0;
    ++pair_;
  }
  Json message = request.message;
  message["id"] = id;
  // Both are put in as texts: not every value can be held by a Json.
  static constexpr std::string_view kSecond = "assay-second-place";
  if (other.empty()) {
    leave_out(message, second.pointer);
  } else {
    message[second.pointer] = kSecond;
  }
  std::string line = changed(message, first.pointer, one);
  const std::string quoted = "\"" + std::string(kSecond) + "\"";
  if (const std::size_t at = line.find(quoted); at != std::string::npos) {
    line.replace(at, quoted.size(), other);
  }
  return case_of(id, origin, line);
}

}  // namespace assay::fuzz
