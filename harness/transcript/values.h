// Takes the values out of messages and leaves their shapes, so that a transcript can be given to
// others.
//
// What is of the protocol stays: methods, ids, kinds, names of tools and fields, capabilities,
// schemas, numbers outside of arguments and results. Every other text becomes a label with its
// length, the same for the same text, so that one still sees what belongs together.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "reference/wire/json.h"

namespace assay::harness {

class ValueRemover {
 public:
  // A message or batch without its values; of what is no JSON only how long it was.
  std::string without_values(std::string_view text);

 private:
  // Beyond that, equal texts are no longer told from different ones.
  static constexpr std::size_t kMostLabels = 50'000;

  void take_message(Json& message);
  void take(Json& value);
  void take_all(Json& value);
  std::string label(const std::string& text);

  std::map<std::string, std::size_t, std::less<>> labels_;
};

}  // namespace assay::harness
