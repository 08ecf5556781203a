#include "harness/interop/pair_way.h"

#include <utility>

namespace assay::harness {
namespace {

// How long a gateway may take to listen.
constexpr std::chrono::milliseconds kGatewayStart{30'000};

std::unique_ptr<PairTap> tap_before(const CellJob& job, TransportKind transport,
                                    const CellContext& context, bool ends_session) {
  if (transport.has_process()) {
    return tap_stdio(*job.server->over_stdio, context.relay_program, context.vault);
  }
  return tap_http(*job.url, {job.server->headers, ends_session, job.asks_for_token}, context.vault);
}

}  // namespace

std::optional<std::string> PairWay::start() {
  if (job_.gateway != nullptr) return start_behind_gateway();
  near_ = tap_before(job_, job_.transport, context_, ends_session_);
  return near_->start();
}

std::optional<std::string> PairWay::start_behind_gateway() {
  const InteropGateway& gateway = *job_.gateway;
  if (gateway.runs_already()) return start_before(gateway, std::nullopt);
  far_ = tap_before(job_, gateway.far, context_, false);
  if (auto trouble = far_->start()) return trouble;
  Launch launch = *gateway.launch;
  launch.words = far_->told(std::move(launch.words));
  if (gateway.near().has_process()) {
    near_ = tap_stdio(std::move(launch), context_.relay_program, context_.vault, "gateway");
    return near_->start();
  }
  return start_before(gateway, std::move(launch));
}

std::optional<std::string> PairWay::start_before(const InteropGateway& gateway,
                                                 std::optional<Launch> launch) {
  InteropServer listens;
  listens.name = gateway.name;
  listens.url = gateway.url;
  listens.start = std::move(launch);
  if (auto trouble = gateway_.start(listens, kGatewayStart, context_.stop)) {
    return "the gateway: " + *trouble;
  }
  near_ = tap_http(gateway_.url(), {gateway.headers, ends_session_, false}, context_.vault);
  return near_->start();
}

void PairWay::take_client_end() {
  if (near_) near_->take_client_end();
}

Tapped PairWay::finish(std::vector<RecordedSession>& after_gateway) {
  Tapped out = near_->finish();
  if (!far_) return out;
  if (const std::string end = gateway_.end(); !end.empty()) out.server_end = "the gateway: " + end;
  // It ends before what it speaks to.
  gateway_ = HttpHost();
  far_->take_client_end();
  Tapped beyond = far_->finish();
  after_gateway = std::move(beyond.sessions);
  if (out.shortfall.empty()) out.shortfall = beyond.shortfall;
  if (!beyond.server_end.empty()) {
    out.server_end += (out.server_end.empty() ? "" : "; ") + beyond.server_end;
  }
  return out;
}

}  // namespace assay::harness
