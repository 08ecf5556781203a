// Validating beside decoding: what a message costs to judge, next to what it costs to read.
//
// Two messages: a tools/call result of about 1 KB, and a tools/list of 1,000 tools.
// bytes_per_second is counted over the message's text in every row, so that rows of one message
// compare.
#include <benchmark/benchmark.h>

#include <optional>
#include <string>

#include "reference/model/revision.h"
#include "reference/model/schema_check.h"
#include "reference/model/validate.h"
#include "reference/wire/json.h"
#include "reference/wire/message.h"

namespace assay {
namespace {

using model::Direction;
using model::Revision;

constexpr Revision kRevision = Revision::v2025_11_25;

// A message and the method of the request that it answers.
struct Sample {
  std::string text;
  std::string method;
};

const Sample& call_result() {
  static const Sample kSample = [] {
    Json content = Json::array();
    content.push_back({{"type", "text"},
                       {"text",
                        "The forecast for tomorrow: sunny, 21 degrees, light wind from the "
                        "west, no rain expected before the evening."}});
    content.push_back({{"type", "image"},
                       {"data", std::string(400, 'A')},
                       {"mimeType", "image/png"},
                       {"annotations", {{"audience", {"user"}}, {"priority", 0.8}}}});
    content.push_back({{"type", "resource"},
                       {"resource",
                        {{"uri", "file:///home/user/weather/report.md"},
                         {"mimeType", "text/markdown"},
                         {"text", "# Weather\n\nSunny, 21 degrees. See the attached image."}}}});
    Json result = {
        {"content", content},
        {"structuredContent",
         {{"temperature", 21.5}, {"sky", "sunny"}, {"wind", {{"from", "W"}, {"kmh", 9}}}}},
        {"isError", false},
        {"_meta", {{"com.example/trace", "00-4bf92f3577b34da6a3ce929d0e0e4736"}}}};
    return Sample{Json{{"jsonrpc", "2.0"}, {"id", 7}, {"result", result}}.dump(), "tools/call"};
  }();
  return kSample;
}

const Sample& thousand_tools() {
  static const Sample kSample = [] {
    Json tools = Json::array();
    for (int i = 0; i < 1000; ++i) {
      const std::string name = "tool_" + std::to_string(i);
      tools.push_back(
          {{"name", name},
           {"title", "Tool number " + std::to_string(i)},
           {"description", "Looks up the record with the given id and returns it as text."},
           {"inputSchema",
            {{"type", "object"},
             {"properties",
              {{"id", {{"type", "string"}, {"description", "The record's id"}}},
               {"limit", {{"type", "integer"}, {"minimum", 1}}}}},
             {"required", {"id"}}}},
           {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
    }
    const Json message = {{"jsonrpc", "2.0"}, {"id", 2}, {"result", {{"tools", tools}}}};
    return Sample{message.dump(), "tools/list"};
  }();
  return kSample;
}

void count(benchmark::State& state, const Sample& sample) {
  state.SetBytesProcessed(static_cast<std::int64_t>(sample.text.size()) *
                          static_cast<std::int64_t>(state.iterations()));
  state.counters["message_bytes"] = static_cast<double>(sample.text.size());
}

void nlohmann_decode(benchmark::State& state, const Sample& (*make)()) {
  const Sample& sample = make();
  for (auto _ : state) benchmark::DoNotOptimize(Json::parse(sample.text));
  count(state, sample);
}

void wire_decode(benchmark::State& state, const Sample& (*make)()) {
  const Sample& sample = make();
  for (auto _ : state) benchmark::DoNotOptimize(wire::decode(sample.text));
  count(state, sample);
}

void wire_decode_and_dom(benchmark::State& state, const Sample& (*make)()) {
  const Sample& sample = make();
  for (auto _ : state) {
    const wire::Decoded decoded = wire::decode(sample.text);
    benchmark::DoNotOptimize(std::get<wire::Message>(decoded).json());
  }
  count(state, sample);
}

void validate(benchmark::State& state, const Sample& (*make)()) {
  const Sample& sample = make();
  const Json message = Json::parse(sample.text);
  for (auto _ : state) {
    const model::Deviations deviations =
        model::validate_message(kRevision, Direction::kServerToClient, message, sample.method);
    if (!deviations.empty()) {
      state.SkipWithError("the sample is not valid");
      break;
    }
  }
  count(state, sample);
}

// A tool's outputSchema and a result, as the monitors judge them: the schema is read each time.
void check_result(benchmark::State& state, const char* schema_text, const char* value_text) {
  const Json schema = Json::parse(schema_text);
  const Json value = Json::parse(value_text);
  for (auto _ : state) {
    benchmark::DoNotOptimize(model::check_against_schema(schema, value));
  }
}

// The dearest that a stranger may cause: every step of the bounds is taken.
void check_hostile(benchmark::State& state, const Json& schema, const Json& value) {
  for (auto _ : state) {
    const auto verdict = model::check_against_schema(schema, value);
    if (verdict.outcome != model::SchemaOutcome::kInconclusive) state.SkipWithError("it is cheap");
  }
}

Json nested_members(int depth) {
  Json value = 1;
  for (int i = 0; i < depth; ++i) value = {{"a", value}};
  return value;
}

BENCHMARK_CAPTURE(check_result, weather, R"({"type": "object",
    "properties": {"temperature": {"type": "number"}, "sky": {"type": "string", "pattern": "^[a-z]+$"},
                   "wind": {"type": "object", "properties": {"from": {"enum": ["N", "E", "S", "W"]},
                                                             "kmh": {"type": "integer", "minimum": 0}},
                            "required": ["from", "kmh"], "additionalProperties": false}},
    "required": ["temperature", "sky"]})",
                  R"({"temperature": 21.5, "sky": "sunny", "wind": {"from": "W", "kmh": 9}})");
BENCHMARK_CAPTURE(check_hostile, all_steps,
                  Json::parse(R"({"allOf": [{"properties": {"a": {"$ref": "#"}}},
                                            {"properties": {"a": {"$ref": "#"}}}]})"),
                  nested_members(60))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_hostile, all_pattern_steps,
                  Json::parse(R"({"items": {"pattern": "(?=.*b)b|(a?){100}$"}})"),
                  Json(Json::array_t(200, Json(std::string(2000, 'a')))))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(nlohmann_decode, call_result_1KB, call_result);
BENCHMARK_CAPTURE(wire_decode, call_result_1KB, call_result);
BENCHMARK_CAPTURE(wire_decode_and_dom, call_result_1KB, call_result);
BENCHMARK_CAPTURE(validate, call_result_1KB, call_result);
BENCHMARK_CAPTURE(nlohmann_decode, list_of_1000_tools, thousand_tools);
BENCHMARK_CAPTURE(wire_decode, list_of_1000_tools, thousand_tools);
BENCHMARK_CAPTURE(wire_decode_and_dom, list_of_1000_tools, thousand_tools);
BENCHMARK_CAPTURE(validate, list_of_1000_tools, thousand_tools);

}  // namespace
}  // namespace assay
