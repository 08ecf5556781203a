// Who takes part in a matrix: servers and clients, and how each is started or reached.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/profile/act.h"
#include "harness/runner/runner.h"
#include "harness/script/link.h"
#include "reference/transport/observer.h"

namespace assay::harness {

// A command, and where and with what it runs.
struct Launch {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment;  // added to ours
  std::string directory;                                         // empty: here
};

// npm packages that an entry needs (packages.h).
struct PackageSet {
  std::vector<std::string> packages;  // "@scope/name@1.2.3", or a name alone: what npm then chooses
  std::vector<std::string> files;     // of the user's, put where they can import the packages

  bool is_empty() const { return packages.empty(); }
};

// What stands in a URL, and in the words and the environment of a command, for a free port.
inline constexpr std::string_view kPortMark = "{port}";

struct InteropServer {
  std::string name;      // one that no other server of the matrix has
  std::string package;   // "@modelcontextprotocol/server-everything@2026.8.31"; may be empty
  std::string location;  // as reports show it
  bool is_reference = false;
  // Of ours: it refuses requests without a token. Clients are tried with it where a server of the
  // matrix does so, too.
  bool asks_for_token = false;
  PackageSet packages;
  std::string trouble;  // why it cannot be started at all; empty: it can

  std::optional<Launch> over_stdio;  // nothing: it does not speak stdio
  std::string url;                   // empty: it does not speak HTTP
  std::optional<Launch> start;       // what listens at the URL; nothing: somebody has started it
  transport::Headers headers;        // sent with each request; their values are secrets
  // One start over HTTP serves several cells. Not where a client changes what the next one finds.
  bool is_shared = true;

  // Which of its tools may be called, and what is known of it.
  ToolPolicy tools;
  KnownProfiles profiles;

  bool speaks(TransportKind transport) const {
    return transport.has_process() ? over_stdio.has_value() : !url.empty();
  }
};

// In which era a client is run: as it is, or made to speak the oldest revision that it knows.
struct InteropEra {
  std::string name = "newest";
  std::vector<std::string> words;  // after those of the command
  std::vector<std::pair<std::string, std::string>> environment;
};

struct InteropClient {
  std::string name;
  std::string package;
  std::string location;
  bool is_reference = false;
  PackageSet packages;
  std::string trouble;

  std::optional<Launch> over_stdio;
  std::optional<Launch> over_http;
  // How it is made to do one thing for each start; empty: one start does all.
  std::vector<ClientWay> ways;
  std::vector<InteropEra> eras = {{}};

  const std::optional<Launch>& launch(TransportKind transport) const {
    return transport.has_process() ? over_stdio : over_http;
  }
};

// A proxy or gateway that stands between: a program for each start of a client, that connects to
// the server at {url}, or starts it ({server}); or one that runs already, whose way to its server
// is its own affair.
struct InteropGateway {
  std::string name;
  std::string package;
  std::string location;
  PackageSet packages;
  std::string trouble;

  std::optional<Launch> launch;  // nothing: it runs already, at the URL
  std::string url;               // where it listens for clients, at {port}; empty: over stdio
  transport::Headers headers;    // sent with each request to the URL; their values are secrets
  std::string server;            // the only one that it reaches; empty: any of the matrix

  bool runs_already() const { return !launch; }
  // How clients reach it, and how it reaches servers.
  TransportKind near() const { return url.empty() ? TransportKind::kStdio : TransportKind::kHttp; }
  TransportKind far = TransportKind::kHttp;
  // Of one that runs already no one knows: then how the server is reached without it.
  TransportKind far_to(const InteropServer& behind) const {
    return runs_already() && !behind.speaks(far) ? TransportKind::kStdio : far;
  }
};

}  // namespace assay::harness
