// A way to reach the target: opens one wire to it, as often as scenarios ask.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

enum class TransportKind { kStdio, kHttp, kHttpSse };

// "stdio", "http", "http+sse": as reports and the catalogue write it.
std::string_view name(TransportKind kind);

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
  // How a person reaches the target from a shell: the command, quoted, or the URL.
  std::string shell_form;
};

}  // namespace assay::harness
