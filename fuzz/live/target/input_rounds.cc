#include "fuzz/live/target/input_rounds.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/courtesy.h"
#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

// A tool that takes its time is no loss, and all of them together may not take ours.
constexpr std::chrono::milliseconds kMostForOne{1000};
constexpr std::chrono::milliseconds kMostForAll{5000};

std::vector<Json> askable_requests(const Vocabulary& words) {
  std::vector<Json> all;
  const auto add = [&](const char* method, Json params) {
    if (all.size() < kMostAskedForRounds) {
      all.push_back({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
    }
  };
  for (const Json& tool : words.tools) {
    add("tools/call", {{"name", tool["name"]},
                       {"arguments", full_arguments(tool.value("inputSchema", Json::object()))}});
  }
  for (const Json& prompt : words.prompts) {
    add("prompts/get", {{"name", prompt["name"]}, {"arguments", prompt_arguments(prompt)}});
  }
  for (const std::string& uri : words.resources) add("resources/read", {{"uri", uri}});
  return all;
}

Json polite_responses(const Json& requests, const Vocabulary& words) {
  if (!requests.is_object()) return nullptr;
  const auto handlers = our_handlers(words);
  Json responses = Json::object();
  for (const auto& [key, request] : requests.items()) {
    const auto handler = handlers.find(text_member(request, "method"));
    if (handler == handlers.end() || !request.is_object()) continue;
    const harness::Answer answer = handler->second(request.value("params", Json::object()));
    if (const Json* result = std::get_if<Json>(&answer)) responses[key] = *result;
  }
  return responses;
}

}  // namespace

void take_input_rounds(harness::Connection& connection, Vocabulary& words) {
  const auto end = std::chrono::steady_clock::now() + kMostForAll;
  for (Json& request : askable_requests(words)) {
    if (words.rounds.size() >= kMostRounds || std::chrono::steady_clock::now() >= end) return;
    const auto pending =
        connection.start(request["method"].get<std::string>(), Json(request["params"]));
    const harness::Reply reply =
        connection.await(pending, std::min(kMostForOne, connection.patience().request));
    if (!reply.is_result() || !reply.result().is_object()) continue;
    if (text_member(reply.result(), "resultType") != "input_required") continue;
    const Json asked = reply.result().value("inputRequests", Json());
    words.rounds.push_back({std::move(request), polite_responses(asked, words)});
  }
}

}  // namespace assay::fuzz
