#include "fuzz/live/operators/injections.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "fuzz/live/judge/injections.h"
#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/era.h"
#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

// What stands for @ is the product.
constexpr std::string_view kPayloads[] = {
    "{{@}}",
    "${@}",
    "#{@}",
    "<%= @ %>",
    "{{= @ }}",
    "{% print(@) %}",
    "[[${@}]]",
    "*{@}",
    "$((@))",
    "a$((@))b",
    "; echo $((@))",
    "| echo $((@))",
    "&& echo $((@))",
    "`echo $((@))`",
    "$(echo $((@)))",
    "'; echo $((@)) #",
    "\"; echo $((@)) #",
    "'||(@)||'",
    "' UNION SELECT @ -- ",
    "0 UNION SELECT @",
    "\" UNION SELECT @ -- ",
    "'+(@)+'",
    "\"+(@)+\"",
};

void add_places(const Json& value, const Json::json_pointer& at, std::size_t depth,
                std::vector<Json::json_pointer>& places) {
  if (depth > 6 || places.size() >= kMostInjectionPlaces) return;
  if (value.is_string()) {
    places.push_back(at);
  } else if (value.is_object()) {
    for (const auto& [key, member] : value.items()) add_places(member, at / key, depth + 1, places);
  } else if (value.is_array() && !value.empty()) {
    add_places(value[0], at / 0, depth + 1, places);
  }
}

void add_injections(const Vocabulary& words, std::string_view method, const std::string& name,
                    const Json& arguments, std::vector<Case>& cases) {
  constexpr std::uint64_t kId = 1'000'001;
  std::vector<Json::json_pointer> places;
  add_places(arguments, Json::json_pointer(), 0, places);
  for (const Json::json_pointer& at : places) {
    for (const std::string_view payload : kPayloads) {
      if (cases.size() >= kMostInjectionPlaces * std::size(kPayloads)) return;
      std::string text(payload);
      replace_each(text, "@", kFactors);
      Json changed = arguments;
      changed[at] = text;
      const Json message = with_request_meta(
          words, {{"jsonrpc", "2.0"},
                  {"id", kId},
                  {"method", method},
                  {"params", {{"name", name}, {"arguments", std::move(changed)}}}});
      Case made;
      made.origin = fmt::format("injection: {} {}", method, shown(name, 60));
      made.ids = {kId};
      made.steps.push_back(line_step(text_of(message)));
      cases.push_back(std::move(made));
    }
  }
}

}  // namespace

std::vector<Case> injection_cases(const Vocabulary& words) {
  std::vector<Case> cases;
  for (const Json& tool : words.tools) {
    if (computes_by_right(tool)) continue;
    add_injections(words, "tools/call", text_member(tool, "name"),
                   full_arguments(tool.value("inputSchema", Json::object())), cases);
  }
  for (const Json& prompt : words.prompts) {
    add_injections(words, "prompts/get", text_member(prompt, "name"), prompt_arguments(prompt),
                   cases);
  }
  return cases;
}

}  // namespace assay::fuzz
