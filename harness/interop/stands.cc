#include "harness/interop/stands.h"

#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "harness/interop/entrance.h"
#include "harness/runner/target.h"
#include "harness/runner/worker_pool.h"

namespace assay::harness {
namespace {

std::optional<TargetAccess> access_to(const Stand& stand, const CellContext& context,
                                      const transport::Headers& more = {}) {
  if (stand.transport.has_process()) {
    const Launch& launch = *stand.server->over_stdio;
    TargetAccess access = over_stdio({launch.words, launch.environment, launch.directory});
    access.vault = context.vault;
    return access;
  }
  UrlTarget target;
  target.url = stand.host.url().text();
  target.headers = stand.server->headers;
  target.headers.insert(target.headers.end(), more.begin(), more.end());
  auto access = over_http(target);
  if (std::holds_alternative<transport::Failure>(access)) return std::nullopt;
  auto& found = std::get<TargetAccess>(access);
  found.vault = context.vault;
  return std::move(found);
}

Patience patience_of_offers() {
  Patience patience;
  patience.start = kServerStart;
  return patience;
}

}  // namespace

Stand& Stands::of(const InteropServer& server, TransportKind transport) {
  for (Stand& stand : all_) {
    if (stand.server == &server && stand.transport == transport) return stand;
  }
  Stand& stand = all_.emplace_back();
  stand.server = &server;
  stand.transport = transport;
  return stand;
}

void Stands::make_ready(int jobs) {
  std::vector<Stand*> fresh;
  for (Stand& stand : all_) {
    if (!std::exchange(stand.is_ready, true)) fresh.push_back(&stand);
  }
  for (Stand* stand : fresh) start(*stand);
  WorkerPool pool(jobs);
  for (Stand* stand : fresh) {
    if (stand->trouble.empty()) pool.add([this, stand] { take_offers(*stand); });
  }
  pool.drain();
}

void Stands::start(Stand& stand) const {
  stand.trouble = stand.server->trouble;
  const bool is_started_here = stand.transport.has_url() && stand.trouble.empty();
  if (!is_started_here || is_stopped()) return;
  stand.trouble = stand.host.start(*stand.server, kServerStart, context_.stop).value_or("");
}

void Stands::take_offers(Stand& stand) const {
  if (is_stopped()) return;
  const auto access = access_to(stand, context_);
  if (!access) return;
  stand.offers = harness::take_offers(*access, *stand.server, patience_of_offers(), context_.stop);
  const bool is_closed =
      !stand.offers.handshake.trouble.empty() && !stand.offers.stateless.trouble.empty();
  if (is_closed && stand.transport.has_url() && !is_stopped()) come_in(stand);
}

void Stands::come_in(Stand& stand) const {
  const Entrance entrance = look_at_entrance(stand.host.url(), stand.server->headers);
  stand.asks_for_token = entrance.asks_for_token;
  if (entrance.authorization.empty() || is_stopped()) return;
  const transport::Headers shown = {{"Authorization", entrance.authorization}};
  context_.vault->add_field(shown.front().first, shown.front().second);
  const auto access = access_to(stand, context_, shown);
  if (!access) return;
  stand.offers = harness::take_offers(*access, *stand.server, patience_of_offers(), context_.stop);
}

}  // namespace assay::harness
