// Whole matrices of our own peers and of small ones in the shell: what works, what does not, and
// whose fault it is.
#include "harness/interop/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <variant>

#include "harness/interop/http_host.h"
#include "harness/interop/matrix_testing.h"
#include "reference/transport/offspring.h"

namespace assay::harness {
namespace {

using namespace matrices;
using reports::ActOutcome;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Matrix, OurOwnPairDoesEverythingOverStdioAndHttp) {
  const auto result = run(options({reference_client("theirs")}, {reference_server("other")},
                                  {TransportKind::kStdio, TransportKind::kHttp}));
  for (const char* transport : {"stdio", "http"}) {
    const reports::PairCell& cell = cell_of(result, "theirs", "other", transport);
    for (const char* act : {"connect", "list", "page", "call", "progress", "cancel", "read",
                            "prompt", "complete", "sample", "elicit"}) {
      EXPECT_EQ(cell.act(act)->outcome, ActOutcome::kWorks)
          << act << " over " << transport << ": " << cell.act(act)->detail;
    }
    EXPECT_TRUE(cell.breaches.empty()) << told(result);
  }
  EXPECT_FALSE(reports::has_failed(result)) << told(result);
}

// Over HTTP, in a revision that has sessions: one that ends between two calls.
TEST(Matrix, ReferenceClientGoesOnAfterItsSessionHasExpired) {
  const auto result = run(options({reference_client("theirs", {"--revision", "2025-11-25"})},
                                  {reference_server("other")}, {TransportKind::kHttp}));
  const reports::PairCell& cell = cell_of(result, "theirs", "other", "http");
  EXPECT_EQ(cell.act("expire")->outcome, ActOutcome::kWorks) << told(result);
  EXPECT_TRUE(cell.breaches.empty()) << told(result);
}

// Ours that refuses requests without a token, with an authorization server beside it.
InteropServer closed_server(const std::string& name) {
  InteropServer out = reference_server(name, {"--with-auth-server"});
  out.over_stdio.reset();
  return out;
}

// With our own pair, which logs in, and is asked for it.
MatrixOptions options_with_login(std::vector<InteropClient> clients,
                                 std::vector<InteropServer> servers) {
  MatrixOptions out = options(std::move(clients), std::move(servers), {TransportKind::kHttp});
  for (InteropClient& client : out.clients) {
    if (!client.is_reference) continue;
    client.over_http->words.insert(client.over_http->words.end() - 1, "--login-without-browser");
  }
  out.servers.push_back(closed_server("our closed server"));
  out.servers.back().is_reference = true;
  out.servers.back().asks_for_token = true;
  return out;
}

TEST(Logins, OfOurPairIsSeenAndWhatFollowsToo) {
  const auto result = run(options_with_login(
      {reference_client("theirs", {"--login-without-browser"}), reference_client("stays out")},
      {closed_server("closed"), reference_server("open")}));
  const reports::PairCell& cell = cell_of(result, "theirs", "closed", "http");
  for (const char* act : {"login", "connect", "list", "call", "read", "elicit"}) {
    EXPECT_EQ(cell.act(act)->outcome, ActOutcome::kWorks)
        << act << ": " << cell.act(act)->detail << "\n"
        << told(result);
  }
  EXPECT_TRUE(cell.breaches.empty()) << told(result);
  // By trial as all acts: with ours, each of the two.
  EXPECT_EQ(cell_of(result, "theirs", "our closed server", "http").act("login")->outcome,
            ActOutcome::kWorks);
  EXPECT_EQ(cell_of(result, "our client", "closed", "http").act("login")->outcome,
            ActOutcome::kWorks);
  // Who cannot log in fails at nothing.
  const reports::PairCell& out = cell_of(result, "stays out", "closed", "http");
  EXPECT_EQ(out.act("login")->outcome, ActOutcome::kUnsupported) << told(result);
  EXPECT_EQ(out.act("login")->lacking, "client");
  EXPECT_EQ(out.act("connect")->outcome, ActOutcome::kNotTested) << told(result);
  EXPECT_THAT(out.act("call")->detail, HasSubstr("the server asks for a token"));
  EXPECT_FALSE(reports::has_failed(out)) << told(result);
  // And where no token is wanted, there is no login.
  EXPECT_NE(cell_of(result, "theirs", "open", "http").act("login")->outcome, ActOutcome::kWorks);
  for (const reports::PairCell& each : result.cells) {
    for (const reports::PairSession& session : each.sessions) {
      for (const reports::Evidence& event : session.events) {
        EXPECT_THAT(event.text, Not(HasSubstr("Bearer ey"))) << each.title();
      }
    }
  }
}

TEST(Logins, AreNotTriedWhereNobodyAsksForAToken) {
  const auto result =
      run(options_with_login({reference_client("theirs")}, {reference_server("open")}));
  for (const reports::PairCell& cell : result.cells) EXPECT_NE(cell.server, "our closed server");
  for (const reports::PairParty& party : result.servers) {
    EXPECT_NE(party.name, "our closed server");
  }
}

TEST(Matrix, SmallPeersWorkWithEachOther) {
  const auto result = run(options({small_client("plain", kPlainClient)},
                                  {small_server("plain", std::string(kPlainTools) + "serve")}));
  const reports::PairCell& cell = cell_of(result, "plain", "plain");
  EXPECT_EQ(cell.agreement.revision, "2025-11-25");
  EXPECT_EQ(cell.act("list")->outcome, ActOutcome::kWorks) << told(result);
  EXPECT_EQ(cell.act("call")->outcome, ActOutcome::kWorks) << told(result);
  EXPECT_EQ(cell.act("prompt")->outcome, ActOutcome::kUnsupported);
}

// Another tool stands before it, which fails with arguments that are a guess.
TEST(Matrix, ClientsAreAskedToCallWhatTheProfileNames) {
  const std::string files =
      R"(tools='{"tools":[{"name":"old","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}},{"name":"read","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}'
while read -r line; do
  id_of "$line"
  case $line in
    *server/discover*) refuse "$id" -32601 "Method not found" ;;
    *\"initialize\"*) reply "$id" "$hello" ;;
    *tools/list*) reply "$id" "$tools" ;;
    *a.txt*) reply "$id" '{"content":[{"type":"text","text":"a file"}]}' ;;
    *tools/call*) reply "$id" '{"isError":true,"content":[{"type":"text","text":"no such file"}]}' ;;
    *\"ping\"*) reply "$id" '{}' ;;
  esac
done)";
  MatrixOptions one = options({reference_client("theirs")}, {small_server("files", files)});
  one.servers.front().profiles.given = {
      std::get<Profile>(parse_profile("tools: {read: {arguments: {path: a.txt}}}", "files"))};
  const auto result = run(one);
  EXPECT_EQ(cell_of(result, "theirs", "files").act("call")->outcome, ActOutcome::kWorks)
      << told(result);
}

// A client that goes no further where a schema is of draft-07, and a server with such a schema.
reports::InteropResult run_with_older_schemas(const std::string& version) {
  const std::string strict =
      "opens; asks 2 tools/list {}; case $line in *draft-07*) ends 1 ;; esac; "
      "asks 3 tools/call '{\"name\":\"test_simple_text\",\"arguments\":{}}'; ends 0";
  const std::string older =
      R"(tools='{"tools":[{"name":"test_simple_text","annotations":{"readOnlyHint":true},"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}}]}'; serve)";
  return run(options(
      {small_client("strict", strict, version), small_client("plain", kPlainClient, version)},
      {small_server("older", older, version),
       small_server("plain", std::string(kPlainTools) + "serve", version)}));
}

// Nothing says how a client takes a dialect that it does not know.
TEST(Matrix, ClientThatRefusesSchemasOfDraft07FailsThoughNoRuleIsBroken) {
  const auto result = run_with_older_schemas("2025-06-18");
  const reports::PairCell& cell = cell_of(result, "strict", "older");
  EXPECT_EQ(cell.act("list")->outcome, ActOutcome::kFailsSound) << told(result);
  ASSERT_TRUE(cell.act("list")->parting);
  EXPECT_EQ(cell.act("list")->parting->why, "the client ended after this answer");
  const reports::Evidence* event = reports::parting_event(cell, *cell.act("list"));
  ASSERT_NE(event, nullptr);
  EXPECT_THAT(event->text, HasSubstr("draft-07"));
  EXPECT_EQ(cell.act("call")->outcome, ActOutcome::kNotTested);
  EXPECT_EQ(cell_of(result, "strict", "plain").act("call")->outcome, ActOutcome::kWorks);
  EXPECT_EQ(cell_of(result, "plain", "older").act("call")->outcome, ActOutcome::kWorks);
}

// Since 2025-11-25 schemas should be of 2020-12: that is told, and blames the server for nothing.
TEST(Matrix, SchemaOfDraft07BreaksARecommendationOfALaterRevision) {
  const auto result = run_with_older_schemas("2025-11-25");
  const reports::PairCell& cell = cell_of(result, "strict", "older");
  EXPECT_EQ(cell.act("list")->outcome, ActOutcome::kFailsUnclear) << told(result);
  ASSERT_EQ(cell.act("list")->breaches.size(), 1u);
  const reports::PairBreach& breach = cell.breaches[cell.act("list")->breaches.front()];
  EXPECT_EQ(breach.party, "server");
  EXPECT_EQ(breach.verdict.requirement, "json-schema.2020-12-used");
  EXPECT_EQ(breach.verdict.level, reports::Level::kShould);
  // With the other client the same is no reason to fail.
  EXPECT_EQ(cell_of(result, "plain", "older").act("list")->outcome, ActOutcome::kWorks);
}

// As many servers of the older era do, which clients have to expect; and then it ends.
TEST(Matrix, ServerThatRefusesTheProbeAndEndsIsADeadEnd) {
  const std::string closes = std::string(kPlainTools) + R"(
read -r line; id_of "$line"
case $line in
  *server/discover*) refuse "$id" -32602 "Invalid request parameters"; exit 0 ;;
  *) reply "$id" "$hello"; serve ;;
esac)";
  MatrixOptions probing = options(
      {reference_client("probing"), small_client("plain", kPlainClient)},
      {small_server("closes", closes), small_server("plain", std::string(kPlainTools) + "serve")});
  const auto result = run(probing);
  const reports::PairCell& cell = cell_of(result, "probing", "closes");
  EXPECT_EQ(cell.act("connect")->outcome, ActOutcome::kFailsSound) << told(result);
  EXPECT_TRUE(cell.breaches.empty()) << told(result);
  EXPECT_THAT(cell.agreement.steps.front(),
              HasSubstr("server/discover (2026-07-28): error -32602"));
  EXPECT_EQ(cell.agreement.revision, "");
  EXPECT_EQ(cell_of(result, "plain", "closes").act("call")->outcome, ActOutcome::kWorks);
  EXPECT_EQ(cell_of(result, "probing", "plain").act("call")->outcome, ActOutcome::kWorks);
}

// Neither has to speak what the other speaks.
TEST(Matrix, PeersOfDifferentErasThatKeepEveryRuleStillFail) {
  const auto result = run(options({reference_client("modern", {"--revision", "2026-07-28"}),
                                   small_client("plain", kPlainClient)},
                                  {small_server("legacy", std::string(kPlainTools) + "serve")}));
  const reports::PairCell& cell = cell_of(result, "modern", "legacy");
  EXPECT_EQ(cell.act("connect")->outcome, ActOutcome::kFailsSound) << told(result);
  EXPECT_THAT(cell.agreement.dead_end,
              HasSubstr("the server refused server/discover with error -32601"));
  EXPECT_EQ(cell.act("call")->outcome, ActOutcome::kNotTested);
}

TEST(Matrix, RuleThatTheServerBreaksWhereItFailsIsBlamedOnIt) {
  // It answers a call with the id of another request.
  const std::string wrong = std::string(kPlainTools) + R"(
while read -r line; do
  id_of "$line"
  case $line in
    *server/discover*) refuse "$id" -32601 "Method not found" ;;
    *\"initialize\"*) reply "$id" "$hello" ;;
    *tools/list*) reply "$id" "$tools" ;;
    *tools/call*) printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[]},"error":{"code":1,"message":"both"}}\n' "$id" ;;
    *\"ping\"*) reply "$id" '{}' ;;
  esac
done)";
  const std::string careful =
      "opens; asks 2 tools/list {}; "
      "asks 3 tools/call '{\"name\":\"test_simple_text\",\"arguments\":{}}'; "
      "case $line in *both*) ends 1 ;; esac; ends 0";
  MatrixOptions one = options({small_client("careful", careful)}, {small_server("wrong", wrong)});
  // Ours would wait for another answer.
  std::erase_if(one.clients, [](const InteropClient& client) { return client.is_reference; });
  const auto result = run(one);
  const reports::PairCell& cell = cell_of(result, "careful", "wrong");
  EXPECT_EQ(cell.act("call")->outcome, ActOutcome::kFailsBroken) << told(result);
  ASSERT_FALSE(cell.act("call")->breaches.empty());
  EXPECT_EQ(cell.breaches[cell.act("call")->breaches.front()].party, "server");
  EXPECT_EQ(cell.act("list")->outcome, ActOutcome::kWorks);
}

// The server is busy the first time that it is asked.
TEST(Matrix, WhatFailsBesideOthersAndWorksAloneIsUnsteady) {
  std::string name = (std::filesystem::temp_directory_path() / "unsteady-XXXXXX").string();
  const std::string folder = ::mkdtemp(name.data());
  // Nobody may try the tool beforehand.
  const std::string flaky =
      R"(tools='{"tools":[{"name":"test_simple_text","inputSchema":{"type":"object"}}]}'; )" +
      std::string("ready='") + folder + "/ready'" + R"(
while read -r line; do
  id_of "$line"
  case $line in
    *server/discover*) refuse "$id" -32601 "Method not found" ;;
    *\"initialize\"*) reply "$id" "$hello" ;;
    *tools/list*) reply "$id" "$tools" ;;
    *tools/call*)
      if [ -e "$ready" ]; then
        reply "$id" '{"content":[{"type":"text","text":"done"}]}'
      else
        touch "$ready"
        refuse "$id" -32603 "busy"
      fi ;;
    *\"ping\"*) reply "$id" '{}' ;;
  esac
done)";
  MatrixOptions one =
      options({small_client("plain", kPlainClient)}, {small_server("flaky", flaky)});
  // The trial with our client would be the first.
  std::erase_if(one.clients, [](const InteropClient& client) { return client.is_reference; });
  const auto result = run(one);
  const reports::PairCell& cell = cell_of(result, "plain", "flaky");
  EXPECT_EQ(cell.act("call")->outcome, ActOutcome::kUnsteady) << told(result);
  EXPECT_TRUE(cell.was_repeated);
  EXPECT_FALSE(reports::has_failed(result));
  std::filesystem::remove_all(folder);
}

TEST(Matrix, ServerThatIsNotThereIsSaidSo) {
  InteropServer missing;
  missing.name = "missing";
  missing.url = "http://127.0.0.1:1/mcp";
  const auto result = run(options({reference_client("theirs")}, {missing}, {TransportKind::kHttp}));
  EXPECT_THAT(cell_of(result, "theirs", "missing", "http").not_run,
              HasSubstr("the server: nothing answers at http://127.0.0.1:1/mcp"));
  EXPECT_FALSE(reports::was_tested(result));
}

TEST(Matrix, ServerThatDoesNotStartIsSaidSo) {
  InteropServer missing;
  missing.name = "missing";
  missing.url = "http://127.0.0.1:{port}/mcp";
  missing.start = Launch{{"false"}, {}, ""};
  const auto result = run(options({reference_client("theirs")}, {missing}, {TransportKind::kHttp}));
  EXPECT_THAT(cell_of(result, "theirs", "missing", "http").not_run,
              HasSubstr("the command that starts it ended with exit status 1"));
  EXPECT_FALSE(reports::was_tested(result));
}

TEST(Matrix, ClientThatDoesNotStartIsSaidSo) {
  InteropClient missing;
  missing.name = "missing";
  missing.over_stdio = Launch{{"/nowhere/at/all"}, {}, ""};
  const auto result = run(options({missing}, {reference_server("other")}));
  EXPECT_THAT(cell_of(result, "missing", "other").not_run, HasSubstr("could not be started"));
}

// What a client is told in confidence stands in no report.
TEST(Matrix, SecretsStayOut) {
  MatrixOptions secret =
      options({reference_client("theirs")}, {reference_server("other")}, {TransportKind::kHttp});
  secret.servers.front().headers = {{"Authorization", "Bearer a-token-that-is-secret"}};
  secret.context.vault->add_field("Authorization", "Bearer a-token-that-is-secret");
  const auto result = run(secret);
  for (const reports::PairCell& cell : result.cells) {
    for (const reports::PairSession& session : cell.sessions) {
      for (const reports::Evidence& event : session.events) {
        EXPECT_EQ(event.text.find("a-token-that-is-secret"), std::string::npos);
      }
    }
  }
}

TEST(Matrix, PartsOfAllShardsAreTheWhole) {
  MatrixOptions whole = options({small_client("a", kPlainClient), small_client("b", kPlainClient)},
                                {small_server("x", std::string(kPlainTools) + "serve"),
                                 small_server("y", std::string(kPlainTools) + "serve")});
  std::size_t cells = 0;
  for (const int index : {1, 2}) {
    whole.shard = {index, 2};
    const auto part = run(whole);
    for (const reports::PairCell& cell : part.cells) {
      if (!reports::is_trial(part, cell)) ++cells;
    }
  }
  EXPECT_EQ(cells, 4u);
}

TEST(Matrix, WithoutACellSaysWhy) {
  MatrixOptions none = options({small_client("plain", kPlainClient)},
                               {small_server("plain", std::string(kPlainTools) + "serve")});
  none.transports = {TransportKind::kHttp};
  EXPECT_EQ(reports::conclusion(run(none)),
            "Nothing was run: no client and server of it both speak http");
  none.transports = {TransportKind::kStdio};
  none.eras = {"oldest"};
  EXPECT_EQ(reports::conclusion(run(none)),
            "Nothing was run: no client has another era than its newest");
  none.eras = {"newest"};
  none.shard = {2, 2};
  EXPECT_EQ(reports::conclusion(run(none)),
            "Nothing was run: the matrix has fewer cells (1) than parts, and part 2/2 has none");
}

// A client that never ends, and leaves the group: it is gone with the run, and what was found
// before is told.
TEST(Matrix, InterruptedRunLeavesNoProcessAndTellsWhatItHas) {
  transport::adopt_orphans();
  const std::string endless = "opens; setsid sleep 1000 & sleep 1000";
  MatrixOptions stopped = options({small_client("endless", endless)},
                                  {small_server("plain", std::string(kPlainTools) + "serve")});
  std::stop_source source;
  stopped.context.stop = source.get_token();
  class StopsAtTheFirst : public UntoldEvents {
   public:
    explicit StopsAtTheFirst(std::stop_source& source) : source_(source) {}
    void run_started(const reports::PlanSize& plan) override {
      if (plan.scenarios > 0 && ++phases_ == 2) source_.request_stop();
    }

   private:
    std::stop_source& source_;
    int phases_ = 0;
  } events(source);
  stopped.context.patience = std::chrono::milliseconds(1500);
  const reports::InteropResult result = run_matrix(stopped, events);
  EXPECT_TRUE(result.was_interrupted);
  EXPECT_FALSE(result.cells.empty());
  EXPECT_FALSE(cell_of(result, "endless", "plain").not_run.empty());
  EXPECT_TRUE(transport::descendants_of(::getpid()).empty());
}

}  // namespace
}  // namespace assay::harness
