#include "harness/surface/surface.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <variant>

#include "harness/script/scripted_peer_testing.h"

namespace assay::harness {
namespace {

using ::testing::HasSubstr;

// It speaks the revisions with a handshake, and lists its tools in an order that changes.
TargetAccess shuffling_server() {
  auto turn = std::make_shared<std::atomic<int>>(0);
  return scripted_target(
      [turn](const wire::Message& message, const auto& say) {
        if (!message.id()) return;
        if (message.method() != "tools/list") {
          say(wire::encode(wire::make_error(message.id(), -32601, "Method not found")));
          return;
        }
        Json one = {{"name", "one"}, {"inputSchema", {{"type", "object"}}}, {"_meta", {{"t", 1}}}};
        Json two = {{"name", "two"}, {"inputSchema", {{"type", "object"}}}};
        if (++*turn % 2 == 0) std::swap(one, two);
        say(wire::encode(wire::make_result(*message.id(), {{"tools", {one, two}}})));
      },
      {{"tools", Json::object()}});
}

Json read(const TargetAccess& access) {
  auto surface = read_surface(access, Patience{}, {});
  EXPECT_TRUE(std::holds_alternative<Json>(surface));
  return std::holds_alternative<Json>(surface) ? std::get<Json>(std::move(surface)) : Json();
}

TEST(ReadSurface, IsTheSameWhateverTheOrderOfTheList) {
  const TargetAccess access = shuffling_server();
  const Json first = read(access);
  EXPECT_EQ(first, read(access));
  EXPECT_EQ(first["tools"]["one"], (Json{{"inputSchema", {{"type", "object"}}}}));
  EXPECT_EQ(first["revisions"], Json({"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}));
  EXPECT_EQ(first["server"]["name"], "scripted");
  EXPECT_FALSE(surface_trouble(first).has_value());
}

TEST(ReadSurface, RefusesAListThatCannotBeRead) {
  const TargetAccess access = scripted_target(
      [](const wire::Message& message, const auto& say) {
        if (message.id()) say(wire::encode(wire::make_error(message.id(), -32603, "no")));
      },
      {{"tools", Json::object()}});
  const auto surface = read_surface(access, Patience{}, {});
  ASSERT_TRUE(std::holds_alternative<transport::Failure>(surface));
  EXPECT_THAT(std::get<transport::Failure>(surface).detail, HasSubstr("tools/list"));
}

TEST(SurfaceTrouble, NamesWhatIsWrongWithADocument) {
  EXPECT_THAT(*surface_trouble(Json::array()), HasSubstr("format"));
  EXPECT_THAT(*surface_trouble({{"format", kSurfaceFormat}}), HasSubstr("revisions"));
  const Json odd = {
      {"format", kSurfaceFormat}, {"revisions", Json::array()}, {"tools", {{"a", 5}}}};
  EXPECT_THAT(*surface_trouble(odd), HasSubstr("not an object"));
}

}  // namespace
}  // namespace assay::harness
