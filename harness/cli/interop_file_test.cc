// The file of a matrix: what it says, and what is wrong with it.
#include "harness/cli/interop_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/cli/interop_entries.h"
#include "harness/cli/interop_template.h"
#include "harness/frame/command.h"

namespace assay::cli {
namespace {

using harness::TransportKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kServer = "servers:\n  s: {command: serve, args: [--now]}\n";
constexpr const char* kClient = "clients:\n  c: {command: client, args: [\"{url}\"]}\n";

InteropFile read(const std::string& text, reports::Vault& vault) {
  const Variables variables = [](const std::string& name) -> std::optional<std::string> {
    if (name == "TOKEN") return "a-value-that-is-secret";
    return std::nullopt;
  };
  return parse_interop_file(text, {.path = "mcp-interop.yaml"}, vault, variables);
}
InteropFile read(const std::string& text) {
  reports::Vault vault;
  return read(text, vault);
}

std::string trouble(const std::string& text) {
  try {
    read(text);
  } catch (const UsageError& error) {
    return error.text();
  }
  return "";
}

TEST(InteropFile, NamesServersAndClients) {
  const InteropFile file = read(std::string(kServer) + kClient);
  ASSERT_EQ(file.servers.size(), 1u);
  EXPECT_THAT(file.servers[0].over_stdio->words, ElementsAre("serve", "--now"));
  EXPECT_TRUE(file.servers[0].speaks(TransportKind::kStdio));
  EXPECT_FALSE(file.servers[0].speaks(TransportKind::kHttp));
  ASSERT_EQ(file.clients.size(), 1u);
  EXPECT_EQ(file.clients[0].eras.size(), 1u);
}

TEST(InteropFile, MarksOfAClientSayWhatItSpeaks) {
  const InteropFile file = read(std::string(kServer) + R"(
clients:
  web: {command: a, args: ["{url}"]}
  local: {command: a, args: ["{server}"]}
  configured: {command: a, args: ["{config}"]}
  plain: {command: a}
  apart: {command: a, stdio: [x], http: [y]}
)");
  const auto speaks = [&](std::size_t i) {
    return std::string(file.clients[i].over_stdio ? "s" : "") +
           (file.clients[i].over_http ? "h" : "");
  };
  EXPECT_EQ(speaks(0), "h");
  EXPECT_EQ(speaks(1), "s");
  EXPECT_EQ(speaks(2), "sh");
  EXPECT_EQ(speaks(3), "sh");
  EXPECT_EQ(speaks(4), "sh");
  EXPECT_THAT(file.clients[4].over_stdio->words, ElementsAre("a", "x"));
  EXPECT_THAT(file.clients[4].over_http->words, ElementsAre("a", "y"));
}

TEST(InteropFile, ServerOverHttpIsStartedAtAFreePort) {
  const InteropFile file = read(std::string(kClient) + R"(
servers:
  s:
    url: "http://127.0.0.1:{port}/mcp"
    start: [node, server.js, --port, "{port}"]
    env: {MODE: http}
)");
  EXPECT_EQ(file.servers[0].url, "http://127.0.0.1:{port}/mcp");
  EXPECT_THAT(file.servers[0].start->words, ElementsAre("node", "server.js", "--port", "{port}"));
  EXPECT_EQ(file.servers[0].start->environment.front().second, "http");
}

TEST(InteropFile, OldestEraHasWordsAndVariablesOfItsOwn) {
  const InteropFile file = read(std::string(kServer) + R"(
clients:
  c: {command: a, oldest: {args: [--old], env: {MODE: old}}}
eras: newest
)");
  ASSERT_EQ(file.clients[0].eras.size(), 2u);
  EXPECT_EQ(file.clients[0].eras[1].name, "oldest");
  EXPECT_THAT(file.clients[0].eras[1].words, ElementsAre("--old"));
  EXPECT_THAT(file.eras, ElementsAre("newest"));
}

TEST(InteropFile, EachVersionOfAPackageIsAnEntry) {
  const InteropFile file = read(std::string(kServer) + R"(
clients:
  sdk:
    package: ["@scope/sdk", "zod@4.6.7"]
    versions: [1.10, 2.0.0]
    files: [client.mjs]
    command: node
    args: ["{packages}/client.mjs"]
)");
  ASSERT_EQ(file.clients.size(), 2u);
  EXPECT_EQ(file.clients[0].name, "sdk@1.10");
  EXPECT_THAT(file.clients[0].packages.packages, ElementsAre("@scope/sdk@1.10", "zod@4.6.7"));
  EXPECT_THAT(file.clients[1].packages.packages, ElementsAre("@scope/sdk@2.0.0", "zod@4.6.7"));
}

TEST(InteropFile, GatewaySaysHowItReachesTheServer) {
  const InteropFile file = read(std::string(kServer) + kClient + R"(
gateways:
  remote: {command: mcp-remote, args: ["{url}"]}
  proxy: {command: mcp-proxy, args: [--port, "{port}", --, "{server}"], url: "http://127.0.0.1:{port}/proxy"}
  plain: {command: mcp-proxy, args: [--port, "{port}", --, "{server}"]}
)");
  EXPECT_EQ(file.gateways[0].near(), TransportKind::kStdio);
  EXPECT_EQ(file.gateways[0].far, TransportKind::kHttp);
  EXPECT_EQ(file.gateways[1].near(), TransportKind::kHttp);
  EXPECT_EQ(file.gateways[1].far, TransportKind::kStdio);
  EXPECT_EQ(file.gateways[1].url, "http://127.0.0.1:{port}/proxy");
  EXPECT_EQ(file.gateways[2].url, "http://127.0.0.1:{port}/mcp");
}

TEST(InteropFile, GatewayOfACommandLineIsReadLikewise) {
  reports::Vault vault;
  const auto gateway = gateway_of_words({"bin/proxy", "--port", "{port}", "--", "{server}"}, vault);
  EXPECT_EQ(gateway.name, "proxy");
  EXPECT_EQ(gateway.url, "http://127.0.0.1:{port}/mcp");
  EXPECT_THROW(gateway_of_words({"proxy"}, vault), UsageError);
  EXPECT_THROW(gateway_of_words({"ftp://127.0.0.1/mcp"}, vault), UsageError);
}

TEST(InteropFile, GatewayOfACommandLineKeepsItsSecrets) {
  reports::Vault vault;
  const auto command = gateway_of_words(
      {"proxy", "{url}", "--header", "Authorization: Bearer a-token-that-is-secret"}, vault);
  EXPECT_EQ(command.location.find("a-token-that-is-secret"), std::string::npos);
  const auto url =
      gateway_of_words({"https://gateway.example.com/mcp?api_key=a-key-that-is-secret"}, vault);
  EXPECT_EQ(url.location.find("a-key-that-is-secret"), std::string::npos) << url.location;
  EXPECT_THAT(url.url, HasSubstr("a-key-that-is-secret"));
}

TEST(InteropFile, GatewayThatRunsAlreadySaysWhichServerItReaches) {
  const InteropFile file = read(std::string(kServer) + kClient + R"(
gateways:
  edge: {url: "https://gateway.example.com/mcp", headers: {Authorization: "Bearer x"}, server: s}
)");
  harness::InteropGateway edge = file.gateways[0];
  EXPECT_TRUE(edge.runs_already());
  EXPECT_EQ(edge.near(), TransportKind::kHttp);
  EXPECT_EQ(edge.far_to(file.servers[0]), TransportKind::kStdio);
  EXPECT_EQ(edge.headers.size(), 1u);
  EXPECT_NO_THROW(name_server_of(edge, file.servers));
  edge.server = "another";
  EXPECT_THROW(name_server_of(edge, file.servers), UsageError);

  reports::Vault vault;
  harness::InteropGateway given = gateway_of_words({"http://127.0.0.1:8080/mcp"}, vault);
  EXPECT_EQ(given.name, "127.0.0.1:8080");
  name_server_of(given, file.servers);
  EXPECT_EQ(given.server, "s");
  given.server.clear();
  EXPECT_THROW(name_server_of(given, {file.servers[0], file.servers[0]}), UsageError);
}

TEST(InteropFile, ValuesOfVariablesStandInNoReport) {
  reports::Vault vault;
  const InteropFile file = read(std::string(kClient) + R"(
servers:
  s: {command: serve, args: ["--key=${TOKEN}"], env: {KEY: "${TOKEN}"}}
)",
                                vault);
  EXPECT_THAT(file.servers[0].over_stdio->words,
              ElementsAre("serve", "--key=a-value-that-is-secret"));
  EXPECT_EQ(file.servers[0].location.find("secret"), std::string::npos);
  std::string text = "it says a-value-that-is-secret";
  vault.redact(text);
  EXPECT_EQ(text.find("a-value"), std::string::npos);
}

TEST(InteropFile, MistakesNameTheEntryAndTheMember) {
  EXPECT_THAT(trouble(kServer), HasSubstr("clients has to name at least one"));
  EXPECT_THAT(trouble(std::string(kClient) + "servers:\n  s: {commnd: x}\n"),
              HasSubstr("server 's': commnd is not known; do you mean 'command'?"));
  EXPECT_THAT(trouble(std::string(kClient) + "servers:\n  s: {cwd: .}\n"),
              HasSubstr("server 's' has neither a command nor a url"));
  EXPECT_THAT(trouble(std::string(kClient) + "servers:\n  s: {command: x, start: [y]}\n"),
              HasSubstr("has no url"));
  EXPECT_THAT(trouble(std::string(kServer) + "clients:\n  reference: {command: x}\n"),
              HasSubstr("the name of our own"));
  EXPECT_THAT(trouble(std::string(kServer) + "clients:\n  c: {command: x, args: [], http: []}\n"),
              HasSubstr("beside stdio or http"));
  EXPECT_THAT(trouble(std::string(kServer) + "clients:\n  c: {command: x, package: -g}\n"),
              HasSubstr("not a name of npm"));
  EXPECT_THAT(trouble(std::string(kServer) + "clients:\n  c: {command: x, versions: [1]}\n"),
              HasSubstr("has versions, but no package"));
  EXPECT_THAT(trouble(std::string(kServer) + kClient + "eras: middle\n"), HasSubstr("'middle'"));
  EXPECT_THAT(trouble(std::string(kServer) + kClient + "timeout: 0\n"), HasSubstr("timeout"));
  EXPECT_THAT(trouble(std::string(kServer) + kClient + "gateways:\n  g: {command: x}\n"),
              HasSubstr("needs {url} or {server}"));
  EXPECT_THAT(trouble(std::string(kServer) + kClient + "gateways:\n  g: {server: s}\n"),
              HasSubstr("has neither a command nor a url"));
  EXPECT_THAT(trouble(std::string(kClient) + "servers:\n  s: {command: \"${UNSET}\"}\n"),
              HasSubstr("UNSET"));
}

TEST(InteropFile, FirstFileCanBeRead) {
  ListedServer server;
  server.name = "my server";
  server.words = {{"node", "node"}, {"server.js", "server.js"}};
  const std::string text = interop_template({server}, "mcp-interop.schema.json");
  const InteropFile file = read(text);
  EXPECT_EQ(file.servers[0].name, "my server");
  EXPECT_THAT(file.servers[0].over_stdio->words, ElementsAre("node", "server.js"));
  ASSERT_EQ(file.clients.size(), 1u);
  EXPECT_FALSE(file.clients[0].ways.empty());
}

TEST(InteropFile, OurOwnPeersSpeakEverything) {
  for (const TransportKind transport : {TransportKind::kStdio, TransportKind::kHttp}) {
    EXPECT_TRUE(reference_server_entry("mcp-assay").speaks(transport));
    EXPECT_TRUE(reference_client_entry("mcp-assay").launch(transport).has_value());
  }
}

}  // namespace
}  // namespace assay::cli
