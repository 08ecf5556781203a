// Which era a server is of, and requests that stand alone.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "reference/client/scripted_server_testing.h"
#include "reference/client/session.h"
#include "reference/transport/recorder_testing.h"

namespace assay::client {
namespace {

using Opening = SessionOptions::Opening;

class StatelessSession : public testing::Test {
 protected:
  ServerAnswer open(Opening opening) {
    SessionOptions options;
    options.opening = opening;
    options.probe_patience = std::chrono::milliseconds(20);
    session_ = std::make_unique<ClientSession>(std::move(options));
    server_ = std::make_unique<ScriptedServer>(*session_);
    script_(*server_);
    EXPECT_EQ(session_->open(server_->pipe()), std::nullopt);
    return session_->initialize(transport::test_deadline());
  }
  void TearDown() override {
    if (session_) session_->close(transport::test_deadline());
  }
  static void speak_both(ScriptedServer& server) {
    server.on_result("server/discover", {{"supportedVersions", {"2026-07-28", "2025-11-25"}},
                                         {"capabilities", {{"tools", Json::object()}}}});
    speak_handshake(server);
  }
  static void speak_handshake(ScriptedServer& server) {
    server.on_result("initialize", {{"protocolVersion", "2025-11-25"},
                                    {"capabilities", Json::object()},
                                    {"serverInfo", {{"name", "s"}, {"version", "1"}}}});
  }

  std::function<void(ScriptedServer&)> script_ = speak_both;
  std::unique_ptr<ClientSession> session_;
  std::unique_ptr<ScriptedServer> server_;
};

TEST_F(StatelessSession, SpeaksWithoutAHandshakeWhereTheServerDoes) {
  ASSERT_TRUE(open(Opening::kEither).is_result());
  EXPECT_EQ(session_->revision(), model::Revision::v2026_07_28);
  EXPECT_TRUE(server_->received("initialize").empty());
  server_->on_result("tools/list", {{"tools", Json::array()}});
  session_->request("tools/list", Json::object(), transport::test_deadline());
  const Json meta = server_->received("tools/list").at(0)["params"]["_meta"];
  EXPECT_EQ(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  EXPECT_TRUE(meta["io.modelcontextprotocol/clientCapabilities"].is_object());
  EXPECT_TRUE(meta["io.modelcontextprotocol/clientInfo"].contains("version"));
}

TEST_F(StatelessSession, FallsBackWhereTheProbeIsUnknown) {
  for (const int code : {-32601, -32602, -32000}) {
    script_ = [code](ScriptedServer& server) {
      speak_handshake(server);
      server.on_error("server/discover", {{"code", code}, {"message", "?"}});
    };
    ASSERT_TRUE(open(Opening::kEither).is_result()) << code;
    EXPECT_EQ(session_->revision(), model::Revision::v2025_11_25);
    TearDown();
  }
}

TEST_F(StatelessSession, FallsBackWhereTheProbeIsNotAnswered) {
  script_ = speak_handshake;
  ASSERT_TRUE(open(Opening::kEither).is_result());
  EXPECT_EQ(session_->revision(), model::Revision::v2025_11_25);
}

TEST_F(StatelessSession, DoesNotFallBackFromAServerOfTheEra) {
  script_ = [](ScriptedServer& server) {
    speak_handshake(server);
    server.on_error("server/discover", {{"code", -32022},
                                        {"message", "Unsupported protocol version"},
                                        {"data", {{"supported", {"2099-01-01"}}}}});
  };
  EXPECT_FALSE(open(Opening::kEither).is_result());
  EXPECT_TRUE(server_->received("initialize").empty());
}

TEST_F(StatelessSession, TakesAVersionThatTheServerLists) {
  script_ = [](ScriptedServer& server) {
    speak_handshake(server);
    server.on_error("server/discover", {{"code", -32022},
                                        {"message", "Unsupported protocol version"},
                                        {"data", {{"supported", {"2025-11-25"}}}}});
  };
  ASSERT_TRUE(open(Opening::kEither).is_result());
  EXPECT_EQ(session_->revision(), model::Revision::v2025_11_25);
}

TEST_F(StatelessSession, NeverFallsBackWhenToldNotTo) {
  script_ = [](ScriptedServer& server) {
    speak_handshake(server);
    server.on_error("server/discover", {{"code", -32601}, {"message", "?"}});
  };
  EXPECT_TRUE(open(Opening::kStateless).is_error());
  EXPECT_TRUE(server_->received("initialize").empty());
}

TEST_F(StatelessSession, GivesWhatAResultAsksFor) {
  ASSERT_TRUE(open(Opening::kStateless).is_result());
  server_->on("tools/call", [](const Json& request) {
    const Json& params = request["params"];
    if (params.contains("inputResponses")) {
      return Json{{"result", {{"resultType", "complete"}, {"got", params}}}};
    }
    return Json{{"result",
                 {{"resultType", "input_required"},
                  {"requestState", "opaque"},
                  {"inputRequests", {{"where", {{"method", "roots/list"}}}}}}}};
  });
  const ServerAnswer reply =
      session_->request("tools/call", {{"name", "t"}}, transport::test_deadline());
  ASSERT_TRUE(reply.is_result());
  EXPECT_EQ(reply.json["got"]["requestState"], "opaque");
  EXPECT_EQ(reply.json["got"]["inputResponses"]["where"]["roots"], Json::array());
  EXPECT_EQ(reply.json["got"]["name"], "t");
  const std::vector<Json> calls = server_->received("tools/call");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_NE(calls[0]["id"], calls[1]["id"]);
}

TEST_F(StatelessSession, GivesUpWhereItCannotGiveWhatIsAskedFor) {
  ASSERT_TRUE(open(Opening::kStateless).is_result());
  server_->on_result("tools/call", {{"resultType", "input_required"},
                                    {"inputRequests", {{"odd", {{"method", "mood/get"}}}}}});
  const ServerAnswer reply =
      session_->request("tools/call", {{"name", "t"}}, transport::test_deadline());
  EXPECT_EQ(reply.json["resultType"], "input_required");
  EXPECT_EQ(server_->received("tools/call").size(), 1u);
}

TEST_F(StatelessSession, TakesAResultWithoutATypeAndNoneOfAnUnknownOne) {
  ASSERT_TRUE(open(Opening::kStateless).is_result());
  server_->on_result("tools/list", {{"tools", Json::array()}});
  EXPECT_TRUE(
      session_->request("tools/list", Json::object(), transport::test_deadline()).is_result());
  for (const Json& type : {Json("com.example/unheard-of"), Json(7)}) {
    server_->on_result("tools/list", {{"resultType", type}, {"tools", Json::array()}});
    EXPECT_EQ(session_->request("tools/list", Json::object(), transport::test_deadline()).kind,
              ServerAnswer::Kind::kInvalid)
        << type;
  }
}

TEST_F(StatelessSession, AsksOnceMoreWhereItsVersionIsRefusedAndOffered) {
  script_ = [](ScriptedServer& server) {
    auto asked = std::make_shared<int>(0);
    server.on("server/discover", [asked](const Json&) {
      if (++*asked > 1) return Json{{"result", {{"supportedVersions", {"2026-07-28"}}}}};
      return Json{{"error",
                   {{"code", -32022},
                    {"message", "Unsupported protocol version"},
                    {"data", {{"supported", {"2026-07-28"}}}}}}};
    });
  };
  EXPECT_TRUE(open(Opening::kStateless).is_result());
  EXPECT_EQ(server_->received("server/discover").size(), 2u);
}

}  // namespace
}  // namespace assay::client
