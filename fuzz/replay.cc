// Runs every fuzz target over its corpus, without libFuzzer: all past findings, as a plain test.
//
// usage: fuzz_replay CORPUS              all targets; CORPUS holds a folder for each
//        fuzz_replay TARGET REPEAT PATH  one target over a file, or a folder of files, REPEAT times
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/targets.h"

// The targets' mutators name it, and nobody calls them here.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t*, std::size_t size, std::size_t) {
  return size;
}

namespace {

namespace fs = std::filesystem;
using assay::fuzz::kTargets;
using assay::fuzz::Target;

std::vector<std::string> load(const fs::path& path) {
  std::vector<fs::path> files;
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::directory_iterator(path)) files.push_back(entry.path());
  } else {
    files.push_back(path);
  }
  std::vector<std::string> inputs;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return inputs;
}

void run(const Target& target, const std::vector<std::string>& inputs, int repeat) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeat; ++i) {
    for (const std::string& input : inputs) {
      target.run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    }
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const double runs = static_cast<double>(inputs.size()) * repeat;
  std::printf("%-16s %6zu inputs %10.0f runs/s\n", std::string(target.name).c_str(), inputs.size(),
              runs / std::max(time.count(), 1e-9));
}

int replay_all(const fs::path& corpus) {
  int status = 0;
  for (const Target& target : kTargets) {
    const fs::path folder = corpus / target.name;
    const auto inputs = fs::is_directory(folder) ? load(folder) : std::vector<std::string>();
    if (inputs.empty()) {
      std::fprintf(stderr, "fuzz_replay: no inputs in %s\n", folder.c_str());
      status = 1;
    }
    run(target, inputs, 1);
  }
  return status;
}

int replay_one(std::string_view name, std::string_view repeat, const fs::path& path) {
  int times = 0;
  const auto parsed = std::from_chars(repeat.data(), repeat.data() + repeat.size(), times);
  if (parsed.ec != std::errc() || times < 1 || !fs::exists(path)) return -1;
  for (const Target& target : kTargets) {
    if (target.name != name) continue;
    run(target, load(path), times);
    return 0;
  }
  return -1;
}

}  // namespace

int main(int argc, char** argv) {
  int status = -1;
  if (argc == 2 && fs::is_directory(argv[1])) status = replay_all(argv[1]);
  if (argc == 4) status = replay_one(argv[1], argv[2], argv[3]);
  if (status >= 0) return status;
  std::fprintf(stderr, "usage: fuzz_replay CORPUS | fuzz_replay TARGET REPEAT PATH\n");
  return 2;
}
