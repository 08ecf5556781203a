#include "harness/script/stateless_connection.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/script/json_member.h"
#include "harness/script/scripted_peer_testing.h"
#include "reference/wire/compose.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using model::Revision;

constexpr Patience kPatience{std::chrono::milliseconds(2000), std::chrono::milliseconds(2000),
                             std::chrono::milliseconds(100)};
constexpr const char* kVersion = "io.modelcontextprotocol/protocolVersion";
constexpr const char* kCapabilities = "io.modelcontextprotocol/clientCapabilities";

// Keeps what it was asked, and answers with one result after another.
class Peer {
 public:
  explicit Peer(std::vector<Json> results) : results_(std::move(results)) {}

  TargetAccess access() {
    return scripted_target([this](const wire::Message& message, const auto& say) {
      asked.push_back(message.json());
      if (!message.id() || asked.size() > results_.size()) return;
      say(wire::encode(wire::make_result(*message.id(), results_[asked.size() - 1])));
    });
  }

  std::vector<Json> asked;

 private:
  const std::vector<Json> results_;
};

TEST(StatelessConnection, SaysOnEachRequestWhoAsks) {
  Peer peer({{{"resultType", "complete"}, {"capabilities", {{"tools", Json::object()}}}},
             {{"resultType", "complete"}}});
  const auto access = peer.access();
  const auto connection = connect(access, Revision::v2026_07_28, kPatience);
  ASSERT_FALSE(connection->open());
  EXPECT_TRUE(connection->begin(Json{{"roots", Json::object()}}).is_result());
  EXPECT_TRUE(connection->has_begun());
  EXPECT_TRUE(connection->has_capability("tools"));
  EXPECT_TRUE(connection->request("tools/list", {{"_meta", {{"progressToken", 1}}}}).is_result());
  ASSERT_EQ(peer.asked.size(), 2u);
  EXPECT_EQ(peer.asked[0]["method"], "server/discover");
  const Json& meta = peer.asked[1]["params"]["_meta"];
  EXPECT_EQ(meta["progressToken"], 1);
  EXPECT_EQ(meta[kVersion], "2026-07-28");
  EXPECT_EQ(meta[kCapabilities], (Json{{"roots", Json::object()}}));
}

TEST(StatelessConnection, LeavesOutWhatIsToBeLeftOut) {
  Peer peer(std::vector<Json>{{{"resultType", "complete"}}});
  const auto access = peer.access();
  const auto connection = connect(access, Revision::v2026_07_28, kPatience);
  ASSERT_FALSE(connection->open());
  const Json bare = wire::make_request(connection->next_id(), "tools/list");
  EXPECT_TRUE(connection->await(connection->start_as_is(bare)).is_result());
  ASSERT_EQ(peer.asked.size(), 1u);
  EXPECT_EQ(peer.asked[0], bare);
}

TEST(StatelessConnection, NamesTheVersionOfNotificationsInTheHeaderAlone) {
  Peer peer({});
  const auto access = peer.access();
  const auto connection = connect(access, Revision::v2026_07_28, kPatience);
  const auto fields = connection->fields_of(wire::make_notification("notifications/cancelled"));
  EXPECT_EQ(transport::find_header(fields, "MCP-Protocol-Version"), "2026-07-28");
  // What a request lacks is meant to be missing.
  const auto bare = connection->fields_of(wire::make_request(wire::Id::of(1), "tools/list"));
  EXPECT_FALSE(transport::find_header(bare, "MCP-Protocol-Version"));
}

TEST(StatelessConnection, AnswersWhatAResultAsksForAndAsksAgain) {
  const Json question = {
      {"method", "elicitation/create"},
      {"params",
       {{"message", "?"},
        {"requestedSchema",
         {{"type", "object"}, {"properties", {{"name", {{"type", "string"}}}}}}}}}};
  Peer peer({{{"resultType", "input_required"},
              {"inputRequests", {{"who", question}}},
              {"requestState", "opaque"}},
             {{"resultType", "complete"}, {"content", Json::array()}}});
  const auto access = peer.access();
  const auto connection = connect(access, Revision::v2026_07_28, kPatience);
  ASSERT_FALSE(connection->open());
  const Reply reply = connection->request("tools/call", {{"name", "x"}});
  EXPECT_EQ(text_member(reply.result(), "resultType"), "complete");
  ASSERT_EQ(peer.asked.size(), 2u);
  EXPECT_NE(peer.asked[0]["id"], peer.asked[1]["id"]);
  const Json& retry = peer.asked[1]["params"];
  EXPECT_EQ(retry["name"], "x");
  EXPECT_EQ(retry["requestState"], "opaque");
  EXPECT_EQ(retry["inputResponses"]["who"]["action"], "accept");
}

TEST(StatelessConnection, GivesUpOnAServerThatAsksForEver) {
  Peer peer(std::vector<Json>(50, {{"resultType", "input_required"}, {"requestState", "s"}}));
  const auto access = peer.access();
  const auto connection = connect(access, Revision::v2026_07_28, kPatience);
  ASSERT_FALSE(connection->open());
  const Reply reply = connection->request("tools/call", {{"name", "x"}});
  EXPECT_EQ(text_member(reply.result(), "resultType"), "input_required");
  EXPECT_LT(peer.asked.size(), 12u);
}

}  // namespace
}  // namespace assay::harness
