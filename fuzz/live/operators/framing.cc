// Lines that are none, or several, or not text.
#include <fmt/format.h>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/values/odd_values.h"

namespace assay::fuzz {
namespace {

constexpr std::string_view kBadBytes[] = {
    "\xff", "\xc0\x80",     "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x28\xa1",
    "\x80", "\xef\xbb\xbf", "\xf0\x9f\x92", "\x1b[2J",          "\xe2\x80\xa8",
};

Step raw(std::string bytes, bool waits = false) {
  Step step;
  step.bytes = std::move(bytes);
  step.waits = waits;
  return step;
}

}  // namespace

Case Generator::framed_badly() {
  Case made;
  std::string line = text_of(request(made));
  const std::size_t place = random_.below(line.size());
  static constexpr const char* kLabels[] = {
      "truncated",  "split",    "bad-utf-8", "nul",     "two-on-a-line", "over-two-lines",
      "crlf",       "bom",      "blank",     "lone-cr", "garbage",       "flipped",
      "no-newline", "trailing", "padded",    "headers", "half-again"};
  const std::size_t roll = random_.below(std::size(kLabels));
  made.origin = fmt::format("frame: {}", kLabels[roll]);
  auto& steps = made.steps;
  switch (roll) {
    case 0:
      steps.push_back(raw(line.substr(0, place) + "\n"));
      break;
    case 1:
      steps.push_back(raw(line.substr(0, place), true));
      steps.push_back(raw(line.substr(place) + "\n"));
      break;
    case 2:
      steps.push_back(raw(line.insert(place, random_.pick(kBadBytes)) + "\n"));
      break;
    case 3:
      steps.push_back(raw(line.insert(place, 1 + random_.below(3), '\0') + "\n"));
      break;
    case 4:
      steps.push_back(raw(line + text_of(request(made)) + "\n"));
      break;
    case 5:
      steps.push_back(raw(line.insert(place, "\n") + "\n"));
      break;
    case 6:
      steps.push_back(raw(line + "\r\n"));
      break;
    case 7:
      steps.push_back(raw("\xef\xbb\xbf" + line + "\n"));
      break;
    case 8:
      steps.push_back(raw(std::string(1 + random_.below(20), '\n') + " \n\t\n" + line + "\n"));
      break;
    case 9:
      steps.push_back(raw(line.insert(place, "\r") + "\n"));
      break;
    case 10: {
      std::string bytes;
      for (std::size_t i = random_.below(200) + 1; i > 0; --i) {
        bytes += static_cast<char>(random_.below(256));
      }
      steps.push_back(raw(bytes + "\n"));
      break;
    }
    case 11:
      for (std::size_t i = random_.below(4) + 1; i > 0; --i) {
        line[random_.below(line.size())] ^= static_cast<char>(1u << random_.below(7));
      }
      steps.push_back(raw(line + "\n"));
      break;
    case 12:  // the next message continues the line
      steps.push_back(raw(line));
      break;
    case 13:
      steps.push_back(raw(line + " x\n"));
      break;
    case 14:
      steps.push_back(raw(" \t" + line + std::string(random_.below(3000), ' ') + "\n"));
      break;
    case 15:
      steps.push_back(raw(fmt::format("Content-Length: {}\r\n\r\n{}\n", line.size(), line)));
      break;
    default:
      steps.push_back(raw(line.substr(0, place) + "\n" + line + "\n"));
      break;
  }
  return made;
}

// A line that cannot be read, and behind it nothing but what can: what that line made the target
// owe is paid by the second answer.
Case Generator::quiet_after_bad_line() {
  Case made;
  made.origin = "frame: then quiet";
  const std::string line = text_of(request(made));
  made.steps.push_back(raw(line.substr(0, line.size() / 2) + "\n", true));
  for (int i = 0; i < 2; ++i) made.steps.push_back(raw(text_of(fence(made)) + "\n", true));
  made.steps.push_back(line_step(text_of(request(made))));
  return made;
}

}  // namespace assay::fuzz
