#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "harness/script/json_member.h"
#include "harness/surface/schema_difference.h"
#include "harness/surface/surface.h"

namespace assay::harness {
namespace {

using Kind = SurfaceChange::Kind;

constexpr int kDeepestProperty = 8;
constexpr std::array kConditional = {"then", "else"};
constexpr std::size_t kMostNamed = 5;  // things of one kind that came or went, each in a line

// Collects changes of one thing that the server offers.
class Changes {
 public:
  explicit Changes(std::vector<SurfaceChange>& all) : all_(all) {}
  void at(std::string where) { where_ = std::move(where); }
  void add(Kind kind, std::string what, Json example = nullptr) {
    if (all_.size() >= kMostSurfaceChanges) return;
    all_.push_back({kind, where_, std::move(what), std::move(example)});
  }

 private:
  std::vector<SurfaceChange>& all_;
  std::string where_;
};

// Which way values travel: arguments go to the server, results come from it.
enum class Flow { kToServer, kFromServer };

// "/fields/0/ref" as a name: "fields[].ref".
std::string name_of(const std::string& pointer) {
  std::string name;
  std::size_t begin = 1;
  while (begin < pointer.size()) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    const std::string key = pointer.substr(begin, end - begin);
    const bool is_index = key.find_first_not_of("0123456789") == std::string::npos;
    if (!is_index && !name.empty()) name += '.';
    name += is_index ? "[]" : key;
    begin = end + 1;
  }
  return name;
}

// Properties that are not described any more and refused, by name, each with a value that has it.
// compare_properties() takes out what it tells of.
using Refused = std::map<std::string, Json>;

// Whether a part of the schema that holds beside `properties`, or in place of them, may describe
// the property: then it is not gone, and the values that were tried tell what changed.
bool is_described_elsewhere(const Json& schema, const std::string& key, int depth) {
  if (depth > kDeepestProperty || schema.contains("$ref")) return true;
  const auto describes = [&](const Json& part) {
    return part.is_object() && (member(part, "properties").contains(key) ||
                                is_described_elsewhere(part, key, depth + 1));
  };
  for (const char* list : {"anyOf", "oneOf", "allOf"}) {
    const Json& parts = array_member(schema, list);
    if (std::any_of(parts.begin(), parts.end(), describes)) return true;
  }
  return std::any_of(kConditional.begin(), kConditional.end(),
                     [&](const char* name) { return describes(member(schema, name)); });
}

// The properties that one schema describes and the other does not, at every depth.
void compare_properties(const Json& before, const Json& after, Flow flow, const std::string& path,
                        int depth, Refused& refused, Changes& changes) {
  if (depth > kDeepestProperty) return;
  const char* thing = flow == Flow::kToServer ? "argument" : "member of the result";
  const Json& old_properties = member(before, "properties");
  const Json& new_properties = member(after, "properties");
  if (old_properties.is_object()) {
    for (const auto& [key, property] : old_properties.items()) {
      const Json& now = member(new_properties, key);
      const std::string name = path.empty() ? key : path + "." + key;
      if (now.is_null() && is_described_elsewhere(after, key, depth)) continue;
      if (now.is_null()) {
        const auto example = refused.extract(name);
        const char* more = example.empty() ? "" : ", and refused";
        changes.add(Kind::kBreaking, fmt::format("the {} '{}' is gone{}", thing, name, more),
                    example.empty() ? Json() : example.mapped());
      } else {
        compare_properties(property, now, flow, name, depth + 1, refused, changes);
      }
    }
  }
  if (new_properties.is_object()) {
    for (const auto& [key, property] : new_properties.items()) {
      if (!old_properties.is_object() || !old_properties.contains(key)) {
        changes.add(Kind::kHarmless, fmt::format("there is a new {}, '{}'", thing,
                                                 path.empty() ? key : path + "." + key));
      }
    }
  }
  if (member(before, "items").is_object() && member(after, "items").is_object()) {
    compare_properties(before["items"], after["items"], flow, path + "[]", depth + 1, refused,
                       changes);
  }
}

struct Described {
  const Json* schema = nullptr;  // of the place; null if nothing says what it is
  // The place is a property that is not described: an argument that no client sends yet, or a
  // member of a result that clients pass over.
  bool is_unknown_property = false;
};

Described described_at(const Json& schema, const std::string& pointer) {
  const Json* at = &schema;
  std::size_t begin = 1;
  while (begin <= pointer.size() && !pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', begin), pointer.size());
    const std::string key = pointer.substr(begin, end - begin);
    at = &resolved(schema, *at);
    const Json& items = member(*at, "items");
    const bool is_index = !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
    const Json& properties = member(*at, "properties");
    if (is_index && items.is_object()) {
      at = &items;
    } else if (properties.is_object() && properties.contains(key)) {
      at = &properties[key];
    } else {
      return {nullptr, properties.is_object()};
    }
    begin = end + 1;
  }
  return {at, false};
}

std::string place_of(const std::string& pointer, const char* whole) {
  return pointer.empty() ? whole : fmt::format("'{}'", pointer);
}

// Of each place the first only: what is wrong there is one change.
std::vector<RefusedValue> one_of_each_place(const std::vector<RefusedValue>& refusals) {
  std::vector<RefusedValue> first;
  for (const RefusedValue& each : refusals) {
    const bool is_known = std::any_of(first.begin(), first.end(), [&](const RefusedValue& other) {
      return other.pointer == each.pointer;
    });
    if (!is_known) first.push_back(each);
  }
  return first;
}

bool has_only(const Json& schema, std::initializer_list<std::string_view> keywords) {
  return !schema.is_object() ||
         std::all_of(schema.items().begin(), schema.items().end(), [&](const auto& each) {
           return std::find(keywords.begin(), keywords.end(), each.key()) != keywords.end();
         });
}

// A schema that allows anything: another cannot be narrower in a way that anyone relied on. Without
// further properties it takes the empty object alone: a tool without arguments.
bool describes_nothing(const Json& schema) {
  return has_only(schema, {"type", "$schema", "additionalProperties"}) &&
         member(schema, "additionalProperties") != false;
}

// Not even that it is an object, which is how a tool without arguments may say so.
bool says_nothing(const Json& schema) {
  return has_only(schema, {"$schema"});
}

// Arguments that were accepted and are refused. Those of properties that are gone are returned.
Refused tell_refusals(const Json& before, const Json& after, const SchemaDifference& difference,
                      Changes& changes) {
  Refused gone;
  for (const RefusedValue& each : one_of_each_place(difference.refused_now)) {
    if (!each.value.is_object()) continue;
    const std::string place = place_of(each.pointer, "the arguments");
    if (each.found == "nothing") {
      const Json* now = described_at(after, each.pointer).schema;
      const bool has_default = now != nullptr && now->is_object() && now->contains("default");
      changes.add(Kind::kBreaking,
                  place + " is now required" + (has_default ? ", though it has a default" : ""),
                  each.value);
    } else if (described_at(before, each.pointer).is_unknown_property) {
      continue;
    } else if (described_at(after, each.pointer).is_unknown_property) {
      gone.emplace(name_of(each.pointer), each.value);
    } else {
      changes.add(Kind::kBreaking,
                  fmt::format("{} must now be {}, not {}", place, each.expected, each.found),
                  each.value);
    }
  }
  return gone;
}

void compare_schemas_of(const Json& before, const Json& after, Flow flow, Changes& changes) {
  if (before == after) return;
  if (describes_nothing(before)) {
    changes.add(Kind::kUnclear, flow == Flow::kToServer
                                    ? "its arguments were not described before, and are now"
                                    : "its result was not described before, and is now");
    return;
  }
  if (flow == Flow::kToServer && says_nothing(after)) {
    changes.add(Kind::kUnclear, "its arguments were described before, and are not any more");
    return;
  }
  const SchemaDifference difference = compare_schemas(before, after);
  Refused refused;
  const std::size_t nothing_new = difference.refused_now.size() + difference.taken_now.size();
  if (flow == Flow::kToServer) {
    refused = tell_refusals(before, after, difference, changes);
    if (difference.refused_now.empty() && !difference.taken_now.empty()) {
      changes.add(Kind::kHarmless, "more arguments are accepted than before",
                  difference.taken_now.front().value);
    }
  } else {
    for (const RefusedValue& each : one_of_each_place(difference.taken_now)) {
      if (described_at(before, each.pointer).is_unknown_property) continue;
      const std::string place = place_of(each.pointer, "the structured result");
      changes.add(Kind::kBreaking,
                  each.found == "nothing"
                      ? fmt::format("{} was always there, and may now be missing", place)
                      : fmt::format("{} was always {}, and may now be {}", place, each.expected,
                                    each.found),
                  each.value);
    }
    if (difference.taken_now.empty() && !difference.refused_now.empty()) {
      changes.add(Kind::kHarmless, "results are described more narrowly than before",
                  difference.refused_now.front().value);
    }
  }
  compare_properties(before, after, flow, "", 0, refused, changes);
  for (const auto& [name, example] : refused) {
    changes.add(Kind::kBreaking, fmt::format("the argument '{}' is now refused", name), example);
  }
  if (nothing_new == 0 && difference.is_unclear) {
    changes.add(Kind::kUnclear, flow == Flow::kToServer
                                    ? "the schema of the arguments changed in a way that could "
                                      "not be compared"
                                    : "the schema of the result changed in a way that could not "
                                      "be compared");
  }
}

// A promise about what a tool does, and the value that makes it; see ToolAnnotations.
struct Promise {
  const char* hint;
  bool value;
  const char* words;
};
constexpr std::array kPromises = {
    Promise{"readOnlyHint", true, "it is no longer said to be read-only"},
    Promise{"destructiveHint", false, "it is no longer said to be free of destructive changes"},
    Promise{"idempotentHint", true, "it is no longer said to be idempotent"},
    Promise{"openWorldHint", false, "it is no longer said to stay in a closed world"}};

void compare_texts(const Json& before, const Json& after, Changes& changes) {
  for (const char* key : {"title", "description", "icons", "mimeType"}) {
    if (member(before, key) == member(after, key)) continue;
    const bool is_type = std::string_view(key) == "mimeType" && !member(before, key).is_null();
    changes.add(is_type ? Kind::kBreaking : Kind::kHarmless, fmt::format("its {} changed", key));
  }
}

void compare_tool(const Json& before, const Json& after, Changes& changes) {
  compare_texts(before, after, changes);
  compare_schemas_of(member(before, "inputSchema"), member(after, "inputSchema"), Flow::kToServer,
                     changes);
  const Json& old_output = member(before, "outputSchema");
  const Json& new_output = member(after, "outputSchema");
  if (old_output.is_object() && !new_output.is_object()) {
    changes.add(Kind::kBreaking, "it no longer describes a structured result");
  } else if (!old_output.is_object() && new_output.is_object()) {
    changes.add(Kind::kHarmless, "it now describes a structured result");
  } else if (old_output.is_object()) {
    compare_schemas_of(old_output, new_output, Flow::kFromServer, changes);
  }
  for (const Promise& promise : kPromises) {
    const Json& was = member(member(before, "annotations"), promise.hint);
    const Json& is = member(member(after, "annotations"), promise.hint);
    if (was == is) continue;
    if (was == promise.value) changes.add(Kind::kBreaking, promise.words);
  }
  if (member(before, "annotations") != member(after, "annotations")) {
    changes.add(Kind::kHarmless, "its annotations changed");
  }
  const auto support = [](const Json& tool) {
    const std::string_view told = text_member(member(tool, "execution"), "taskSupport");
    return std::string(told.empty() ? "forbidden" : told);
  };
  if (support(before) != support(after)) {
    const bool is_wider = support(before) == "forbidden" && support(after) == "optional";
    changes.add(
        is_wider ? Kind::kHarmless : Kind::kBreaking,
        fmt::format("as a task it was '{}', and is now '{}'", support(before), support(after)));
  }
}

void compare_prompt(const Json& before, const Json& after, Changes& changes) {
  compare_texts(before, after, changes);
  const auto named = [](const Json& prompt, const Json& name) -> const Json* {
    const Json& arguments = array_member(prompt, "arguments");
    const auto found = std::find_if(arguments.begin(), arguments.end(),
                                    [&](const Json& each) { return member(each, "name") == name; });
    return found == arguments.end() ? nullptr : &*found;
  };
  for (const Json& argument : array_member(before, "arguments")) {
    if (named(after, member(argument, "name")) == nullptr) {
      changes.add(Kind::kBreaking,
                  fmt::format("the argument '{}' is gone", text_member(argument, "name")));
    }
  }
  for (const Json& argument : array_member(after, "arguments")) {
    const Json* old = named(before, member(argument, "name"));
    const bool is_required = member(argument, "required") == true;
    const std::string_view name = text_member(argument, "name");
    if (is_required && (old == nullptr || member(*old, "required") != true)) {
      changes.add(Kind::kBreaking, fmt::format("the argument '{}' is now required", name));
    } else if (old == nullptr) {
      changes.add(Kind::kHarmless, fmt::format("there is a new argument, '{}'", name));
    }
  }
}

using CompareItem = void (*)(const Json& before, const Json& after, Changes& changes);

struct PartRules {
  const char* list;
  const char* word;
  CompareItem compare;
};
constexpr std::array kPartRules = {
    PartRules{"tools", "tool", compare_tool}, PartRules{"prompts", "prompt", compare_prompt},
    PartRules{"resources", "resource", compare_texts},
    PartRules{"resourceTemplates", "resource template", compare_texts}};

// More than a few things that came or went at once are one change, which names the first.
void add_each(const PartRules& rules, const std::vector<std::string>& names, Kind kind,
              const char* what, Changes& changes) {
  if (names.size() > kMostNamed) {
    const std::vector<std::string> first(names.begin(), names.begin() + kMostNamed);
    changes.at(fmt::format("{} {}s", names.size(), rules.word));
    changes.add(kind, fmt::format("{}: '{}', ...", what, fmt::join(first, "', '")));
    return;
  }
  for (const std::string& name : names) {
    changes.at(fmt::format("{} '{}'", rules.word, name));
    changes.add(kind, what);
  }
}

void compare_part(const PartRules& rules, const Json& before, const Json& after, Changes& changes) {
  const Json& old_items = member(before, rules.list);
  const Json& new_items = member(after, rules.list);
  std::vector<std::string> gone;
  std::vector<std::string> added;
  for (const auto& [name, item] : old_items.items()) {
    const Json& now = member(new_items, name);
    if (now.is_null()) {
      gone.push_back(name);
      continue;
    }
    changes.at(fmt::format("{} '{}'", rules.word, name));
    rules.compare(item, now, changes);
  }
  for (const auto& [name, item] : new_items.items()) {
    if (!old_items.contains(name)) added.push_back(name);
  }
  add_each(rules, gone, Kind::kBreaking, "gone", changes);
  add_each(rules, added, Kind::kHarmless, "new", changes);
}

// What was offered, true or an object of its own, and is not any more.
void compare_capabilities(const Json& before, const Json& after, const std::string& path, int depth,
                          Changes& changes) {
  if (!before.is_object() || depth > kDeepestProperty) return;
  for (const auto& [key, value] : before.items()) {
    const Json& now = member(after, key);
    const std::string name = path.empty() ? key : path + "." + key;
    const bool was_offered = value != false && !value.is_null();
    if (was_offered && (now.is_null() || now == false)) {
      changes.add(Kind::kBreaking, fmt::format("'{}' is gone", name));
    } else {
      compare_capabilities(value, now, name, depth + 1, changes);
    }
  }
  if (!after.is_object()) return;
  for (const auto& [key, value] : after.items()) {
    const Json& was = member(before, key);
    if ((was.is_null() || was == false) && value != false) {
      changes.add(Kind::kHarmless,
                  fmt::format("'{}' is new", path.empty() ? key : path + "." + key));
    }
  }
}

void compare_revisions(const Json& before, const Json& after, Changes& changes) {
  const auto has = [](const Json& list, const Json& revision) {
    return std::find(list.begin(), list.end(), revision) != list.end();
  };
  const Json& old_list = array_member(before, "revisions");
  const Json& new_list = array_member(after, "revisions");
  for (const Json& each : old_list) {
    if (each.is_string() && !has(new_list, each)) {
      changes.add(Kind::kBreaking, fmt::format("{} is no longer spoken", each.get<std::string>()));
    }
  }
  for (const Json& each : new_list) {
    if (each.is_string() && !has(old_list, each)) {
      changes.add(Kind::kHarmless, fmt::format("{} is new", each.get<std::string>()));
    }
  }
}

int rank(Kind kind) {
  switch (kind) {
    case Kind::kBreaking:
      return 0;
    case Kind::kUnclear:
      return 1;
    case Kind::kHarmless:
      return 2;
  }
  return 2;
}

}  // namespace

std::vector<SurfaceChange> compare_surfaces(const Json& before, const Json& after) {
  std::vector<SurfaceChange> all;
  Changes changes(all);
  changes.at("protocol revision");
  compare_revisions(before, after, changes);
  changes.at("capability");
  compare_capabilities(member(before, "capabilities"), member(after, "capabilities"), "", 0,
                       changes);
  for (const PartRules& rules : kPartRules) compare_part(rules, before, after, changes);
  std::stable_sort(all.begin(), all.end(), [](const SurfaceChange& one, const SurfaceChange& two) {
    return rank(one.kind) < rank(two.kind);
  });
  return all;
}

}  // namespace assay::harness
