#include "reference/transport/pipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/transport/recorder_testing.h"

namespace assay::transport {
namespace {

std::vector<std::string> texts(const Recorder& recorder) {
  std::vector<std::string> texts;
  for (const Observation& observation : recorder.all()) {
    texts.push_back((observation.speaker == Party::kClient ? ">" : "<") + observation.bytes);
  }
  return texts;
}

TEST(Pipe, ObservesWhatIsSentBeforeItsAnswer) {
  Recorder recorder;
  Pipe* self = nullptr;
  Pipe pipe([&](std::string_view message) { self->deliver("re: " + std::string(message)); },
            recorder);
  self = &pipe;
  ASSERT_FALSE(pipe.open());
  pipe.send("a");
  pipe.send_raw("b\n");
  EXPECT_THAT(texts(recorder), testing::ElementsAre(">a", "<re: a", ">b\n", "<re: b\n"));
}

TEST(Pipe, ObservesNothingAfterClose) {
  Recorder recorder;
  int delivered = 0;
  Pipe pipe([&](std::string_view) { ++delivered; }, recorder);
  pipe.deliver("too early");
  ASSERT_FALSE(pipe.open());
  pipe.close(test_deadline());
  pipe.send("x");
  pipe.deliver("y");
  EXPECT_THAT(texts(recorder), testing::ElementsAre(">the client closed the pipe"));
  EXPECT_EQ(delivered, 0);
}

TEST(Pipe, ToldThatThePeerWentAwayOnce) {
  Recorder recorder;
  Pipe pipe([](std::string_view) {}, recorder);
  ASSERT_FALSE(pipe.open());
  pipe.close_from_peer();
  pipe.close(test_deadline());
  EXPECT_THAT(texts(recorder), testing::ElementsAre("<the peer closed the pipe"));
}

}  // namespace
}  // namespace assay::transport
