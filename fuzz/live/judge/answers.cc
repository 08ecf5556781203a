#include "fuzz/live/judge/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "fuzz/live/judge/supplied.h"
#include "fuzz/live/target/text.h"
#include "reference/model/schema_check.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

using wire::Message;
using wire::MessageKind;

// How the line of a stack trace begins in a JSON text, where a newline is an escape, and what
// stands in it.
struct TraceLine {
  std::string_view begins;
  std::string_view holds;
};
constexpr TraceLine kTraceLines[] = {
    {"Traceback (most recent call last)", "File "},  // Python
    {"\\n    at ", ":"},                             // Node.js
    {"\\n\\tat ", ".java:"},                         // Java
    {"\\n   at ", " in "},                           // .NET
    {"goroutine ", "[running]:"},                    // Go
    {"panicked at ", ".rs:"},                        // Rust
    {"\\n\\tfrom ", ".rb:"},                         // Ruby
    {"#0 ", ".php("},                                // PHP
};
constexpr std::size_t kLongestTraceLine = 400;

// A tool may return what it likes, a log for example, where it does not fail.
bool is_failure(const Message& answer) {
  if (answer.kind() == MessageKind::kError) return true;
  // Most answers need not be taken apart to be told from these.
  if (answer.bytes().find("isError") == std::string_view::npos) return false;
  const Json& result = answer.result();
  return result.is_object() && result.value("isError", Json()) == true;
}

std::optional<Suspicion> tells_of_itself(const Vocabulary& words, const Message& request,
                                         const Message& answer) {
  if (!is_failure(answer)) return std::nullopt;
  const std::string_view line = trace_in(answer.bytes());
  if (line.empty() || request.bytes().find(line) != std::string_view::npos) return std::nullopt;
  Suspicion out;
  out.oracle = Oracle::kTrace;
  out.about = "stack trace in the answer to " + words.label(request.method());
  out.detail = fmt::format("Its answer to {} shows where in its code it failed: {}",
                           shown(request.method(), 60), shown(line));
  out.is_should = true;
  return out;
}

// An empty answer, as basic/utilities/ping asks for; `_meta` is part of every result.
std::optional<Suspicion> says_too_much(const Message& request, const Message& answer) {
  if (request.method() != "ping" || answer.kind() != MessageKind::kResult) return std::nullopt;
  const Json& result = answer.result();
  if (!result.is_object()) return std::nullopt;
  const bool is_empty = std::all_of(result.items().begin(), result.items().end(),
                                    [](const auto& member) { return member.key() == "_meta"; });
  if (is_empty) return std::nullopt;
  Suspicion out;
  out.oracle = Oracle::kInvalid;
  out.about = "ping result is not empty";
  out.detail =
      fmt::format("It answered a ping with more than an empty result: {}", shown(answer.bytes()));
  out.rule = "The receiver MUST respond with an empty response (basic/utilities/ping).";
  return out;
}

std::optional<Suspicion> breaks_its_output_schema(const Vocabulary& words, const Message& request,
                                                  const Message& answer) {
  const bool is_call = request.method() == "tools/call" && request.has_params();
  if (!is_call || !words.revision.has_structured_content()) return std::nullopt;
  if (answer.kind() != MessageKind::kResult || is_failure(answer)) return std::nullopt;
  const std::string tool_name = text_member(request.params(), "name");
  const Json* tool = words.tool(tool_name);
  if (tool == nullptr || !tool->contains("outputSchema") || !answer.result().is_object()) {
    return std::nullopt;
  }
  const auto content = answer.result().find("structuredContent");
  if (content == answer.result().end()) return std::nullopt;
  const auto verdict = model::check_against_schema((*tool)["outputSchema"], *content);
  if (verdict.outcome != model::SchemaOutcome::kInvalid) return std::nullopt;
  for (const model::Deviation& deviation : verdict.deviations) {
    const Json* value = value_at(*content, deviation.pointer);
    if (value != nullptr && is_supplied(deviation, *value, request.params())) continue;
    Suspicion out;
    out.oracle = Oracle::kOutput;
    out.about = shown(fmt::format("{} {}", tool_name, without_indexes(deviation.pointer)));
    out.detail = fmt::format("The structured content of '{}' breaks its own outputSchema: {}",
                             shown(tool_name, 60), model::to_text(deviation));
    return out;
  }
  return std::nullopt;
}

}  // namespace

std::string_view trace_in(std::string_view text) {
  for (const TraceLine& each : kTraceLines) {
    const std::size_t at = text.find(each.begins);
    if (at == std::string_view::npos) continue;
    const std::string_view line = text.substr(at, kLongestTraceLine);
    if (line.find(each.holds, each.begins.size()) != std::string_view::npos) return line;
  }
  return "";
}

std::optional<Suspicion> wrong_answer(const Vocabulary& words, const Message& request,
                                      const Message& answer) {
  if (auto wrong = tells_of_itself(words, request, answer)) return wrong;
  if (auto wrong = says_too_much(request, answer)) return wrong;
  return breaks_its_output_schema(words, request, answer);
}

}  // namespace assay::fuzz
