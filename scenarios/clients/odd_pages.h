// A list of tools in pages, of which some are odd: who goes on, and where, shows what a client
// makes of them.
//
// Specification of 2026-07-28: server/utilities/pagination.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/host/play.h"
#include "harness/host/review.h"
#include "reference/wire/json.h"

namespace assay::scenarios {

// A page of the list; the first is asked for without a cursor.
struct OddPage {
  std::optional<std::string> next;  // its nextCursor
  std::optional<std::string> type = "complete";
  Json meta = nullptr;  // its _meta
};

class OddPagesPlay : public harness::Play {
 public:
  // The last one has no next.
  explicit OddPagesPlay(std::vector<OddPage> pages);

  void on_message(harness::Visit& visit) override;

 protected:
  // The request for the page behind the one of that number; null if none came.
  harness::EventPtr asked_behind(const harness::Review& review, std::size_t page) const;
  // Who went on behind two pages goes on behind a third one, if nothing keeps him: the request for
  // the third. Null where a client showed no such thing.
  harness::EventPtr proof_of_paging(const harness::Review& review) const;

 private:
  const std::vector<OddPage> pages_;
};

}  // namespace assay::scenarios
