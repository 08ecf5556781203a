// The disagreements found, each with its shortest example.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "harness/parsers/comparison.h"

namespace assay::harness {

class ParserFindings {
 public:
  struct Example {
    std::string bytes;
    std::string canonical = {};  // of what is changed: what the parser made of it
    std::size_t seen = 0;
  };

  // True if this is the first example of it, or one that is shorter.
  bool add(const Disagreement& disagreement, std::string_view bytes, std::string_view canonical);
  // Takes a smaller example of what is known.
  void replace(const Disagreement& disagreement, std::string bytes, std::string canonical);

  const std::map<Disagreement, Example>& all() const { return all_; }

 private:
  std::map<Disagreement, Example> all_;
};

// Makes `bytes` smaller as long as `still` holds, asking it at most `most_asked` times.
std::string minimize(std::string bytes, std::size_t most_asked,
                     const std::function<bool(const std::string&)>& still);

// Bytes as printable ASCII, with "\xNN" for what is none: fit for a terminal. A longer text is cut.
std::string printable_bytes(std::string_view bytes, std::size_t most = 60);

// One line: `accepts a comment: [1] // c`.
std::string to_text(const Disagreement& disagreement, const ParserFindings::Example& example);

}  // namespace assay::harness
