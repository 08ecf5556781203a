// Small peers in the shell, our own beside them, and matrices of both.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/interop/matrix.h"
#include "reports/events.h"
#include "reports/interop/interop_text.h"

namespace assay::harness::matrices {

// mcp-assay, with our own peers.
extern const char* const kProgramOfPeers;

struct UntoldEvents : reports::Events {
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

// Words of the shell for small peers over stdio. A client has says() and reads(); a server answers
// with reply ID RESULT.
inline constexpr const char* kClientWords = R"(
coproc server { "$@"; }
says() { echo "$1" >&${server[1]}; }
reads() { read -r line <&${server[0]} || exit 3; }
asks() { says "{\"jsonrpc\":\"2.0\",\"id\":$1,\"method\":\"$2\",\"params\":$3}"; reads; }
opens() {
  asks 1 initialize '{"protocolVersion":"'$version'","capabilities":{},"clientInfo":{"name":"small","version":"1"}}'
  says '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}
ends() { eval "exec ${server[1]}>&-"; wait; exit $1; }
)";
inline constexpr const char* kServerWords = R"(
reply() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
refuse() { printf '{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":"%s"}}\n' "$1" "$2" "$3"; }
id_of() { id=${1##*\"id\":}; id=${id%%[,\}]*}; }
hello='{"protocolVersion":"'$version'","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}}'
serve() {
  while read -r line; do
    id_of "$line"
    case $line in
      *server/discover*) refuse "$id" -32601 "Method not found" ;;
      *\"initialize\"*) reply "$id" "$hello" ;;
      *tools/list*) reply "$id" "$tools" ;;
      *tools/call*) reply "$id" '{"content":[{"type":"text","text":"done"}]}' ;;
      *\"ping\"*) reply "$id" '{}' ;;
    esac
  done
}
)";
// A client that lists and calls.
inline constexpr const char* kPlainClient =
    "opens; asks 2 tools/list {}; "
    "asks 3 tools/call '{\"name\":\"test_simple_text\",\"arguments\":{}}'; ends 0";
inline constexpr const char* kPlainTools =
    R"(tools='{"tools":[{"name":"test_simple_text","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}}]}';)";

inline constexpr const char* kNewestHandshake = "2025-11-25";

inline std::string spoken(const std::string& version) {
  return "version=" + version + "\n";
}

inline InteropClient small_client(const std::string& name, const std::string& script,
                                  const std::string& version = kNewestHandshake) {
  InteropClient out;
  out.name = name;
  out.over_stdio =
      Launch{{"bash", "-c", spoken(version) + kClientWords + script, "client", "{server}"}, {}, ""};
  return out;
}

inline InteropServer small_server(const std::string& name, const std::string& script,
                                  const std::string& version = kNewestHandshake) {
  InteropServer out;
  out.name = name;
  out.over_stdio = Launch{{"bash", "-c", spoken(version) + kServerWords + script}, {}, ""};
  return out;
}

inline InteropServer reference_server(const std::string& name, std::vector<std::string> more = {}) {
  InteropServer out;
  out.name = name;
  out.over_stdio = Launch{{kProgramOfPeers, "reference-server"}, {}, ""};
  out.url = "http://127.0.0.1:{port}/mcp";
  out.start = Launch{
      {kProgramOfPeers, "reference-server", "--transport", "http", "--port", "{port}"}, {}, ""};
  more.insert(more.end(), {"--page-size", "20"});
  for (Launch* launch : {&*out.over_stdio, &*out.start}) {
    launch->words.insert(launch->words.end(), more.begin(), more.end());
  }
  return out;
}

inline InteropClient reference_client(const std::string& name, std::vector<std::string> more = {}) {
  InteropClient out;
  out.name = name;
  std::vector<std::string> words = {kProgramOfPeers, "reference-client"};
  words.insert(words.end(), more.begin(), more.end());
  out.over_stdio = Launch{words, {}, ""};
  out.over_stdio->words.insert(out.over_stdio->words.end(), {"--", "{server}"});
  out.over_http = Launch{words, {}, ""};
  out.over_http->words.emplace_back("{url}");
  return out;
}

// With our own peers beside these.
inline MatrixOptions options(std::vector<InteropClient> clients, std::vector<InteropServer> servers,
                             std::vector<TransportKind> transports = {TransportKind::kStdio}) {
  MatrixOptions out;
  out.clients = std::move(clients);
  out.servers = std::move(servers);
  out.transports = std::move(transports);
  out.clients.push_back(reference_client("our client"));
  out.clients.back().is_reference = true;
  out.servers.push_back(reference_server("our server"));
  out.servers.back().is_reference = true;
  out.context.relay_program = kProgramOfPeers;
  out.context.vault = std::make_shared<reports::Vault>();
  out.jobs = 4;
  return out;
}

inline reports::InteropResult run(const MatrixOptions& options) {
  UntoldEvents untold;
  return run_matrix(options, untold);
}

inline const reports::PairCell& cell_of(const reports::InteropResult& result,
                                        const std::string& client, const std::string& server,
                                        const std::string& transport = "stdio") {
  for (const reports::PairCell& cell : result.cells) {
    const bool is_it =
        cell.client == client && cell.server == server && cell.transport == transport;
    if (is_it) return cell;
  }
  throw std::runtime_error("no such cell");
}

inline std::string told(const reports::InteropResult& result) {
  reports::TerminalOptions all;
  all.verbose = true;
  all.width = 160;
  return reports::render_interop_text(result, all);
}

}  // namespace assay::harness::matrices
