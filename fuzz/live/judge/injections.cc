#include "fuzz/live/judge/injections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "fuzz/live/target/text.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

constexpr std::string_view kComputing[] = {"calc",   "comput",  "math",    "eval",       "exec",
                                           "run",    "shell",   "command", "bash",       "script",
                                           "code",   "sql",     "quer",    "expr",       "templat",
                                           "render", "formula", "python",  "javascript", "sandbox"};

}  // namespace

bool computes_by_right(const Json& listed) {
  std::string about = text_member(listed, "name") + " " + text_member(listed, "title") + " " +
                      text_member(listed, "description");
  std::transform(about.begin(), about.end(), about.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(std::begin(kComputing), std::end(kComputing),
                     [&](std::string_view word) { return about.find(word) != std::string::npos; });
}

std::optional<Suspicion> injection_in(const Vocabulary& words, const wire::Message& request,
                                      const wire::Message& answer) {
  const bool is_computed = answer.bytes().find(kProduct) != std::string_view::npos &&
                           request.bytes().find(kFactors) != std::string_view::npos &&
                           request.bytes().find(kProduct) == std::string_view::npos;
  if (!is_computed) return std::nullopt;
  const std::string name = text_member(request.params(), "name");
  const Json* tool = words.tool(name);
  if (tool != nullptr && computes_by_right(*tool)) return std::nullopt;
  const std::string what = shown(fmt::format("{} {}", request.method(), name), 80);
  Suspicion out;
  out.oracle = Oracle::kInjection;
  out.about = what;
  out.detail = fmt::format("It computed {} out of what {} was given: {}", kFactors, what,
                           shown(request.bytes()));
  return out;
}

}  // namespace assay::fuzz
