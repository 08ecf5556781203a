// hot_path NAME COUNT: takes one hot path that many times. For valgrind, which counts.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bench/hot_paths.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const assay::bench::HotPath& path : assay::bench::hot_paths()) std::puts(path.name);
    return 0;
  }
  const long count = argc == 3 ? std::strtol(argv[2], nullptr, 10) : 0;
  for (const assay::bench::HotPath& path : assay::bench::hot_paths()) {
    if (count <= 0 || std::strcmp(path.name, argv[1]) != 0) continue;
    const auto work = path.prepare();
    for (long i = 0; i < count; ++i) work();
    return 0;
  }
  std::fputs("usage: hot_path --list | NAME COUNT\n", stderr);
  return 2;
}
