// How the fuzzer answers what a target asks of its client: politely as a rule, and wrongly for
// whole batches now and then.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "fuzz/live/target/vocabulary.h"
#include "harness/script/polite_client.h"
#include "reference/wire/message_fwd.h"

namespace assay::fuzz {

inline constexpr int kWorstManners = 5;

inline constexpr const char* kRootsMethod = "roots/list";
// Who was told our roots looks them up among its files: for so long it is only sent pings, the next
// so long after the answer to one.
inline constexpr std::chrono::milliseconds kRootsTime{100};
inline constexpr std::chrono::milliseconds kRootsPingEvery{10};

using Handlers = std::map<std::string, harness::RequestHandler, std::less<>>;

// Polite ones. Where there is a sandbox, what is served there is our only root: a server may serve
// all that its client has for roots.
Handlers our_handlers(const Vocabulary& words);

class Courtesy {
 public:
  explicit Courtesy(const Vocabulary& words)
      : handlers_(our_handlers(words)), has_sandbox_(words.sandbox != nullptr) {}

  // The text of an answer, one message. `manners` 0: a polite one; 1 to kWorstManners: a wrong one.
  // Where there is a sandbox, what our roots are is told rightly whatever the manners: who is told
  // nothing may serve another folder by right.
  std::string answer(const wire::Message& request, int manners) const;

 private:
  Handlers handlers_;
  const bool has_sandbox_;
};

}  // namespace assay::fuzz
