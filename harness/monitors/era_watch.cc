#include "harness/monitors/era_watch.h"

#include "harness/monitors/session_view.h"
#include "harness/monitors/trace.h"
#include "reference/wire/message.h"

namespace assay::harness {

bool EraWatch::names_session(const wire::Message& request) const {
  return revision_of(request) == session_;
}

void EraWatch::note(const Event& event) {
  if (session_.has_sessions() || !event.is_from_client() || event.message() == nullptr) return;
  const transport::Lane lane = event.observation.lane;
  if (lane.kind == transport::Lane::Kind::kHttp && names_session(*event.message())) {
    modern_lanes_.insert(lane);
  }
}

void EraWatch::note(const Sighting& sighting) {
  if (sighting.is_result_of("initialize")) has_legacy_session_ = true;
}

bool EraWatch::is_answer_of_another(const Sighting& sighting) const {
  const wire::Message& request = sighting.exchange->request;
  if (names_session(request)) return false;
  return sighting.is_result() || has_legacy_session_ || request.method() == "initialize";
}

bool EraWatch::is_of_another(const Sighting& sighting) const {
  if (session_.has_sessions() || sighting.speaker() == Party::kClient) return false;
  if (sighting.exchange != nullptr) return is_answer_of_another(sighting);
  const transport::Lane lane = sighting.event->observation.lane;
  if (lane.kind == transport::Lane::Kind::kHttp) return !modern_lanes_.contains(lane);
  return has_legacy_session_;
}

}  // namespace assay::harness
