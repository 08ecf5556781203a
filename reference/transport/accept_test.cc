#include "reference/transport/accept.h"

#include <gtest/gtest.h>

namespace assay::transport {
namespace {

TEST(Accept, NamesBothFormsOfAnAnswerAsOneAtATimeDoes) {
  const Headers fields[] = {
      {},
      {{"Accept", ""}},
      {{"Host", "application/json"}},
      {{"accept", "application/json, text/event-stream"}},
      {{"Accept", "Application/JSON;q=0.5"}},
      {{"Accept", "text/*"}},
      {{"Accept", "x/y"}, {"Accept", " */* ;q=1"}},
      {{"Accept", "text/event-stream2, application/jso"}},
  };
  for (const Headers& headers : fields) {
    const Acceptance takes = acceptance_of(headers);
    EXPECT_EQ(takes.json, accepts(headers, "application/json"));
    EXPECT_EQ(takes.events, accepts(headers, "text/event-stream"));
  }
  EXPECT_TRUE(acceptance_of({}).events);
  EXPECT_FALSE(acceptance_of({{"Accept", ""}}).json);
}

}  // namespace
}  // namespace assay::transport
