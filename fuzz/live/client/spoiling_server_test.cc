// What the server before a client keeps of what it said.
#include "fuzz/live/client/spoiling_server.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::fuzz {
namespace {

class Deaf : public transport::Sink {
 public:
  void send(transport::Outgoing) override {}
  void finish() override {}
  bool is_listened_to() const override { return true; }
  void disconnect(std::chrono::milliseconds) override {}
};

// A client that asks two thousand times, and is answered at length each time, would have us keep
// half a gigabyte of it.
TEST(SpoilingServer, KeepsALittleOfWhatItSaidWordForWord) {
  constexpr std::size_t kAnswers = 60;
  const std::string said(200u << 10, 'A');
  SpoilPlan plan;
  plan.chooser = [&](const SpoilPlace& place, std::size_t occurrence) -> std::optional<Spoil> {
    if (place.opens()) return std::nullopt;
    return Spoil{std::string(place.method), occurrence, "value", 1, Wording{{said}, "{}"}};
  };
  SpoilingServer server(model::Revision::v2025_11_25, false, std::move(plan), "http://127.0.0.1/");
  const auto sink = std::make_shared<Deaf>();
  const auto session = server.open(transport::WireKind::kStdio, sink);
  const auto ask = [&](const std::string& method, const Json& params, std::size_t id) {
    const Json request =
        wire::make_request(wire::Id::of(static_cast<std::int64_t>(id)), method, params);
    const std::string text = wire::encode(request);
    session->receive(wire::decode(text), sink);
  };
  ask("initialize",
      {{"protocolVersion", "2025-11-25"},
       {"capabilities", Json::object()},
       {"clientInfo", {{"name", "x"}, {"version", "1"}}}},
      0);
  for (std::size_t i = 1; i <= kAnswers; ++i) ask("tools/list", Json::object(), i);
  const ServerNotes notes = server.notes();
  ASSERT_EQ(notes.wordings.size(), kAnswers);
  std::size_t bytes = 0;
  for (const auto& wording : notes.wordings) bytes += wording ? bytes_of(*wording) : 0;
  EXPECT_GT(bytes, kMostWordingBytes / 2);
  EXPECT_LE(bytes, kMostWordingBytes);
  EXPECT_FALSE(notes.wordings.back());
}

}  // namespace
}  // namespace assay::fuzz
