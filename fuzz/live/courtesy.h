// How the fuzzer answers what a target asks of its client: politely as a rule, and wrongly for
// whole batches now and then.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "harness/script/polite_client.h"
#include "reference/model/revision.h"
#include "reference/wire/message.h"

namespace assay::fuzz {

inline constexpr int kWorstManners = 5;

class Courtesy {
 public:
  explicit Courtesy(model::Revision revision) : handlers_(harness::polite_handlers(revision)) {}

  // The text of an answer, one message. `manners` 0: a polite one; 1 to kWorstManners: a wrong one.
  std::string answer(const wire::Message& request, int manners) const;

 private:
  std::map<std::string, harness::RequestHandler, std::less<>> handlers_;
};

}  // namespace assay::fuzz
