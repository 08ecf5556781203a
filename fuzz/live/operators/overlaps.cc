// What meets what: calls, cancellations and lists that are under way at the same time, in each
// order.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "fuzz/live/operators/generator.h"
#include "fuzz/live/target/arguments.h"
#include "fuzz/live/target/text.h"

namespace assay::fuzz {
namespace {

std::string cancellation_of(const Json& id) {
  return text_of({{"jsonrpc", "2.0"},
                  {"method", "notifications/cancelled"},
                  {"params", {{"requestId", id}, {"reason", "assay"}}}});
}

}  // namespace

Json Generator::call_of(Case& made, const Json& tool) {
  return request(
      made, "tools/call",
      {{"name", tool["name"]},
       {"arguments", fitting_arguments(tool.value("inputSchema", Json::object()), random_)}});
}

Case Generator::overlapping() {
  Case made;
  const Json& tool = random_.pick(words_.tools);
  const Json first = call_of(made, tool);
  std::vector<std::string> lines = {text_of(first)};
  const std::size_t roll = random_.below(7);
  static constexpr const char* kLabels[] = {"two-calls",     "call-twice",      "two-tools",
                                            "call-and-list", "call-and-cancel", "call-cancel-call",
                                            "calls-of-all"};
  made.origin = fmt::format("overlap: {}", kLabels[roll]);
  switch (roll) {
    case 0:
      lines.push_back(text_of(call_of(made, tool)));
      break;
    case 1: {
      Json again = first;
      again["id"] = new_id(made);
      lines.push_back(text_of(again));
      break;
    }
    case 2:
      lines.push_back(text_of(call_of(made, random_.pick(words_.tools))));
      break;
    case 3:
      lines.push_back(text_of(request(made, "tools/list", nullptr)));
      break;
    case 4:
      lines.push_back(cancellation_of(first["id"]));
      break;
    case 5:
      lines.push_back(cancellation_of(first["id"]));
      lines.push_back(text_of(call_of(made, tool)));
      break;
    default:
      for (std::size_t i = 0; i < std::min<std::size_t>(words_.tools.size(), 8); ++i) {
        lines.push_back(text_of(call_of(made, words_.tools[i])));
      }
      break;
  }
  // In each order: a cancellation may come before what it cancels.
  for (std::size_t i = lines.size() - 1; i > 0; --i)
    std::swap(lines[i], lines[random_.below(i + 1)]);
  for (const std::string& line : lines) {
    made.steps.push_back(line_step(line));
    made.steps.back().overlaps = true;
  }
  made.steps.back().overlaps = false;
  return made;
}

}  // namespace assay::fuzz
