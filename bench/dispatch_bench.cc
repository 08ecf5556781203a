// A server's work for a request, and the harness's for an event; beside them what bounds them.
//
//   dispatch   bytes in, handler, bytes out: the reference server without its pipe
//   answer     a request decoded, and a result of the sample's size written as its answer
//   append     an event into a transcript
//   watch      all monitors over a connection, per event
//   json_copy  nlohmann's parse and dump of the same bytes: what a server built on a DOM does
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/hot_paths.h"
#include "bench/samples.h"
#include "harness/monitors/monitor.h"
#include "harness/transcript/transcript.h"
#include "reference/server/call.h"
#include "reference/wire/message.h"

namespace assay {
namespace {

using bench::Input;

void hot_path(benchmark::State& state, const bench::HotPath* path) {
  const auto work = path->prepare();
  for (auto _ : state) work();
}

void answer(benchmark::State& state, Input input) {
  const server::Answer result = Json::parse(input());
  const std::string request = bench::ping();
  for (auto _ : state) {
    const wire::Decoded decoded = wire::decode(request);
    benchmark::DoNotOptimize(server::answer_text(*std::get<wire::Message>(decoded).id(), result));
  }
}

void json_copy(benchmark::State& state, Input input) {
  const std::string bytes = input();
  for (auto _ : state) benchmark::DoNotOptimize(Json::parse(bytes).dump());
}

// A transcript of 10 MB messages would meet its bound at once: the bytes are the decoder's affair,
// and measured there.
void append(benchmark::State& state, Input input) {
  transport::Observation observation;
  observation.bytes = input();
  auto transcript = std::make_unique<harness::Transcript>();
  std::size_t held = 0;
  for (auto _ : state) {
    held += observation.bytes.size() + 1024;
    if (held > harness::Transcript::kMaxBytes) {
      state.PauseTiming();
      transcript = std::make_unique<harness::Transcript>();
      held = observation.bytes.size() + 1024;
      state.ResumeTiming();
    }
    transcript->observe(observation);
  }
}

// Pairs of a request and its answer, after a handshake.
std::vector<harness::EventPtr> connection(std::size_t pairs) {
  harness::Transcript transcript;
  const auto tell = [&](transport::Party speaker, std::string bytes) {
    transport::Observation observation;
    observation.speaker = speaker;
    observation.bytes = std::move(bytes);
    transcript.observe(observation);
  };
  using transport::Party;
  tell(Party::kClient,
       R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
       R"("capabilities":{},"clientInfo":{"name":"bench","version":"1"}}})");
  tell(Party::kServer,
       R"({"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},)"
       R"("serverInfo":{"name":"s","version":"1"}}})");
  tell(Party::kClient, R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  for (std::size_t i = 1; i <= pairs; ++i) {
    const std::string id = std::to_string(i);
    tell(Party::kClient, R"({"jsonrpc":"2.0","id":)" + id +
                             R"(,"method":"tools/call","params":{"name":"search"}})");
    tell(Party::kServer, R"({"jsonrpc":"2.0","id":)" + id +
                             R"(,"result":{"content":[{"type":"text","text":"found"}]}})");
  }
  return transcript.events();
}

void watch_per_event(benchmark::State& state) {
  constexpr std::size_t kPairs = 1000;
  for (auto _ : state) {
    state.PauseTiming();
    const std::vector<harness::EventPtr> events = connection(kPairs);  // nothing judged before
    state.ResumeTiming();
    benchmark::DoNotOptimize(
        harness::watch({events, harness::TransportKind::kStdio, harness::Party::kServer,
                        model::Revision::v2025_11_25}));
  }
  state.counters["ns_per_event"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * (2 * kPairs + 3) / 1e9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(watch_per_event)->Unit(benchmark::kMillisecond);

const bool kIsRegistered = [] {
  for (const bench::HotPath& path : bench::hot_paths()) {
    benchmark::RegisterBenchmark(path.name, hot_path, &path);
  }
  const std::pair<const char*, void (*)(benchmark::State&, Input)> functions[] = {
      {"answer", answer}, {"append", append}, {"json_copy", json_copy}};
  for (const auto& [input_name, input] : bench::kInputs) {
    for (const auto& [name, function] : functions) {
      benchmark::RegisterBenchmark((std::string(name) + "/" + input_name).c_str(), function, input);
    }
  }
  return true;
}();

}  // namespace
}  // namespace assay
