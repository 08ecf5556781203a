// Several messages in an order that means something: cancellations, answers nobody asked for,
// batches, and what comes before there is a session.
#include <fmt/format.h>

#include "fuzz/live/judge/refusals.h"
#include "fuzz/live/operators/generator.h"
#include "fuzz/live/values/odd_values.h"

namespace assay::fuzz {
namespace {

Json notification(std::string_view method, Json params = nullptr) {
  Json out = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null()) out["params"] = std::move(params);
  return out;
}

}  // namespace

Case Generator::cancelled() {
  Case made;
  const Json asked = request(made);
  const std::string line = text_of(asked);
  const std::string cancel = text_of(
      notification("notifications/cancelled", {{"requestId", asked["id"]}, {"reason", "assay"}}));
  const std::size_t roll = random_.below(6);
  static constexpr const char* kLabels[] = {"at-once", "first",  "finished",
                                            "twice",   "nobody", "odd-id"};
  made.origin = fmt::format("cancel: {}", kLabels[roll]);
  auto& steps = made.steps;
  switch (roll) {
    case 0:
      steps = {line_step(line), line_step(cancel)};
      steps[0].overlaps = true;
      break;
    case 1:
      steps = {line_step(cancel), line_step(line)};
      break;
    case 2:
      steps = {line_step(line), line_step(cancel)};
      steps[0].waits = true;
      break;
    case 3:
      steps = {line_step(line), line_step(cancel), line_step(cancel)};
      break;
    case 4:
      steps = {line_step(text_of(notification(
          "notifications/cancelled", {{"requestId", fmt::format("{}-request", kNoSuch)}})))};
      break;
    default:
      steps = {line_step(with_value(
          notification("notifications/cancelled", {{"requestId", 1}, {"reason", "assay"}}),
          Json::json_pointer(random_.chance(70) ? "/params/requestId" : "/params/reason"),
          odd_id(random_).text))};
      break;
  }
  return made;
}

Case Generator::unasked_answer() {
  Case made;
  const std::size_t roll = random_.below(5);
  static constexpr const char* kLabels[] = {"result", "error", "both", "no-id", "odd-id"};
  made.origin = fmt::format("answer: {}", kLabels[roll]);
  Json answer = {{"jsonrpc", "2.0"}, {"id", random_.below(20)}};
  if (roll == 0 || roll == 2 || roll == 4) answer["result"] = Json::object();
  if (roll == 1 || roll == 2) answer["error"] = {{"code", -32603}, {"message", "assay"}};
  if (roll == 3) {
    answer["id"] = nullptr;
    answer["error"] = {{"code", -32700}, {"message", "Parse error"}};
  }
  std::string text = text_of(answer);
  if (roll == 4) {
    text = with_value(std::move(answer), Json::json_pointer("/id"), odd_id(random_).text);
  }
  made.steps = {line_step(text)};
  return made;
}

Case Generator::batched() {
  Case made;
  const std::size_t roll = random_.below(8);
  static constexpr const char* kLabels[] = {"empty",  "numbers", "requests", "same-id",
                                            "nested", "many",    "notify",   "mixed"};
  made.origin = fmt::format("batch: {}", kLabels[roll]);
  Json batch = Json::array();
  switch (roll) {
    case 0:
      break;
    case 1:
      batch = {1, nullptr, "x", true};
      break;
    case 2:
      for (std::size_t i = 0; i < 3; ++i) batch.push_back(request(made));
      break;
    case 3: {
      const Json one = request(made);
      batch = Json::array({one, one});
      break;
    }
    case 4:
      batch = Json::array({Json::array({request(made)})});
      break;
    case 5:
      for (std::size_t i = 0; i < 200; ++i) batch.push_back(fence(made));
      break;
    case 6:
      for (std::size_t i = 0; i < 3; ++i) {
        batch.push_back(notification("notifications/cancelled", {{"requestId", i}}));
      }
      break;
    default:
      batch = Json::array({request(made), 1, notification("notifications/initialized"),
                           Json::object({{"jsonrpc", "2.0"}, {"id", 1}, {"result", nullptr}})});
      break;
  }
  made.steps = {line_step(text_of(batch))};
  return made;
}

Case Generator::same_id_twice() {
  Case made;
  const Json one = request(made);
  Json other = request(made);
  other["id"] = one["id"];
  made.origin = "order: same-id";
  made.steps = {line_step(text_of(one)), line_step(text_of(other))};
  if (random_.chance(50)) made.steps[0].waits = true;
  made.steps[0].overlaps = !made.steps[0].waits;
  return made;
}

Case Generator::many_at_once() {
  Case made;
  made.origin = "order: many-at-once";
  for (std::size_t i = 0; i < 24; ++i) {
    made.steps.push_back(line_step(text_of(request(made))));
    made.steps.back().overlaps = true;
  }
  return made;
}

Case Generator::odd_notification() {
  Case made;
  static constexpr const char* kMethods[] = {
      "notifications/initialized", "notifications/progress", "notifications/roots/list_changed",
      "notifications/cancelled",   "notifications/message",  "notifications/assay-no-such"};
  const std::string method = random_.pick(kMethods);
  Json params = {{"progressToken", 1}, {"progress", 1}, {"requestId", 1}, {"level", "info"}};
  Json whole = notification(method, random_.chance(70) ? params : Json());
  if (random_.chance(40) || !whole.contains("params")) {
    made.origin = "notification: " + method;
    made.steps = {line_step(text_of(whole))};
    return made;
  }
  const OddValue odd = odd_value(random_);
  made.origin = fmt::format("notification: {} {}", method, odd.label);
  const auto at = places(whole, true);
  made.steps = {line_step(with_value(std::move(whole), random_.pick(at), odd.text))};
  return made;
}

// Standard input comes to its end: while requests are under way, in mid-line, or at once.
Case Generator::ended_input() {
  Case made;
  const std::string begin = text_of(request(made, "initialize", words_.initialize_params));
  const std::size_t roll = random_.below(5);
  static constexpr const char* kLabels[] = {"at-once", "begun", "asked", "much-asked", "mid-line"};
  made.origin = fmt::format("end of input: {}", kLabels[roll]);
  made.steps = {line_step(begin)};
  if (roll > 0) {
    made.steps[0].waits = true;
    made.steps.push_back(line_step(text_of(notification("notifications/initialized"))));
  }
  const std::size_t count = roll == 3 ? 24 : roll >= 2 ? 1 : 0;
  for (std::size_t i = 0; i < count; ++i) made.steps.push_back(line_step(text_of(request(made))));
  std::string& last = made.steps.back().bytes;
  if (roll == 4) last.resize(last.size() / 2);
  made.steps.back().end = Step::End::kHalfClose;
  return made;
}

Case Generator::before_lifecycle() {
  Case made;
  Json begin = request(made, "initialize", words_.initialize_params);
  const std::string initialized = text_of(notification("notifications/initialized"));
  const std::size_t roll = random_.below(9);
  static constexpr const char* kLabels[] = {"request-first", "initialized-first", "twice",
                                            "odd-version",   "odd-params",        "between",
                                            "cancel-begin",  "garbage-first",     "odd-id"};
  made.origin = fmt::format("lifecycle: {}", kLabels[roll]);
  auto& steps = made.steps;
  const std::string line = text_of(begin);
  switch (roll) {
    case 0:
      steps = {line_step(text_of(request(made))), line_step(line), line_step(initialized)};
      break;
    case 1:
      steps = {line_step(initialized), line_step(text_of(request(made))), line_step(line)};
      break;
    case 2: {
      Json again = begin;
      again["id"] = new_id(made);
      steps = {line_step(line), line_step(initialized), line_step(text_of(again)),
               line_step(text_of(request(made)))};
      break;
    }
    case 3: {
      static constexpr const char* kVersions[] = {"",           "1999-01-01", "2025-11-26",
                                                  "2024-11-05", "2099-12-31", "latest"};
      begin["params"]["protocolVersion"] = random_.pick(kVersions);
      steps = {line_step(text_of(begin)), line_step(initialized),
               line_step(text_of(request(made)))};
      break;
    }
    case 4: {
      const auto at = places(begin, true);
      steps = {line_step(with_value(begin, random_.pick(at), odd_value(random_).text)),
               line_step(initialized), line_step(text_of(request(made)))};
      break;
    }
    case 5:
      steps = {line_step(line), line_step(text_of(request(made))),
               line_step(text_of(request(made)))};
      break;
    case 6:
      steps = {
          line_step(line),
          line_step(text_of(notification("notifications/cancelled", {{"requestId", begin["id"]}}))),
          line_step(initialized), line_step(text_of(request(made)))};
      break;
    case 7:
      steps = {line_step(odd_value(random_).text), line_step(line), line_step(initialized)};
      break;
    default:
      steps = {line_step(with_value(begin, Json::json_pointer("/id"), odd_id(random_).text)),
               line_step(initialized)};
      break;
  }
  return made;
}

}  // namespace assay::fuzz
