#include "scenarios/clients/odd_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/script/json_member.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"
#include "scenarios/clients/hosted_tools.h"

namespace assay::scenarios {

using harness::member;

OddPagesPlay::OddPagesPlay(std::vector<OddPage> pages) : pages_(std::move(pages)) {}

void OddPagesPlay::on_message(harness::Visit& visit) {
  if (!visit.is_request("tools/list")) return;
  const Json& cursor = member(visit.message().params(), "cursor");
  std::size_t page = 0;
  if (!cursor.is_null()) {
    const auto giver = std::find_if(pages_.begin(), pages_.end(), [&](const OddPage& each) {
      return each.next && cursor == *each.next;
    });
    if (giver == pages_.end()) return visit.refuse(wire::kInvalidParams, "no such cursor");
    page = static_cast<std::size_t>(giver - pages_.begin()) + 1;
  }
  const OddPage& shown = pages_[page];
  Json result = {{"ttlMs", 0}, {"cacheScope", "private"}};
  list_only({hosted_tool(fmt::format("tool_{}", page + 1), "One of many")}, result);
  if (shown.next) result["nextCursor"] = *shown.next;
  if (shown.type) result["resultType"] = *shown.type;
  if (!shown.meta.is_null()) result["_meta"] = shown.meta;
  visit.answer(std::move(result));
}

harness::EventPtr OddPagesPlay::asked_behind(const harness::Review& review,
                                             std::size_t page) const {
  for (const harness::Said& said : review.requests("tools/list")) {
    const Json& cursor = member(said.message.params(), "cursor");
    if (cursor.is_string() && cursor == *pages_[page].next) return said.event;
  }
  return nullptr;
}

harness::EventPtr OddPagesPlay::proof_of_paging(const harness::Review& review) const {
  return asked_behind(review, 0) == nullptr ? nullptr : asked_behind(review, 1);
}

}  // namespace assay::scenarios
