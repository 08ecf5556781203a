// Any bytes, cut anyhow: the lines are the same, and no more is held than the limit. The first two
// bytes of the input choose the limit and the cuts.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"
#include "reference/wire/line_framer.h"

namespace {

using assay::wire::LineFramer;

// All lines in one text that only the same lines give.
class Recorder {
 public:
  explicit Recorder(std::string& out) : out_(out) { out_.clear(); }
  void operator()(const LineFramer::Line& line) const {
    const std::size_t size = line.bytes.size();
    out_.append(reinterpret_cast<const char*>(&size), sizeof size).append(line.bytes);
    out_.push_back(static_cast<char>((line.has_carriage_return ? 1 : 0) |
                                     (line.is_truncated ? 2 : 0) | (line.is_unterminated ? 4 : 0)));
  }

 private:
  std::string& out_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t limit = data[0] < 128 ? data[0] : LineFramer::kDefaultLimit;
  const std::string_view stream = assay::fuzz::view(data + 2, size - 2);
  thread_local std::string whole;
  thread_local std::string in_chunks;
  LineFramer first(Recorder{whole}, limit);
  first.feed(stream);
  assay::fuzz::require(first.pending() <= limit, "no more is held than the limit");
  first.finish();
  LineFramer second(Recorder{in_chunks}, limit);
  assay::fuzz::feed_in_chunks(second, stream, data[1]);
  assay::fuzz::require(second.pending() <= limit, "no more is held than the limit");
  second.finish();
  assay::fuzz::require(whole == in_chunks, "cuts change no line");
  return 0;
}
