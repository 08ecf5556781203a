// Finds the exchange of a faultless server that answers to one of a faulty server.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/rules/rule_examples.h"
#include "reports/excerpt.h"

namespace assay::cli {
namespace {

using nlohmann::json;
using reports::Evidence;

constexpr std::size_t kContextBeforeMatch = 2;
constexpr std::size_t kMostAnswers = 6;

bool is_ours(const Evidence& event) {
  return event.party == "client";
}

// The message in it; discarded if there is none.
json message_in(const Evidence& event) {
  const auto part = reports::json_part(event.text);
  if (!part) return json(json::value_t::discarded);
  return json::parse(event.text.substr(part->begin, part->end - part->begin), nullptr, false);
}

std::string method_named(const json& message) {
  if (!message.is_object() || !message.contains("method")) return "";
  const json& method = message["method"];
  return method.is_string() ? method.get<std::string>() : std::string();
}

// What two runs have in common of the same event: everything but ids and header fields.
std::string key_of(const Evidence& event) {
  json message = message_in(event);
  if (message.is_object()) {
    message.erase("id");
    return message.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return event.text.substr(0, event.text.find('\n'));
}

struct Place {
  const RecordedSession* session;
  std::size_t index;
};

// The first such event; those of the scenario come first.
template <typename Wanted>
std::optional<Place> find_event(std::span<const RecordedSession> sessions,
                                std::string_view scenario, Wanted is_wanted) {
  for (const bool in_scenario : {true, false}) {
    for (const RecordedSession& session : sessions) {
      if ((session.scenario == scenario) != in_scenario) continue;
      const auto found = std::find_if(session.events.begin(), session.events.end(), is_wanted);
      if (found != session.events.end()) {
        return Place{&session, static_cast<std::size_t>(found - session.events.begin())};
      }
    }
  }
  return std::nullopt;
}

std::optional<Place> find_like(std::span<const RecordedSession> sessions, std::string_view scenario,
                               const Evidence& wrong) {
  const std::string key = key_of(wrong);
  const std::string method = method_named(message_in(wrong));
  // Reading a message takes time, and there are many: only what may be it is read.
  const auto may_be = [&](const Evidence& event) {
    return is_ours(event) == is_ours(wrong) && event.text.find(method) != std::string::npos;
  };
  const auto same = find_event(sessions, scenario, [&](const Evidence& event) {
    return may_be(event) && key_of(event) == key;
  });
  if (same || method.empty()) return same;
  return find_event(sessions, scenario, [&](const Evidence& event) {
    return may_be(event) && method_named(message_in(event)) == method;
  });
}

// What answers the event: the response to its request, over HTTP with all that came before it.
std::vector<std::size_t> answers_to(const Place& place) {
  const auto& events = place.session->events;
  const Evidence& asked = events[place.index];
  const json request = message_in(asked);
  const bool is_http = asked.lane.starts_with("http");
  std::vector<std::size_t> out;
  for (std::size_t i = place.index + 1; i < events.size() && out.size() < kMostAnswers; ++i) {
    const Evidence& event = events[i];
    if (is_ours(event) || (is_http && event.lane != asked.lane)) continue;
    const json message = message_in(event);
    const bool is_response = message.is_object() && request.is_object() && request.contains("id") &&
                             method_named(message).empty() &&
                             message.value("id", json()) == request["id"];
    if (is_http || is_response) out.push_back(i);
    if (is_response) break;
  }
  return out;
}

std::vector<Evidence> show(const Place& place) {
  const auto& events = place.session->events;
  std::vector<std::size_t> proof = {place.index};
  if (is_ours(events[place.index])) {
    const auto answers = answers_to(place);
    proof.insert(proof.end(), answers.begin(), answers.end());
  }
  std::vector<Evidence> out;
  const std::size_t begin = place.index - std::min(place.index, kContextBeforeMatch);
  for (std::size_t i = begin; i <= proof.back(); ++i) {
    const bool is_proof = std::find(proof.begin(), proof.end(), i) != proof.end();
    if (!is_proof && i > place.index) continue;
    out.push_back(events[i]);
    out.back().is_context = !is_proof;
  }
  return out;
}

}  // namespace

std::vector<Evidence> matching_exchange(std::span<const RecordedSession> sessions,
                                        std::string_view scenario,
                                        std::span<const Evidence> wrong) {
  const auto last =
      std::find_if(wrong.rbegin(), wrong.rend(), [](const Evidence& e) { return !e.is_context; });
  // What was sent last as part of the proof tells most, then what was sent before it on its lane,
  // or anywhere; what only the server sent comes after that.
  using Wanted = std::function<bool(const Evidence&)>;
  const Wanted orders[] = {
      [](const Evidence& e) { return is_ours(e) && !e.is_context; },
      [&last](const Evidence& e) { return is_ours(e) && e.lane == last->lane; },
      [](const Evidence& e) { return is_ours(e); },
      [](const Evidence& e) { return !is_ours(e) && !method_named(message_in(e)).empty(); }};
  for (const Wanted& is_wanted : orders) {
    for (auto event = last; event != wrong.rend(); ++event) {
      if (!is_wanted(*event)) continue;
      if (const auto place = find_like(sessions, scenario, *event)) return show(*place);
    }
  }
  return {};
}

}  // namespace assay::cli
