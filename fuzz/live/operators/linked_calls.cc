// Calls of tools that belong together: what one answers with is what others ask for.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/text.h"
#include "fuzz/live/values/odd_values.h"
#include "fuzz/live/values/request_states.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kLinkWeight = 8;
constexpr std::size_t kMostArguments = 40;  // of one tool

}  // namespace

void Generator::learn(const std::vector<Learnt>& learnt) {
  for (const Learnt& from : learnt) {
    if (words_.tool(from.tool) == nullptr) continue;
    for (const Json& tool : words_.tools) {
      const Json schema = tool.value("inputSchema", Json());
      const Json properties = schema.is_object() ? schema.value("properties", Json()) : Json();
      if (!properties.is_object()) continue;
      std::size_t seen = 0;
      for (const auto& [argument, asked] : properties.items()) {
        if (++seen > kMostArguments || links_.size() >= kMostLinks) break;
        if (!asks_for(argument, from.member)) continue;
        if (links_.empty()) operators_.push_back({kLinkWeight, &Generator::linked});
        links_.insert({from, text_member(tool, "name"), argument});
      }
    }
  }
}

Json Generator::linked_call(Case& made, const Json& tool, const std::string& argument,
                            const std::string& place) {
  Json arguments = fitting_arguments(tool.value("inputSchema", Json::object()), random_);
  arguments[argument] = place;
  return request(made, "tools/call", {{"name", tool["name"]}, {"arguments", std::move(arguments)}});
}

// A call that is answered with an identifier, and then one to three calls that ask for it: of the
// same tool twice, or of one that takes away what another one wants.
Case Generator::linked() {
  Case made;
  const auto pick = [&](const std::vector<const Link*>& among) {
    return among[random_.below(among.size())];
  };
  std::vector<const Link*> all;
  for (const Link& link : links_) all.push_back(&link);
  const Link& first = *pick(all);
  std::vector<const Link*> same;
  for (const Link* link : all) {
    if (link->from == first.from) same.push_back(link);
  }
  const Json* const source = words_.tool(first.from.tool);
  const std::string place = link_place(last_id_ + 1, first.from.member);
  const Json asked = request(
      made, "tools/call",
      {{"name", first.from.tool},
       {"arguments", fitting_arguments(source->value("inputSchema", Json::object()), random_)}});
  made.steps.push_back(line_step(text_of(asked)));
  made.origin = fmt::format("link: {} of {} into {}", shown(first.from.member, 40),
                            shown(first.from.tool, 40), shown(first.tool, 40));
  const std::size_t count = 1 + random_.below(3);
  for (std::size_t i = 0; i < count; ++i) {
    made.steps.back().waits = true;
    const Link& link = i == 0 ? first : *pick(same);
    Json call = linked_call(made, *words_.tool(link.tool), link.argument, place);
    std::string text = text_of(call);
    if (random_.chance(15)) {  // another argument gone wrong beside the right one
      const Json::json_pointer at("/params/arguments");
      auto other = call["params"]["arguments"].begin();
      std::advance(other,
                   static_cast<std::ptrdiff_t>(random_.below(call["params"]["arguments"].size())));
      if (other.key() != link.argument)
        text = with_value(call, at / other.key(), odd_value(random_).text);
    }
    made.steps.push_back(line_step(text));
  }
  return made;
}

}  // namespace assay::fuzz
