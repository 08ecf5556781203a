// A parser behind fuzz/adapter.h beside ours. Crashes, sanitizer findings, and a verdict that
// depends on how the input is cut, end the program; disagreements are collected and printed, the
// shortest example of each, when it ends. With ASSAY_STRICT in the environment a disagreement ends
// it, too.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "fuzz/adapter_call.h"
#include "harness/parsers/case_maker.h"
#include "harness/parsers/findings.h"

namespace {

using namespace assay::harness;

// Printed when the program ends; libFuzzer leaves by exit().
class Table {
 public:
  ~Table() {
    for (const auto& [disagreement, example] : findings_.all()) {
      std::printf("%s\n", to_text(disagreement, example).c_str());
    }
    std::fflush(stdout);
  }
  void add(const Disagreement& found, std::string_view bytes, const ParserAnswer& answer) {
    findings_.add(found, bytes, answer.canonical.value_or(""));
  }

 private:
  ParserFindings findings_;
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "property does not hold: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Table table;
  static const bool is_strict = std::getenv("ASSAY_STRICT") != nullptr;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const ParserAnswer answer = assay::fuzz::call_adapter(bytes);
  if (const auto found = compare(bytes, answer, assay::fuzz::adapter_level())) {
    table.add(*found, bytes, answer);
    if (is_strict) fail("the parser agrees with a strict one");
  }
  if (assay::fuzz::takes_chunks()) {
    const bool is_whole = assay::fuzz::accepts_in_chunks(bytes, size + 1);
    for (const std::size_t longest : {std::size_t{1}, std::size_t{3}}) {
      if (assay::fuzz::accepts_in_chunks(bytes, longest) != is_whole) {
        fail("cuts change no verdict");
      }
    }
  }
  return 0;
}

// Half of the inputs are libFuzzer's own changes, half are those that tell parsers apart.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  static CaseMaker cases(seed);
  const std::string text = cases.next();
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}
