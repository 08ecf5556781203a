#include "scenarios/clients/passages.h"

#include <algorithm>
#include <map>

#include "reference/transport/observer.h"
#include "reference/wire/message.h"

namespace assay::scenarios {

using Observed = transport::Observation::Kind;

std::optional<std::string_view> Passage::session_id() const {
  return transport::find_header(head().headers, "Mcp-Session-Id");
}

bool Passage::posts(std::string_view method) const {
  return head().method == "POST" && message() != nullptr && message()->method() == method;
}

std::vector<Passage> passages(const harness::Review& review) {
  std::vector<Passage> all;
  for (const harness::RecordedSession& session : review.sessions()) {
    std::map<transport::Lane, Passage> lanes;
    for (const harness::EventPtr& event : session.events) {
      const Observed kind = event->observation.kind;
      Passage& passage = lanes[event->observation.lane];
      if (kind == Observed::kHttpRequest) passage.request = event;
      if (kind == Observed::kHttpResponse) passage.response = event;
      if (kind == Observed::kClosed || kind == Observed::kBroken) passage.end = event;
    }
    for (auto& [lane, passage] : lanes) {
      if (passage.request != nullptr) all.push_back(std::move(passage));
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Passage& a, const Passage& b) {
    return a.request->at < b.request->at;
  });
  return all;
}

}  // namespace assay::scenarios
