#include "reference/transport/event_stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string_view>

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

TEST(EventStream, GivesAwayTheOneAnswerAndNothingElse) {
  EventStream stream(1);
  Outgoing answer;
  EXPECT_EQ(stream.settle(answer), std::nullopt);
  stream.send({Outgoing::Kind::kResponse, "{}"});
  EXPECT_EQ(stream.settle(answer), std::nullopt);
  stream.finish();
  EXPECT_EQ(stream.settle(answer), EventStream::Shape::kAnswer);
  EXPECT_EQ(answer.bytes, "{}");
  EXPECT_EQ(stream.settle(answer), EventStream::Shape::kNothing);

  EventStream longer(2);
  longer.send(notification());
  longer.send({Outgoing::Kind::kResponse, "{}"});
  longer.finish();
  EXPECT_EQ(longer.settle(answer), EventStream::Shape::kStream);
  EXPECT_EQ(longer.kept().size(), 2u);
}

TEST(HttpSessions, FindsASessionByItsWholeIdOnly) {
  HttpSessions sessions(2);
  const auto session = std::make_shared<HttpSession>();
  session->id = "0123456789abcdef0123";
  sessions.add(session);
  const std::string_view longer = "0123456789abcdef0123&x";
  EXPECT_EQ(sessions.find(longer.substr(0, 20)), session);
  EXPECT_EQ(sessions.find(longer), nullptr);
  EXPECT_EQ(sessions.find(longer.substr(0, 19)), nullptr);
}

}  // namespace
}  // namespace assay::transport
