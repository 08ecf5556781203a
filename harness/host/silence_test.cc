#include "harness/host/silence.h"

#include <gtest/gtest.h>

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

EventPtr said(Party party, milliseconds at) {
  transport::Observation observation;
  observation.kind = transport::Observation::Kind::kLine;
  observation.speaker = party;
  observation.bytes = R"({"jsonrpc":"2.0","method":"ping","id":1})";
  auto event = std::make_shared<Event>(KeptObservation(observation));
  event->at = at;
  return event;
}

RecordedSession session_of(TransportKind transport, std::vector<EventPtr> events) {
  RecordedSession session;
  session.transport = transport;
  session.events = std::move(events);
  return session;
}

TEST(Silence, OfAClientThatWasQuickBeforeIsOne) {
  const auto session =
      session_of(TransportKind::kHttp, {said(Party::kClient, milliseconds(200)),
                                        said(Party::kServer, milliseconds(201))});
  EXPECT_FALSE(had_no_time(session, session.events.back(), milliseconds(5000)));
}

TEST(Silence, OfAClientThatWasEndedSoonerThanItStartedIsNone) {
  const auto session =
      session_of(TransportKind::kHttp, {said(Party::kClient, milliseconds(28'700)),
                                        said(Party::kServer, milliseconds(28'701))});
  EXPECT_TRUE(had_no_time(session, session.events.back(), milliseconds(30'000)));
}

// There a session begins with the server that the client starts.
TEST(Silence, OverStdioCountsTheTimeBeforeTheSession) {
  const auto session = session_of(TransportKind::kStdio, {said(Party::kClient, milliseconds(10)),
                                                          said(Party::kServer, milliseconds(11)),
                                                          said(Party::kServer, milliseconds(900))});
  EXPECT_TRUE(had_no_time(session, session.events[1], milliseconds(30'000)));
  EXPECT_FALSE(had_no_time(session, session.events[1], milliseconds(1200)));
}

// What we held back is no pause of the client's.
TEST(Silence, IsMeasuredByWhatTheClientTookAlone) {
  const auto session =
      session_of(TransportKind::kHttp,
                 {said(Party::kClient, milliseconds(100)), said(Party::kServer, milliseconds(9000)),
                  said(Party::kClient, milliseconds(9100)),
                  said(Party::kServer, milliseconds(9101))});
  EXPECT_FALSE(had_no_time(session, session.events.back(), milliseconds(10'000)));
}

}  // namespace
}  // namespace assay::harness
