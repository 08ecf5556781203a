// Any lines as a saved transcript: each is an event or is refused with one sentence, and what is
// loaded survives being saved and loaded again.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "fuzz/fuzzing.h"
#include "fuzz/json_fuzzing.h"
#include "fuzz/message_mutator.h"
#include "harness/transcript/transcript_file.h"
#include "reference/wire/message.h"

namespace {

using assay::fuzz::require;
using namespace assay::harness;

void check_line(std::string_view line) {
  const auto loaded = from_json_line(line);
  if (const auto* why = std::get_if<std::string>(&loaded)) {
    require(!why->empty() && assay::fuzz::is_ascii_line(*why), "a refusal is one sentence");
    return;
  }
  const EventPtr& event = std::get<EventPtr>(loaded);
  require(event != nullptr, "what is not refused is an event");
  const std::string saved = to_json_line(*event);
  require(saved.find('\n') == std::string::npos, "an event is one line");
  const auto again = from_json_line(saved);
  const auto* copy = std::get_if<EventPtr>(&again);
  require(copy != nullptr, "what is saved can be loaded");
  require(to_json_line(**copy) == saved, "and is the same");
  require((*copy)->observation.bytes() == event->observation.bytes(), "byte for byte");
  require((*copy)->carries_message() == event->carries_message(), "and carries a message or not");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = assay::fuzz::view(data, size);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    check_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return assay::fuzz::mutate_json_lines(data, size, max_size, seed);
}
