// Matrices with gateways between the parties: what fails only through one, and whose words are
// whose.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/interop/http_host.h"
#include "harness/interop/matrix.h"
#include "harness/interop/matrix_testing.h"

namespace assay::harness {
namespace {

using namespace matrices;
using reports::ActOutcome;
using ::testing::HasSubstr;
using ::testing::Not;

InteropGateway gateway(const std::string& name, std::vector<std::string> more = {}) {
  InteropGateway out;
  out.name = name;
  out.url = "http://127.0.0.1:{port}/mcp";
  out.launch = Launch{{ASSAY_GATEWAY, "{port}", "{url}"}, {}, ""};
  out.launch->words.insert(out.launch->words.end(), more.begin(), more.end());
  return out;
}

const reports::PairCell& behind(const reports::InteropResult& result, const std::string& gateway) {
  for (const reports::PairCell& cell : result.cells) {
    if (cell.gateway == gateway) return cell;
  }
  throw std::runtime_error("no such cell");
}

TEST(Gateways, ThatChangesNothingIsNotBlamed) {
  MatrixOptions through = options({reference_client("theirs", {"--revision", "2025-11-25"})},
                                  {reference_server("other")}, {TransportKind::kHttp});
  through.gateways = {gateway("honest")};
  const auto result = run(through);
  const reports::PairCell& cell = behind(result, "honest");
  for (const char* act : {"connect", "list", "call", "progress", "read", "prompt", "elicit"}) {
    EXPECT_EQ(cell.act(act)->outcome, ActOutcome::kWorks) << act << "\n" << told(result);
  }
}

// Between it and the server it is the client, and so it breaks the rule of clients.
TEST(Gateways, ThatDropsTheSessionIsBlamedForWhatFailsOnlyBehindIt) {
  MatrixOptions through = options({reference_client("theirs", {"--revision", "2025-11-25"})},
                                  {reference_server("other")}, {TransportKind::kHttp});
  through.gateways = {gateway("forgetful", {"forget"})};
  const auto result = run(through);
  EXPECT_EQ(cell_of(result, "theirs", "other", "http").act("list")->outcome, ActOutcome::kWorks);
  const reports::PairCell& cell = behind(result, "forgetful");
  EXPECT_TRUE(reports::has_failed(cell)) << told(result);
  // The notification after the handshake shows it; of later requests, which come on connections of
  // their own, no order is certain.
  bool is_blamed = false;
  for (const reports::PairAct& act : cell.acts) {
    for (const std::size_t index : act.breaches) {
      EXPECT_EQ(cell.breaches[index].party, "gateway") << told(result);
      is_blamed = is_blamed || cell.breaches[index].verdict.requirement == "http.session-id-sent";
    }
  }
  EXPECT_TRUE(is_blamed) << told(result);
}

// Between a client over stdio and a server over stdio.
InteropGateway piped_gateway(const std::string& name, const std::string& script) {
  InteropGateway out;
  out.name = name;
  out.launch = Launch{{"bash", "-c", script, "gateway", "{server}"}, {}, ""};
  out.far = TransportKind::kStdio;
  return out;
}

TEST(Gateways, LastWordsAreThoseOfWhoSaidThem) {
  // The server dies at the first call only if something stands before it.
  const std::string dies = std::string(kPlainTools) + R"(
while read -r line; do
  id_of "$line"
  case $line in
    *server/discover*) refuse "$id" -32601 "Method not found" ;;
    *\"initialize\"*) reply "$id" "$hello" ;;
    *tools/list*) reply "$id" "$tools" ;;
    *tools/call*) echo "the disk is full" >&2; exit 5 ;;
    *\"ping\"*) reply "$id" '{}' ;;
  esac
done)";
  MatrixOptions through =
      options({small_client("plain", kPlainClient)}, {small_server("dies", dies)});
  through.gateways = {piped_gateway("sorry", "echo I cannot >&2; exit 4"),
                      piped_gateway("honest", "\"$@\" 2>/dev/null; exit 0")};
  const auto result = run(through);
  EXPECT_THAT(cell_of(result, "plain", "dies").end,
              HasSubstr("the server exited with status 5; its last words: the disk is full"));
  const std::string sorry = behind(result, "sorry").end;
  EXPECT_THAT(sorry, HasSubstr("the gateway exited with status 4; its last words: I cannot"));
  EXPECT_THAT(sorry, Not(HasSubstr("the server")));
  const std::string honest = behind(result, "honest").end;
  EXPECT_THAT(honest,
              HasSubstr("the server exited with status 5; its last words: the disk is full"));
  EXPECT_THAT(honest, Not(HasSubstr("the gateway")));
}

// A server of ours that somebody else has started, with a gateway before it.
class StartedPair {
 public:
  explicit StartedPair(std::vector<std::string> words_of_gateway) {
    const auto within = std::chrono::seconds(30);
    const auto trouble_of_server = server_.start(reference_server("other"), within, {});
    InteropServer before = {};
    before.url = "http://127.0.0.1:{port}/mcp";
    before.start = Launch{{ASSAY_GATEWAY, "{port}", server_.url().text()}, {}, ""};
    before.start->words.insert(before.start->words.end(), words_of_gateway.begin(),
                               words_of_gateway.end());
    const auto trouble_of_gateway = gateway_.start(before, within, {});
    if (trouble_of_server || trouble_of_gateway) throw std::runtime_error("they do not start");
  }

  MatrixOptions options_of_both() const {
    InteropServer other;
    other.name = "other";
    other.url = server_.url().text();
    MatrixOptions out = options({reference_client("theirs", {"--revision", "2025-11-25"})}, {other},
                                {TransportKind::kHttp});
    InteropGateway running;
    running.name = "running";
    running.url = gateway_.url().text();
    running.server = "other";
    out.gateways = {running};
    return out;
  }

 private:
  HttpHost server_;
  HttpHost gateway_;
};

TEST(Gateways, ThatRunAlreadyAreReachedAtTheirUrl) {
  const StartedPair pair({});
  const auto result = run(pair.options_of_both());
  const reports::PairCell& cell = behind(result, "running");
  for (const char* act : {"connect", "list", "call", "progress", "read", "prompt", "elicit"}) {
    EXPECT_EQ(cell.act(act)->outcome, ActOutcome::kWorks) << act << "\n" << told(result);
  }
  EXPECT_TRUE(cell.breaches.empty()) << told(result);
}

// What it sends to the server is not seen, so nothing is said of it; and the server is not blamed
// for what the gateway answers.
TEST(Gateways, ThatRunAlreadyFailByWhatTheyAnswer) {
  const StartedPair pair({"forget"});
  const auto result = run(pair.options_of_both());
  EXPECT_EQ(cell_of(result, "theirs", "other", "http").act("list")->outcome, ActOutcome::kWorks);
  const reports::PairCell& cell = behind(result, "running");
  EXPECT_TRUE(reports::has_failed(cell)) << told(result);
  for (const reports::PairBreach& breach : cell.breaches) EXPECT_NE(breach.party, "server");
}

TEST(Gateways, ThatAreNotThereAreSaidSo) {
  MatrixOptions through =
      options({reference_client("theirs")}, {reference_server("other")}, {TransportKind::kHttp});
  InteropGateway missing;
  missing.name = "missing";
  missing.url = "http://127.0.0.1:1/mcp";
  through.gateways = {missing};
  EXPECT_THAT(behind(run(through), "missing").not_run,
              HasSubstr("the gateway: nothing answers at http://127.0.0.1:1/mcp"));
}

TEST(Gateways, ThatRunAlreadyStandBeforeTheirOwnServerOnly) {
  MatrixOptions through =
      options({reference_client("theirs")}, {reference_server("other"), reference_server("more")},
              {TransportKind::kHttp});
  InteropGateway missing;
  missing.name = "missing";
  missing.url = "http://127.0.0.1:1/mcp";
  missing.server = "more";
  through.gateways = {missing};
  const auto result = run(through);
  EXPECT_EQ(behind(result, "missing").server, "more");
  EXPECT_EQ(std::count_if(result.cells.begin(), result.cells.end(),
                          [](const auto& cell) { return cell.gateway == "missing"; }),
            1);
}

}  // namespace
}  // namespace assay::harness
