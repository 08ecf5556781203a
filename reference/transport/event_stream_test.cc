#include "reference/transport/event_stream.h"

#include <gtest/gtest.h>

#include <memory>

#include "reference/transport/http_session.h"

namespace assay::transport {
namespace {

Outgoing notification() {
  return {Outgoing::Kind::kNotification, R"({"jsonrpc":"2.0","method":"notifications/x"})"};
}

TEST(EventStream, LetsGoOfWhereItWasDivertedToWhenItEnds) {
  const HttpConduct conduct;
  auto streams = std::make_shared<SessionStreams>(conduct);
  const std::weak_ptr<SessionStreams> watched = streams;
  {
    // A diverted stream that its own session keeps: each holds the other while it runs.
    const auto stream = streams->make();
    stream->divert(streams);
    streams->keep(stream);
    stream->finish();
  }
  streams.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(EventStream, DivertsWhatIsNoAnswer) {
  const HttpConduct conduct;
  const auto streams = std::make_shared<SessionStreams>(conduct);
  const auto unrelated = streams->open_get();
  const auto stream = streams->make();
  stream->divert(streams);
  stream->send(notification());
  stream->finish();
  EXPECT_EQ(stream->shape(), EventStream::Shape::kNothing);
  EXPECT_EQ(unrelated->shape(), EventStream::Shape::kStream);
}

}  // namespace
}  // namespace assay::transport
