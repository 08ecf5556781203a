// What requests that stand alone carry, gone wrong: `_meta`, the state of a request that took
// several rounds, what a subscription asks for, and the headers that repeat parts of it all.
//
// Specification of 2026-07-28: basic, "_meta"; basic/patterns/mrtr; basic/patterns/subscriptions;
// basic/transports/streamable-http, "Request Metadata".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <utility>

#include "fuzz/live/judge/http_rules.h"
#include "fuzz/live/judge/refusals.h"
#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/values/odd_values.h"
#include "fuzz/live/values/request_states.h"
#include "reference/transport/header_value.h"
#include "reference/wire/compose.h"

namespace assay::fuzz {
namespace {

const Json::json_pointer& meta_place() {
  static const Json::json_pointer kPlace("/params/_meta");
  return kPlace;
}

// The last part of a key: "clientInfo".
std::string short_name(const std::string& key) {
  return key.substr(key.rfind('/') + 1);
}

// A member that one of ours repeats, with another value in front of it.
std::string with_twin(const std::string& text, const std::string& key, const std::string& value) {
  const std::string member = "\"" + key + "\":";
  const std::size_t at = text.find(member);
  return at == std::string::npos ? text
                                 : text.substr(0, at) + member + value + "," + text.substr(at);
}

Json many_members() {
  Json many = Json::object();
  for (int i = 0; i < 300; ++i) many[fmt::format("com.example/assay-{}", i)] = i;
  return many;
}

struct MetaExtra {
  const char* key;
  const char* value;
};
constexpr MetaExtra kMetaExtras[] = {
    {"io.modelcontextprotocol/logLevel", "\"debug\""},
    {"io.modelcontextprotocol/logLevel", "\"assay\""},
    {"io.modelcontextprotocol/logLevel", "7"},
    {"io.modelcontextprotocol/subscriptionId", "\"assay-no-such\""},
    {"io.modelcontextprotocol/serverInfo", "{\"name\":1}"},
    {"io.modelcontextprotocol/assay-no-such", "[]"},
    {"traceparent", "\"00-0-0-zz\""},
    {"traceparent", "{}"},
    {"baggage", "\"a=b,;=,%\""},
    {"progressToken", "{\"a\":1}"},
    {"-assay.//", "1"},
    {"", "null"},
};

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

// What stands in a header field instead of its value; nothing: the field is left out.
struct OddField {
  const char* label;
  std::string (*make)(const std::string& value);
};
constexpr OddField kOddFields[] = {
    {"missing", [](const std::string&) { return std::string(); }},
    {"other", [](const std::string&) { return std::string(kNoSuch); }},
    {"upper-case", [](const std::string& value) { return upper(value); }},
    {"coded",
     [](const std::string& value) { return transport::encode_header_value_in_base64(value); }},
    {"badly-coded", [](const std::string&) { return std::string("=?base64?!!!!?="); }},
    {"half-coded", [](const std::string& value) { return "=?base64?" + value; }},
    {"bytes", [](const std::string& value) { return value + "\xC3\xA9\xFF"; }},
    {"long", [](const std::string&) { return std::string(8000, 'a'); }},
    {"spaces", [](const std::string& value) { return value + " \t" + value; }},
    {"other-coded",
     [](const std::string&) { return transport::encode_header_value_in_base64(kNoSuch); }},
};

// Versions that a server may not know, far from the one that is spoken and near it.
std::array<std::string, 8> odd_versions(const std::string& spoken) {
  std::string other = spoken;
  if (!other.empty()) ++other.back();
  return {"",           "2025-11-25", "2024-11-05",  other,
          spoken + ' ', "latest",     spoken + '\n', "2099-12-31"};
}

}  // namespace

Case Generator::odd_meta() {
  Case made;
  Json whole = request(made);
  Json& meta = whole["params"]["_meta"];
  auto key_at = meta.begin();
  std::advance(key_at, static_cast<std::ptrdiff_t>(random_.below(meta.size())));
  const std::string key = key_at.key();
  std::string text;
  switch (random_.below(10)) {
    case 0:
      made.origin = "meta: without " + short_name(key);
      meta.erase(key);
      break;
    case 1:
      made.origin = "meta: none";
      whole["params"].erase("_meta");
      break;
    case 2: {
      const OddValue odd = odd_value(random_);
      made.origin = fmt::format("meta: {} {}", short_name(key), odd.label);
      text = with_value(whole, meta_place() / key, odd.text);
      break;
    }
    case 3:
      made.origin = "meta: twice " + short_name(key);
      text = with_twin(text_of(whole), key, random_.chance(50) ? "null" : text_of(meta[key]));
      break;
    case 4:
      made.origin = "meta: twice itself";
      text = with_twin(text_of(whole), "_meta", random_.chance(50) ? "{}" : text_of(meta));
      break;
    case 5:
      made.origin = "meta: no such version";
      meta[kVersionInMeta] = std::string(kNoVersion);
      break;
    case 6:
      made.origin = "meta: odd version";
      meta[kVersionInMeta] = random_.pick(odd_versions(std::string(words_.revision.text())));
      break;
    case 7:
      made.origin = "meta: many members";
      meta.update(many_members());
      break;
    case 8:
      made.origin = "meta: no capabilities";
      meta[kCapabilitiesInMeta] = Json::object();
      break;
    default: {
      const MetaExtra& extra = random_.pick(kMetaExtras);
      made.origin = fmt::format("meta: with {}", short_name(extra.key));
      text = with_value(whole, meta_place() / extra.key, extra.value);
      break;
    }
  }
  made.steps.push_back(line_step(text.empty() ? text_of(whole) : text));
  return made;
}

// A request that is answered by asking for input, and the same again with the input; wrong in the
// state or in the input.
Case Generator::input_round() {
  Case made;
  const InputRound& round = random_.pick(words_.rounds);
  Json asked = with_request_meta(words_, round.request);
  const std::uint64_t first = new_id(made);
  asked["id"] = first;
  const auto change = static_cast<StateChange>(random_.below(std::size_t(StateChange::kCount)));
  const std::size_t roll = random_.below(10);
  Json again = roll == 0 ? with_request_meta(words_, random_.pick(words_.rounds).request) : asked;
  again["id"] = new_id(made);
  Json& params = again["params"];
  params["requestState"] = state_place(first, roll < 5 ? change : StateChange::kNone);
  if (round.responses.is_object()) params["inputResponses"] = round.responses;
  made.origin = fmt::format("round: state {}{}", name(change), roll == 0 ? " moved" : "");
  std::string text;
  if (roll >= 5) {
    static constexpr const char* kLabels[] = {"replayed", "nothing given", "extra", "odd state",
                                              "odd input"};
    made.origin = fmt::format("round: {}", kLabels[roll - 5]);
    if (roll == 6) params.erase("inputResponses");
    if (roll == 7) params["inputResponses"]["assay-extra"] = {{"action", "accept"}};
    if (roll == 8) {
      text =
          with_value(again, Json::json_pointer("/params/requestState"), odd_string(random_).text);
    }
    const Json responses = params.value("inputResponses", Json());
    if (roll == 9 && responses.is_object() && !responses.empty()) {
      const Json::json_pointer at = Json::json_pointer("/params/inputResponses");
      const auto inside = random_.chance(30) ? at : at / responses.begin().key();
      text = with_value(again, inside, odd_value(random_).text);
    }
  }
  if (text.empty()) text = text_of(again);
  made.steps = {line_step(text_of(asked)), line_step(text)};
  made.steps[0].waits = true;
  if (roll == 5) {
    made.steps[1].waits = true;
    again["id"] = new_id(made);
    made.steps.push_back(line_step(text_of(again)));
  }
  return made;
}

// Every subscription is ended by its case: over stdio with the same write, over HTTP with the
// stream.
Case Generator::listening() {
  Case made;
  Json filter = Json::object();
  for (const char* type : {"toolsListChanged", "promptsListChanged", "resourcesListChanged"}) {
    if (random_.chance(50)) filter[type] = random_.chance(60);
  }
  Json uris = Json::array();
  for (const std::string& uri : words_.resources) {
    if (uris.size() < 3 && random_.chance(40)) uris.push_back(uri);
  }
  if (random_.chance(20)) uris.push_back(fmt::format("{}://nothing", kNoSuch));
  if (random_.chance(10)) uris.insert(uris.end(), 200, "test://again");
  if (random_.chance(70)) filter["resourceSubscriptions"] = uris;
  Json whole = request(made, "subscriptions/listen", {{"notifications", filter}});
  made.origin = "listen: filter";
  std::string text = text_of(whole);
  if (random_.chance(50)) {
    const OddValue odd = odd_value(random_);
    static constexpr const char* kMembers[] = {"toolsListChanged", "resourceSubscriptions",
                                               "assay"};
    Json::json_pointer at("/params/notifications");
    if (random_.chance(80)) at /= random_.pick(kMembers);
    if (random_.chance(30) && at.back() == "resourceSubscriptions" && !uris.empty() &&
        filter.contains("resourceSubscriptions")) {
      at /= 0;
    }
    made.origin = fmt::format("listen: {}", odd.label);
    text = with_value(whole, at, odd.text);
  }
  Step step = line_step(text);
  if (is_http_) {
    step.kind = Step::Kind::kHttp;
    step.end = random_.chance(80) ? Step::End::kRead : Step::End::kAbandon;
  } else {
    step.bytes +=
        text_of(wire::make_notification("notifications/cancelled", {{"requestId", whole["id"]}})) +
        "\n";
  }
  made.steps = {step};
  return made;
}

// What a server hears first.
Case Generator::first_of_all() {
  Case made;
  const std::string usual = text_of(request(made));
  const std::size_t roll = random_.below(6);
  static constexpr const char* kLabels[] = {"request",    "initialize", "garbage",
                                            "no-version", "answer",     "cancellation"};
  made.origin = fmt::format("first: {}", kLabels[roll]);
  auto& steps = made.steps;
  switch (roll) {
    case 0:
      break;
    case 1:
      steps = {line_step(
          text_of(wire::make_request(wire::Id::of_string("assay-first"), "initialize",
                                     {{"protocolVersion", words_.revision.text()},
                                      {"capabilities", Json::object()},
                                      {"clientInfo", {{"name", "assay"}, {"version", "1"}}}})))};
      break;
    case 2:
      steps = {line_step(odd_value(random_).text)};
      break;
    case 3: {
      Json bare = request(made);
      bare["params"].erase("_meta");
      steps = {line_step(text_of(bare))};
      break;
    }
    case 4:
      steps = {line_step(R"({"jsonrpc":"2.0","id":1,"result":{}})")};
      break;
    default:
      steps = {line_step(text_of(
          wire::make_notification("notifications/cancelled", {{"requestId", "assay-first"}})))};
      break;
  }
  steps.push_back(line_step(usual));
  return made;
}

// A call of a tool whose arguments are repeated, of which there are few, or any request.
Json Generator::request_with_fields(Case& made) {
  if (random_.chance(40)) {
    for (const Json& tool : words_.tools) {
      const std::string name = text_member(tool, "name");
      if (words_.mirrored.of(name) == nullptr || random_.chance(50)) continue;
      const Json schema = tool.value("inputSchema", Json::object());
      return request(made, "tools/call", {{"name", name}, {"arguments", full_arguments(schema)}});
    }
  }
  return request(made);
}

Case Generator::odd_repeated_field() {
  Case made;
  const std::string body = text_of(request_with_fields(made));
  const transport::Headers fields = repeated_fields(words_, body);
  // The one that was odd least often is so in its next way: those that few requests have are not
  // left behind.
  const auto least = std::min_element(fields.begin(), fields.end(), [&](auto& left, auto& right) {
    return field_turns_[left.first] < field_turns_[right.first];
  });
  const auto& [field, value] = *least;
  const OddField& odd = kOddFields[field_turns_[field]++ % std::size(kOddFields)];
  made.origin = fmt::format("field: {} {}", field, odd.label);
  Step step = line_step(body);
  step.kind = Step::Kind::kHttp;
  step.headers = {{field, odd.make(value)}};
  made.steps = {step};
  return made;
}

}  // namespace assay::fuzz
