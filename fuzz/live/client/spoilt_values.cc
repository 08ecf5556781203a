// Answers whose values are wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

#include "fuzz/live/client/spoiling.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/values/odd_values.h"

namespace assay::fuzz {
namespace {

using model::Random;

constexpr std::size_t kMostPlaces = 2000;
// So often, in percent, a place is what stands right in the elements of a list, or above.
constexpr std::size_t kShallow = 60;
constexpr std::ptrdiff_t kShallowDepth = 3;
constexpr std::string_view kMemberNumbers[] = {"-1",
                                               "0",
                                               "2147483648",
                                               "4294967296",
                                               "9007199254740993",
                                               "1e308",
                                               "1e400",
                                               "9223372036854775807",
                                               "-2147483649",
                                               "18446744073709551616",
                                               "1000000000000000",
                                               "0.5"};
constexpr const char* kMembers[] = {"ttl",          "ttlMs",        "pollInterval",
                                    "nextCursor",   "_meta",        "isError",
                                    "task",         "annotations",  "structuredContent",
                                    "inputSchema",  "outputSchema", "icons",
                                    "total",        "size",         "priority",
                                    "lastModified", "requestState", "inputRequests",
                                    "capabilities", "execution",    "cacheScope",
                                    "resultType",   "content",      "protocolVersion"};
// Members that hold numbers.
constexpr const char* kNumberMembers[] = {"ttl",  "ttlMs",    "pollInterval", "total",
                                          "size", "priority", "progress"};

void collect(const Json& value, const std::string& at, std::vector<std::string>& places) {
  if (places.size() >= kMostPlaces) return;
  places.push_back(at);
  if (!value.is_structured()) return;
  for (const auto& [key, member] : value.items()) {
    std::string name = key;
    for (std::size_t i = 0; i < name.size(); ++i) {
      if (name[i] == '~' || name[i] == '/') name.replace(i, 1, name[i] == '~' ? "~0" : "~1"), ++i;
    }
    collect(member, at + "/" + name, places);
  }
}

// Some place inside of the result; the result itself where there is nothing in it. What stands in
// each element of a list is as likely as what there is only one of.
std::string some_place(const SpoiltAnswer& answer, Random& random) {
  std::vector<std::string> places;
  collect(answer.json.at("result"), "", places);
  std::map<std::string, std::vector<std::string>> kinds;
  const std::ptrdiff_t deepest = random.chance(kShallow) ? kShallowDepth : PTRDIFF_MAX;
  for (const std::string& at : places) {
    const bool is_near = std::count(at.begin(), at.end(), '/') <= deepest;
    if (!at.empty() && is_near) kinds[without_indexes(at)].push_back(at);
  }
  if (kinds.empty()) return "";
  const auto kind =
      std::next(kinds.begin(), static_cast<std::ptrdiff_t>(random.below(kinds.size())));
  return random.pick(kind->second);
}

void put(SpoiltAnswer& answer, const std::string& at, std::string_view label,
         std::string_view text) {
  answer.bytes = with_value(answer.json, Json::json_pointer("/result" + at), text);
  answer.after.label = fmt::format("{} at {}", label, at.empty() ? "the result" : at);
}

void change_value(SpoiltAnswer& answer, Random& random) {
  if (!answer.has_result()) return;
  const OddValue odd = odd_value(random);
  put(answer, some_place(answer, random), odd.label, odd.text);
}

void drop_member(SpoiltAnswer& answer, Random& random) {
  if (!answer.has_result()) return;
  const std::string at = some_place(answer, random);
  if (at.empty()) return;
  const Json::json_pointer pointer(at);
  Json& above = answer.result()[pointer.parent_pointer()];
  if (above.is_object()) {
    above.erase(pointer.back());
  } else {
    above.erase(static_cast<std::size_t>(std::stoul(pointer.back())));
  }
  answer.after.label = "without " + at;
}

// The list that the method gives: "resourceTemplates" of "resources/templates/list".
const char* list_of(std::string_view method) {
  if (method == "resources/templates/list") return "resourceTemplates";
  if (method == "resources/list") return "resources";
  if (method == "prompts/list") return "prompts";
  return method == "tasks/list" ? "tasks" : "tools";
}

// What is listed lacks something, each element the same: a list comes but once or twice in a
// launch.
void drop_listed(SpoiltAnswer& answer, Random& random) {
  const char* name = list_of(answer.place.method);
  if (!answer.has_result() || !answer.result().is_object()) return;
  Json& list = answer.result()[name];
  if (!list.is_array() || list.empty() || !list.front().is_object() || list.front().empty()) return;
  std::vector<std::string> members;
  for (const auto& [key, value] : list.front().items()) members.push_back(key);
  const std::string& member = random.pick(members);
  for (Json& each : list) {
    if (each.is_object()) each.erase(member);
  }
  answer.after.label = "nothing listed has " + member;
}

// A member that belongs somewhere, with something that does not belong there.
void add_member(SpoiltAnswer& answer, Random& random) {
  if (!answer.has_result()) return;
  std::vector<std::string> places;
  collect(answer.result(), "", places);
  std::vector<std::string> objects;
  for (const std::string& at : places) {
    if (answer.result()[Json::json_pointer(at)].is_object()) objects.push_back(at);
  }
  if (objects.empty()) return;
  const std::string at = random.chance(50) ? objects.front() : random.pick(objects);
  const bool is_number = random.chance(50);
  const char* name = is_number ? random.pick(kNumberMembers) : random.pick(kMembers);
  const std::string text =
      is_number ? std::string(random.pick(kMemberNumbers)) : odd_value(random).text;
  answer.result()[Json::json_pointer(at)][name] = nullptr;
  put(answer, at + "/" + name, is_number ? text : "an odd value", text);
  answer.after.may_wait = true;  // a poll interval may be among them
}

void whole_result(SpoiltAnswer& answer, Random& random) {
  if (!answer.has_result()) return;
  static constexpr std::string_view kResults[] = {"null", "null", R"("a string")",    "[]", "[1]",
                                                  "0",    "true", R"([{"tools":[]}])"};
  const std::string_view text = random.pick(kResults);
  put(answer, "", text, text);
}

void nest(SpoiltAnswer& answer, Random& random) {
  if (!answer.has_result()) return;
  static constexpr std::size_t kDepths[] = {60, 120, 120, 300, 500, 2000, 10'000};
  const std::size_t depth = random.pick(kDepths);
  const bool is_array = random.chance(50);
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += is_array ? "[" : R"({"properties":)";
  if (!is_array) text += "1";
  for (std::size_t i = 0; i < depth; ++i) text += is_array ? "]" : "}";
  put(answer, some_place(answer, random), fmt::format("{} levels", depth), text);
}

void swell(SpoiltAnswer& answer, Random& random) {
  if (!answer.has_result()) return;
  static constexpr std::size_t kSizes[] = {100u << 10, 2u << 20, 2u << 20, 10u << 20};
  const std::size_t size = random.pick(kSizes);
  put(answer, some_place(answer, random), fmt::format("{} bytes", size),
      "\"" + std::string(size, 'A') + "\"");
}

// A schema that refers to what stands elsewhere.
void refer(SpoiltAnswer& answer, Random& random) {
  if (!answer.has_result()) return;
  static constexpr const char* kSchemas[] = {"inputSchema", "inputSchema", "outputSchema"};
  const char* name = random.pick(kSchemas);
  const Json schema = {{"type", "object"},
                       {"properties", {{"a", {{"$ref", answer.canary}}}}},
                       {"$ref", answer.canary}};
  Json& result = answer.result();
  if (!result.is_object() || !result.contains("tools") || !result["tools"].is_array()) return;
  for (Json& tool : result["tools"]) {
    if (tool.is_object()) tool[name] = schema;
  }
  answer.after.label = fmt::format("a $ref to this machine in {}", name);
}

// A cursor that the reference server never gave out is refused by it, and served here.
void same_cursor(SpoiltAnswer& answer, Random& /*random*/) {
  if (!answer.has_result()) {
    answer.json.erase("error");
    answer.json["result"] = {{list_of(answer.place.method), Json::array()}};
    if (!answer.place.has_handshake) {
      answer.result().update({{"resultType", "complete"}, {"ttlMs", 0}, {"cacheScope", "private"}});
    }
  }
  if (!answer.result().is_object()) return;
  answer.result()["nextCursor"] = "assay-again";
  answer.after.label = "the same nextCursor";
}

void some_cursor(SpoiltAnswer& answer, Random& random) {
  if (!answer.has_result() || !answer.result().is_object()) return;
  answer.result()["nextCursor"] = nullptr;
  const OddValue odd = odd_value(random);
  put(answer, "/nextCursor", odd.label, odd.text);
}

bool does_list(const SpoilPlace& place) {
  return place.lists();
}
bool does_list_tools(const SpoilPlace& place) {
  return place.method == "tools/list";
}

}  // namespace

std::vector<Operator> value_operators() {
  return {
      {.name = "value", .weight = 30, .answer = change_value},
      {.name = "missing-member", .weight = 15, .answer = drop_member},
      {.name = "odd-member", .weight = 15, .answer = add_member},
      {.name = "odd-result", .weight = 10, .answer = whole_result},
      {.name = "deep-value", .weight = 6, .answer = nest},
      {.name = "large-value", .weight = 2, .answer = swell},
      {.name = "schema-reference", .weight = 30, .fits = does_list_tools, .answer = refer},
      {.name = "unlisted-member", .weight = 30, .fits = does_list, .answer = drop_listed},
      {.name = "same-cursor",
       .weight = 8,
       .is_lasting = true,
       .fits = does_list,
       .answer = same_cursor},
      {.name = "odd-cursor", .weight = 8, .fits = does_list, .answer = some_cursor},
  };
}

}  // namespace assay::fuzz
