// A way to reach the target: opens one wire to it, as often as scenarios ask.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/script/transport_kind.h"
#include "harness/script/user_token.h"
#include "reference/model/revision.h"
#include "reference/transport/client_transport.h"
#include "reference/wire/budget.h"
#include "reports/vault.h"

namespace assay::transport {
class HttpClient;
class HttpSseClient;
class StdioChild;
}  // namespace assay::transport

namespace assay::harness {

class Pace;
class TokenIssuer;
class Upstream;

// One wire. `http`, `http_sse` and `child` point into `transport` where it is of that kind, for
// scenarios whose topic is that transport; null otherwise.
struct Link {
  std::unique_ptr<transport::ClientTransport> transport;
  transport::HttpClient* http = nullptr;
  transport::HttpSseClient* http_sse = nullptr;
  transport::StdioChild* child = nullptr;
};

// Makes a new wire to the target that reports to `observer`; it is not open yet. Called from
// several threads at once.
using Connector = std::function<Link(transport::Observer& observer)>;

struct TargetAccess {
  TransportKind kind = TransportKind::kStdio;
  Connector connect;
  // Headers whose values no transcript may keep, besides those that are credentials by nature.
  std::vector<std::string> secret_headers;
  // Where their values are, and the labels that stand in their place. Null: each connection has
  // one.
  std::shared_ptr<reports::Vault> vault;
  // What the target may make us hold, over all connections; null: each connection has bounds of its
  // own only.
  wire::BudgetPtr budget = nullptr;
  // How fast it is asked, over all connections; null: at full speed, whatever it says of limits.
  std::shared_ptr<Pace> pace = nullptr;
  // How a person reaches the target from a shell: the command, quoted, or the URL.
  std::string shell_form;
  // The tokens that were given for it. The first of the good ones is what `connect` shows.
  std::vector<UserToken> tokens = {};
  // Connects as `connect` does, and shows this token. Null: there are no tokens to be shown.
  std::function<Connector(const UserToken&)> with_token = nullptr;

  // The authorization server of ours that the target was told of; null: it was told of none.
  std::shared_ptr<TokenIssuer> issuer = nullptr;
  // The API of ours that the target was told to ask for its clients; null: it was told of none.
  std::shared_ptr<Upstream> upstream = nullptr;

  // Those that the target takes, in their order.
  std::vector<UserToken> good_tokens() const;
};

}  // namespace assay::harness
