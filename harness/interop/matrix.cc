#include "harness/interop/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "harness/interop/difference.h"
#include "harness/interop/http_host.h"
#include "harness/interop/stands.h"
#include "harness/runner/new_result.h"
#include "harness/runner/worker_pool.h"
#include "reports/interop/merge_interop.h"

namespace assay::harness {
namespace {

using std::chrono::milliseconds;

struct Planned {
  CellJob job;
  Stand* stand = nullptr;
  bool is_trial = false;
  CellLook look;
};

using ClientKey = std::tuple<std::string_view, TransportKind, std::string_view>;

class Matrix {
 public:
  Matrix(const MatrixOptions& options, reports::Events& events)
      : options_(options), events_(events), stands_(options.context) {
    plan();
  }

  void run(reports::InteropResult& result) {
    stands_.make_ready(options_.jobs);
    add_login_trials();
    run_all(true);
    note_clients();
    run_all(false);
    collect(result);
    look_again(result);
    run_gateways(result);
    name_parties(result);
  }

 private:
  bool is_stopped() const { return options_.context.stop.stop_requested(); }

  // All cells of strangers, dealt out to the shards; and the trials of those who take part.
  void plan() {
    std::size_t place = 0;
    for (const InteropServer& server : options_.servers) {
      for (const InteropClient& client : options_.clients) {
        if (server.is_reference || client.is_reference) continue;
        each_way(server, client, [&](TransportKind transport, const InteropEra& era) {
          if (is_of_shard(place++)) add(server, client, transport, era);
        });
      }
    }
    const std::size_t cells = cells_.size();
    if (cells == 0) no_cells_ = why_no_cells(place);
    for (std::size_t i = 0; i < cells; ++i) add_trials(cells_[i].job);
    plan_gateways();
  }

  // `in_all_shards`: the cells of the whole matrix.
  std::string why_no_cells(std::size_t in_all_shards) const {
    if (in_all_shards > 0) {
      return fmt::format("the matrix has fewer cells ({}) than parts, and part {}/{} has none",
                         in_all_shards, options_.shard.index, options_.shard.total);
    }
    bool can_meet = false;
    std::string over;
    for (const TransportKind transport : options_.transports) {
      over += fmt::format("{}{}", over.empty() ? "" : " or ", name(transport));
      for (const InteropServer& server : options_.servers) {
        for (const InteropClient& client : options_.clients) {
          const bool is_ours = server.is_reference || client.is_reference;
          can_meet = can_meet || (!is_ours && server.speaks(transport) && client.launch(transport));
        }
      }
    }
    if (can_meet) return "no client has another era than its newest";
    return fmt::format("no client and server of it both speak {}", over);
  }

  // The same pairs, behind each gateway.
  void plan_gateways() {
    std::size_t place = 0;
    for (const InteropGateway& gateway : options_.gateways) {
      for (const InteropServer& server : options_.servers) {
        for (const InteropClient& client : options_.clients) {
          const bool is_ours = server.is_reference || client.is_reference;
          if (is_ours || !can_stand_before(gateway, server)) continue;
          if (!client.launch(gateway.near())) continue;
          for (const InteropEra& era : client.eras) {
            if (is_wanted(era) && is_of_shard(place++)) add_behind(gateway, server, client, era);
          }
        }
      }
    }
  }

  static bool can_stand_before(const InteropGateway& gateway, const InteropServer& server) {
    const bool reaches = gateway.server.empty() || gateway.server == server.name;
    return reaches && server.speaks(gateway.far_to(server));
  }

  void add_behind(const InteropGateway& gateway, const InteropServer& server,
                  const InteropClient& client, const InteropEra& era) {
    const TransportKind far = gateway.far_to(server);
    Planned& planned = behind_.emplace_back();
    planned.stand = &stands_.of(server, far);
    planned.job.gateway = &gateway;
    planned.job.client = &client;
    planned.job.era = &era;
    planned.job.server = &server;
    planned.job.transport = gateway.near();
    planned.job.known = &unknown_;
    planned.job.acts = askable_acts();
    // What each can do without it has to be known.
    CellJob direct = planned.job;
    add_trials(direct);
    direct.transport = far;
    add_trials(direct);
  }

  bool is_wanted(const InteropEra& era) const {
    return std::find(options_.eras.begin(), options_.eras.end(), era.name) != options_.eras.end();
  }
  bool is_of_shard(std::size_t place) const {
    return place % static_cast<std::size_t>(options_.shard.total) ==
           static_cast<std::size_t>(options_.shard.index - 1);
  }

  template <typename Visit>
  void each_way(const InteropServer& server, const InteropClient& client,
                const Visit& visit) const {
    for (const TransportKind transport : options_.transports) {
      if (!server.speaks(transport) || !client.launch(transport)) continue;
      for (const InteropEra& era : client.eras) {
        if (is_wanted(era)) visit(transport, era);
      }
    }
  }

  void add_trials(const CellJob& job) {
    for (const InteropServer& server : options_.servers) {
      const bool can_meet = server.speaks(job.transport) && job.client->launch(job.transport);
      const bool is_plain = server.is_reference && !server.asks_for_token;
      if (is_plain && can_meet) add(server, *job.client, job.transport, *job.era);
    }
    for (const InteropClient& client : options_.clients) {
      const bool can_meet = job.server->speaks(job.transport) && client.launch(job.transport);
      if (!client.is_reference || !can_meet) continue;
      const auto era =
          std::find_if(client.eras.begin(), client.eras.end(),
                       [&](const InteropEra& each) { return each.name == job.era->name; });
      if (era != client.eras.end()) add(*job.server, client, job.transport, *era);
    }
  }

  // Each once.
  void add(const InteropServer& server, const InteropClient& client, TransportKind transport,
           const InteropEra& era) {
    const bool is_there = std::any_of(cells_.begin(), cells_.end(), [&](const Planned& each) {
      return each.job.server == &server && each.job.client == &client &&
             each.job.transport == transport && each.job.era == &era;
    });
    if (is_there) return;
    Planned& planned = cells_.emplace_back();
    planned.stand = &stands_.of(server, transport);
    planned.is_trial = server.is_reference || client.is_reference;
    planned.job.client = &client;
    planned.job.era = &era;
    planned.job.server = &server;
    planned.job.transport = transport;
    planned.job.known = &unknown_;
    planned.job.acts = askable_acts();
  }

  // Of a server that asks for a token it shows only then: clients that meet it are also tried with
  // ours, which asks for one, too.
  void add_login_trials() {
    for (const InteropServer& server : options_.servers) {
      if (!server.is_reference || !server.asks_for_token) continue;
      const std::size_t cells = cells_.size();
      for (std::size_t i = 0; i < cells; ++i) {
        const Planned& planned = cells_[i];
        const CellJob& job = planned.job;
        if (planned.is_trial || !planned.stand->asks_for_token) continue;
        if (server.speaks(job.transport)) add(server, *job.client, job.transport, *job.era);
      }
    }
    stands_.make_ready(options_.jobs);
  }

  void run_all(bool is_trial) {
    WorkerPool pool(options_.jobs);
    reports::PlanSize size{1, 0};
    for (const Planned& planned : cells_) size.scenarios += planned.is_trial == is_trial ? 1 : 0;
    events_.run_started(size);
    for (Planned& planned : cells_) {
      if (planned.is_trial != is_trial) continue;
      pool.add([this, &planned] {
        planned.look =
            run_on(planned.job, *planned.stand, nullptr, !planned.stand->server->is_shared);
        tell(planned.look.cell);
      });
    }
    pool.drain();
  }

  // `is_fresh`: over HTTP with a server of its own, which is started on this thread.
  CellLook run_on(CellJob job, Stand& stand, const CellLook* before, bool is_fresh) const {
    const auto unrun = [&](std::string why) {
      options_.context.vault->redact_quoted(why);
      CellLook look;
      look.cell = unrun_cell(job, std::move(why));
      return look;
    };
    if (is_stopped()) return unrun("the run was stopped");
    if (!job.client->trouble.empty()) return unrun("the client: " + job.client->trouble);
    if (job.gateway != nullptr && !job.gateway->trouble.empty()) {
      return unrun("the gateway: " + job.gateway->trouble);
    }
    if (!stand.trouble.empty()) return unrun("the server: " + stand.trouble);
    HttpHost own;
    if (stand.transport.has_url()) {
      const bool is_reached = job.gateway == nullptr || !job.gateway->runs_already();
      if (is_fresh && is_reached && job.server->start) {
        if (auto trouble = own.start(*job.server, kServerStart, options_.context.stop)) {
          return unrun("the server: " + *trouble);
        }
        job.url = own.url();
      } else {
        job.url = stand.host.url();
      }
    }
    job.asks_for_token = stand.asks_for_token;
    job.offer = &stand.offers.in(job.known->revision);
    CellLook look = run_cell(job, options_.context, before);
    // Another era than was expected: what the server offers there is something else.
    const std::string& spoken = look.cell.agreement.revision;
    if (spoken.empty() || is_stopped()) return look;
    const Offer& there = stand.offers.in(spoken);
    if (&there == job.offer || !there.trouble.empty()) return look;
    job.offer = &there;
    return run_cell(job, options_.context, before);
  }

  void tell(const reports::PairCell& cell) {
    const std::lock_guard lock(telling_);
    const reports::RunKey key{cell.client, cell.server};
    events_.scenario_finished(key, fmt::format("{} {}", cell.transport, cell.era),
                              cell.duration_ms);
    for (const reports::PairAct& act : cell.acts) {
      if (act.seen != reports::ActSeen::kFailed) continue;
      reports::Verdict verdict;
      verdict.requirement = act.act;
      verdict.outcome = reports::Outcome::kViolated;
      events_.verdict(key, verdict);
    }
  }

  void note_clients() {
    for (const Planned& planned : cells_) {
      const InteropServer& server = *planned.job.server;
      const bool is_of_client = server.is_reference && !server.asks_for_token;
      if (!is_of_client || !planned.look.cell.not_run.empty()) continue;
      clients_[key_of(planned.job)] = planned.look.shown;
    }
    for (Planned& planned : cells_) {
      const auto known = clients_.find(key_of(planned.job));
      if (known != clients_.end() && !planned.is_trial) planned.job.known = &known->second;
    }
  }
  static ClientKey key_of(const CellJob& job) {
    return {job.client->name, job.transport, job.era->name};
  }

  void collect(reports::InteropResult& result) const {
    for (const Planned& planned : cells_) result.cells.push_back(planned.look.cell);
    if (behind_.empty()) result.no_cells = no_cells_;
    reports::settle_interop(result);
  }

  // What fails is tried once more before it is shown so, while nothing else runs.
  void look_again(reports::InteropResult& result) {
    std::vector<std::size_t> failing;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (!cells_[i].is_trial && reports::has_failed(result.cells[i])) failing.push_back(i);
    }
    events_.run_started({1, static_cast<int>(failing.size())});
    for (const std::size_t i : failing) {
      if (is_stopped()) break;
      Planned& planned = cells_[i];
      CellJob job = planned.job;
      job.is_one_by_one = job.known->gives_words;
      if (job.is_one_by_one) job.acts = open_acts(result.cells[i]);
      CellLook again = run_on(std::move(job), *planned.stand, &planned.look, true);
      tell(again.cell);
      result.cells[i] = both_looks(std::move(result.cells[i]), std::move(again.cell));
    }
    reports::settle_interop(result);
  }
  static std::set<std::string> open_acts(const reports::PairCell& cell) {
    std::set<std::string> out;
    for (const reports::PairAct& act : cell.acts) {
      const bool was_left = act.seen == reports::ActSeen::kNotReached &&
                            act.outcome != reports::ActOutcome::kUnsupported;
      if (reports::is_failing(act.outcome) || was_left) out.insert(act.act);
    }
    // What the two agreed on shows in any of them.
    const bool is_negotiation = out.contains("down") || out.contains("up");
    if (is_negotiation || out.empty()) out.insert("connect");
    out.erase("down");
    out.erase("up");
    return out;
  }

  // What works without a gateway is compared with what works through it. A cell that fails is run
  // once more, as others are.
  void run_gateways(reports::InteropResult& result) {
    if (behind_.empty()) return;
    for (Planned& planned : behind_) {
      const auto known = clients_.find(key_of(planned.job));
      if (known != clients_.end()) planned.job.known = &known->second;
    }
    events_.run_started({1, static_cast<int>(behind_.size())});
    {
      WorkerPool pool(options_.jobs);
      for (Planned& planned : behind_) {
        pool.add([this, &planned] {
          planned.look =
              run_on(planned.job, *planned.stand, nullptr, !planned.stand->server->is_shared);
          tell(planned.look.cell);
        });
      }
    }
    for (Planned& planned : behind_) {
      reports::PairCell cell = difference_of(planned.look.cell, result);
      if (has_failure(cell) && !is_stopped()) {
        CellLook again = run_on(planned.job, *planned.stand, &planned.look, true);
        cell = difference_of(both_looks(planned.look.cell, std::move(again.cell)), result);
      }
      result.cells.push_back(std::move(cell));
    }
    reports::settle_interop(result);
  }
  static bool has_failure(const reports::PairCell& cell) {
    return std::any_of(cell.acts.begin(), cell.acts.end(), [](const reports::PairAct& act) {
      return act.seen == reports::ActSeen::kFailed;
    });
  }

  void name_parties(reports::InteropResult& result) const {
    for (const InteropClient& client : options_.clients) {
      reports::PairParty& party = result.clients.emplace_back(reports::PairParty{
          client.name, client.package, "", client.location, client.is_reference});
      for (const Planned& planned : cells_) {
        const bool is_it = planned.job.client == &client && party.introduced_as.empty();
        if (is_it) party.introduced_as = planned.look.client_name;
      }
    }
    for (const InteropServer& server : options_.servers) {
      const bool takes_part =
          !server.asks_for_token ||
          std::any_of(cells_.begin(), cells_.end(),
                      [&](const Planned& planned) { return planned.job.server == &server; });
      if (!takes_part) continue;
      reports::PairParty& party = result.servers.emplace_back(reports::PairParty{
          server.name, server.package, "", server.location, server.is_reference});
      for (const Planned& planned : cells_) {
        const bool is_it = planned.job.server == &server && party.introduced_as.empty();
        if (is_it) party.introduced_as = planned.look.server_name;
      }
    }
    for (const InteropGateway& gateway : options_.gateways) {
      result.gateways.push_back({gateway.name, gateway.package, "", gateway.location, false});
    }
  }

  const MatrixOptions& options_;
  reports::Events& events_;
  std::mutex telling_;  // guards events_
  Stands stands_;
  std::deque<Planned> cells_;
  std::deque<Planned> behind_;  // gateways
  std::string no_cells_;        // see InteropResult
  const KnownClient unknown_;
  std::map<ClientKey, KnownClient> clients_;
};

}  // namespace

reports::InteropResult run_matrix(const MatrixOptions& options, reports::Events& events) {
  const Clock::time_point began = Clock::now();
  const reports::Result head = new_result(0);
  reports::InteropResult result;
  result.tool_version = head.tool_version;
  result.catalogue_version = head.catalogue_version;
  result.catalogue_digest = head.catalogue_digest;
  result.started = head.started;
  result.shard = options.shard;
  Matrix(options, events).run(result);
  reports::order_cells(result);
  result.was_interrupted = options.context.stop.stop_requested();
  result.duration_ms = std::chrono::duration_cast<milliseconds>(Clock::now() - began).count();
  reports::bound(result);
  events.run_finished(head);
  return result;
}

}  // namespace assay::harness
