// The way from one start of a client to its server: a tap, or a tap on either side of a gateway. Of
// a gateway that runs already only the client's side is seen.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/interop/cell.h"
#include "harness/interop/http_host.h"
#include "harness/interop/pair_tap.h"

namespace assay::harness {

// The thread that starts it has to live as long.
class PairWay {
 public:
  // Both outlive it.
  PairWay(const CellJob& job, const CellContext& context, bool ends_session)
      : job_(job), context_(context), ends_session_(ends_session) {}

  // Otherwise: why there is none, in one sentence.
  std::optional<std::string> start();
  // Once started: the client's command with the way to the server in it.
  std::vector<std::string> told(std::vector<std::string> words) const {
    return near_->told(std::move(words));
  }
  void take_client_end();
  // Once, when the client is gone: what passed before a gateway, and what passed after it.
  Tapped finish(std::vector<RecordedSession>& after_gateway);

 private:
  std::optional<std::string> start_behind_gateway();
  // Of a gateway over HTTP, that `launch` starts.
  std::optional<std::string> start_before(const InteropGateway& gateway,
                                          std::optional<Launch> launch);

  const CellJob& job_;
  const CellContext& context_;
  const bool ends_session_;        // what stands next to the client does so: see tap_http()
  std::unique_ptr<PairTap> far_;   // null without a gateway, and where it runs already
  HttpHost gateway_;               // where it listens over HTTP
  std::unique_ptr<PairTap> near_;  // the last: what it passes on to is there as long
};

}  // namespace assay::harness
