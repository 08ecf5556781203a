#include "harness/script/argument_trials.h"

#include <string>
#include <string_view>
#include <utility>

#include "harness/script/clues.h"
#include "harness/script/json_member.h"
#include "harness/script/sample_value.h"
#include "reference/model/schema_check.h"

namespace assay::harness {
namespace {

constexpr std::size_t kMostChoices = 3;
constexpr std::size_t kMostSwitches = 3;
constexpr std::size_t kMostOptional = 16;

bool fits_schema(const Json& schema, const Json& arguments) {
  return model::check_against_schema(schema, arguments).outcome != model::SchemaOutcome::kInvalid;
}

Json hurried(Json arguments, const Json& input_schema) {
  const Json& properties = member(input_schema, "properties");
  if (!properties.is_object()) return arguments;
  for (const auto& [name, property] : properties.items()) {
    const std::string_view type = text_member(property, "type");
    if (type != "number" && type != "integer") continue;
    if (!mentions(name, {"duration", "delay", "seconds", "sleep", "wait"})) continue;
    // A second, in whatever it is counted: what is over at once would not be seen to take time.
    const bool is_in_milliseconds =
        name.ends_with("_ms") || name.ends_with("Ms") || mentions(name, {"millis"});
    Json shorter = arguments;
    shorter[name] = is_in_milliseconds ? 1000 : 1;
    if (fits_schema(input_schema, shorter)) arguments = std::move(shorter);
  }
  return arguments;
}

// A user who lets a tool be called has not asked for the worst that it can do.
bool may_do_harm(const std::string& name, const Json& property) {
  return text_member(property, "type") == "boolean" &&
         mentions(name, {"force",  "delete",  "remove",  "confirm",   "overwrite", "write",
                         "commit", "apply",   "execute", "permanent", "recursive", "purge",
                         "reset",  "drop",    "publish", "send",      "save",      "destroy",
                         "erase",  "wipe",    "clear",   "truncate",  "kill",      "restart",
                         "deploy", "disable", "skip",    "unsafe",    "live",      "pay"});
}

// Of the first enumeration: all of them would be too many together.
void add_choices(const Json& first, const Json& input_schema, std::vector<Json>& all) {
  for (const auto& [name, property] : member(input_schema, "properties").items()) {
    const Json& choices = array_member(property, "enum");
    for (std::size_t i = 1; i < choices.size() && i <= kMostChoices; ++i) {
      Json other = first;
      other[name] = choices[i];
      if (fits_schema(input_schema, other)) all.push_back(std::move(other));
    }
    if (!choices.empty()) return;
  }
}

// Many tools do something else, such as to ask the user, where one of these is turned on. What is
// on stays on: it may be what keeps a tool from doing harm, such as a dry run.
void add_switches(const Json& first, const Json& input_schema, std::vector<Json>& all) {
  std::size_t added = 0;
  for (const auto& [name, property] : member(input_schema, "properties").items()) {
    if (text_member(property, "type") != "boolean" || may_do_harm(name, property)) continue;
    const Json& now = first.contains(name) ? first[name] : member(property, "default");
    if (now == true) continue;
    Json other = first;
    other[name] = true;
    if (!fits_schema(input_schema, other)) continue;
    all.push_back(std::move(other));
    if (++added == kMostSwitches) return;
  }
}

}  // namespace

std::optional<Json> quick_arguments(const Json& input_schema) {
  auto guess = sample_arguments(input_schema);
  if (!guess) return std::nullopt;
  return hurried(*std::move(guess), input_schema);
}

std::vector<Json> further_arguments(const Json& input_schema, bool have_failed) {
  std::vector<Json> all;
  const auto first = quick_arguments(input_schema);
  const Json& properties = member(input_schema, "properties");
  if (!first || !properties.is_object()) return all;
  if (have_failed) {
    // The same again, for what has become known since; and everything that may be said.
    all.push_back(*first);
    Json whole = *first;
    for (const auto& [name, property] : properties.items()) {
      if (whole.size() >= kMostOptional) break;
      if (whole.contains(name) || may_do_harm(name, property)) continue;
      whole[name] = sample_value(property, name);
    }
    if (whole != *first && fits_schema(input_schema, whole)) {
      all.push_back(hurried(std::move(whole), input_schema));
    }
  }
  add_choices(*first, input_schema, all);
  add_switches(*first, input_schema, all);
  return all;
}

}  // namespace assay::harness
