#!/usr/bin/env bash
# Builds the fuzz targets for ClusterFuzzLite (or OSS-Fuzz), which sets SRC, OUT, WORK, CC, CXX, CFLAGS,
# CXXFLAGS and LIB_FUZZING_ENGINE. Puts into $OUT, for each target: the program, its seeds as a zip
# file, its options and its dictionary; and the shared libraries, which the image that runs them lacks.
#
# usage: build.sh [TARGET...]     the named targets only; by default all
set -euo pipefail

for name in SRC OUT WORK CC CXX LIB_FUZZING_ENGINE; do
  if [ -z "${!name:-}" ]; then
    echo "build.sh: $name is not set: this is run by ClusterFuzzLite" >&2
    exit 2
  fi
done

# The system's libraries are C++ as libstdc++ has it: so must be what links them.
CXXFLAGS=${CXXFLAGS:-}
export CXXFLAGS="${CXXFLAGS//-stdlib=libc++/-stdlib=libstdc++}"

source=$SRC/mcp-assay
build=$WORK/mcp-assay
cmake -S "$source" -B "$build" -G Ninja \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 \
  -DASSAY_FUZZERS=ON -DASSAY_TESTS=OFF -DASSAY_BENCHMARKS=OFF \
  -DASSAY_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DCMAKE_EXE_LINKER_FLAGS='-Wl,-rpath,$ORIGIN/lib' -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON
if [ $# -eq 0 ]; then
  cmake --build "$build" --target assay_fuzzers
else
  cmake --build "$build" --target "${@/%/_fuzzer}"
fi

mkdir -p "$OUT/lib"
for program in "$build"/bin/*_fuzzer; do
  target=$(basename "$program" _fuzzer)
  if [ "$target" = empty ]; then continue; fi
  cp "$program" "$OUT/"
  # ClusterFuzzLite looks for the other files by the program's name.
  if [ -d "$source/fuzz/corpus/$target" ]; then
    (cd "$source/fuzz/corpus/$target" && zip -q -r "$OUT/${target}_fuzzer_seed_corpus.zip" .)
  fi
  if [ -f "$source/fuzz/$target.options" ]; then
    cp "$source/fuzz/$target.options" "$OUT/${target}_fuzzer.options"
  fi
  ldd "$program" | awk '$3 ~ /^\// { print $3 }' |
    grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux[^/]*)\.so' |
    while read -r library; do cp -nL "$library" "$OUT/lib/"; done
done
cp "$source"/fuzz/*.dict "$OUT/"
