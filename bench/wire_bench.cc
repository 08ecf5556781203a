// The wire: decode and classify, encode, line framing, Server-Sent Events; and in the same table
// what bounds them: memchr over the bytes, simdjson's DOM parse alone, nlohmann's parse alone.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstring>
#include <string>

#include "bench/samples.h"
#include "reference/wire/compose.h"
#include "reference/wire/line_framer.h"
#include "reference/wire/message.h"
#include "reference/wire/sse.h"

namespace assay {
namespace {

using bench::Input;

void count(benchmark::State& state, const std::string& bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes.size()) *
                          static_cast<std::int64_t>(state.iterations()));
}

void memchr_alone(benchmark::State& state, Input input) {
  const std::string bytes = input();
  for (auto _ : state) benchmark::DoNotOptimize(std::memchr(bytes.data(), '\n', bytes.size()));
  count(state, bytes);
}

// The message in a buffer with the padding that simdjson asks for, parsed in place.
void simdjson_alone(benchmark::State& state, Input input) {
  const simdjson::padded_string bytes(input());
  simdjson::dom::parser parser;
  for (auto _ : state) benchmark::DoNotOptimize(parser.parse(bytes).error());
  count(state, input());
}

void nlohmann_alone(benchmark::State& state, Input input) {
  const std::string bytes = input();
  for (auto _ : state) benchmark::DoNotOptimize(Json::parse(bytes, nullptr, false));
  count(state, bytes);
}

void decode(benchmark::State& state, Input input) {
  const std::string bytes = input();
  for (auto _ : state) benchmark::DoNotOptimize(wire::decode(bytes));
  count(state, bytes);
}

void decode_with_dom(benchmark::State& state, Input input) {
  const std::string bytes = input();
  for (auto _ : state) {
    const wire::Decoded decoded = wire::decode(bytes);
    benchmark::DoNotOptimize(&std::get<wire::Message>(decoded).json());
  }
  count(state, bytes);
}

void encode(benchmark::State& state, Input input) {
  const Json json = Json::parse(input());
  std::string bytes;
  for (auto _ : state) benchmark::DoNotOptimize(bytes = wire::encode(json));
  count(state, bytes);
}

constexpr std::size_t kChunk = 64u << 10;  // what one read of a pipe or socket gives

template <typename Parser>
void feed_in_chunks(Parser& parser, std::string_view stream) {
  for (std::size_t at = 0; at < stream.size(); at += kChunk) parser.feed(stream.substr(at, kChunk));
}

void frame_lines(benchmark::State& state, Input input) {
  std::string stream;
  while (stream.size() < kChunk) stream += input() + "\n";
  std::size_t lines = 0;
  wire::LineFramer framer([&lines](const wire::LineFramer::Line&) { ++lines; });
  for (auto _ : state) feed_in_chunks(framer, stream);
  benchmark::DoNotOptimize(lines);
  count(state, stream);
}

void parse_events(benchmark::State& state, Input input) {
  std::string stream;
  while (stream.size() < kChunk) {
    stream += wire::SseWriter::event({.id = "12", .data = input(), .has_data = true});
  }
  std::size_t events = 0;
  wire::SseParser parser([&events](const wire::SseEvent&) { ++events; });
  for (auto _ : state) feed_in_chunks(parser, stream);
  benchmark::DoNotOptimize(events);
  count(state, stream);
}

void write_event(benchmark::State& state, Input input) {
  const wire::SseEvent event = {.id = "12", .data = input(), .has_data = true};
  for (auto _ : state) benchmark::DoNotOptimize(wire::SseWriter::event(event));
  count(state, event.data);
}

// Every function on every message, registered with the names that --benchmark_filter takes.
const bool kIsRegistered = [] {
  const std::pair<const char*, void (*)(benchmark::State&, Input)> functions[] = {
      {"memchr_alone", memchr_alone},
      {"simdjson_alone", simdjson_alone},
      {"decode", decode},
      {"nlohmann_alone", nlohmann_alone},
      {"decode_with_dom", decode_with_dom},
      {"encode", encode},
      {"frame_lines", frame_lines},
      {"parse_events", parse_events},
      {"write_event", write_event},
  };
  for (const auto& [input_name, input] : bench::kInputs) {
    for (const auto& [name, function] : functions) {
      benchmark::RegisterBenchmark((std::string(name) + "/" + input_name).c_str(), function, input);
    }
  }
  return true;
}();

}  // namespace
}  // namespace assay
