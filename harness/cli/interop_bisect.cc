#include "harness/cli/interop_bisect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "harness/frame/command.h"
#include "harness/interop/bisect.h"
#include "reports/escape.h"
#include "reports/interop/interop_text.h"

namespace assay::cli {
namespace {

// Every release that is tried is told on a line of its own.
class SilentEvents : public reports::Events {
 public:
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

template <typename Entry>
Entry& only(std::vector<Entry>& entries, const std::string& name, std::string_view what) {
  std::erase_if(entries,
                [&](const Entry& each) { return each.name != name && !each.is_reference; });
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& each) { return each.name == name; });
  if (found != entries.end()) return *found;
  throw UsageError(fmt::format("--bisect: the matrix has no {} '{}'", what,
                               reports::printable_line(reports::cut(name, 60))));
}

// Takes one release after another for the party's first package.
class Bisecting {
 public:
  Bisecting(const BisectRequest& request, harness::MatrixOptions options,
            const harness::PackageCache& cache, const std::stop_token& stop)
      : request_(request), options_(std::move(options)), cache_(cache), stop_(stop) {
    only(options_.clients, request.client, "client");
    only(options_.servers, request.server, "server");
    options_.transports = {request.transport == "stdio" ? harness::TransportKind::kStdio
                                                        : harness::TransportKind::kHttp};
    options_.eras = {"newest"};
    options_.gateways.clear();
    const std::vector<std::string> packages = request.is_of_server
                                                  ? server(options_).packages.packages
                                                  : client(options_).packages.packages;
    if (packages.empty()) {
      throw UsageError(fmt::format("--bisect: the {} names no package of npm",
                                   request.is_of_server ? "server" : "client"));
    }
    const std::size_t at = packages.front().find('@', 1);
    package_ = packages.front().substr(0, at);
    bad_ = at == std::string::npos ? "" : packages.front().substr(at + 1);
    if (bad_.empty()) throw UsageError("--bisect: the package needs a version, which fails");
  }

  int run() {
    const auto published = harness::published_versions(package_, stop_);
    if (const auto* why = std::get_if<std::string>(&published)) {
      throw UsageError(fmt::format("--bisect: {}", *why));
    }
    const std::vector<std::string> releases = harness::releases_between(
        std::get<std::vector<std::string>>(published), request_.good, bad_);
    if (releases.empty()) {
      throw UsageError(fmt::format("--bisect: npm knows no releases of {} from {} to {}", package_,
                                   request_.good.empty() ? "the first" : request_.good, bad_));
    }
    fmt::print("{} releases of {}\n", releases.size(), reports::printable_line(package_));
    const harness::Bisection found = harness::bisect(
        releases, [this](const std::string& version) { return works(version); },
        [this] { return stop_.stop_requested(); });
    return tell(found, releases);
  }

 private:
  harness::InteropClient& client(harness::MatrixOptions& options) const {
    return only(options.clients, request_.client, "client");
  }
  harness::InteropServer& server(harness::MatrixOptions& options) const {
    return only(options.servers, request_.server, "server");
  }

  std::optional<bool> works(const std::string& version) const {
    harness::MatrixOptions options = options_;
    std::vector<std::string>& packages = request_.is_of_server ? server(options).packages.packages
                                                               : client(options).packages.packages;
    packages.front() = fmt::format("{}@{}", package_, version);
    harness::get_packages(options.servers, options.clients, options.gateways, cache_, stop_,
                          nullptr);
    SilentEvents silent;
    const reports::InteropResult result = harness::run_matrix(options, silent);
    const reports::PairCell* cell = cell_in(result);
    const std::optional<bool> answer = answer_in(cell);
    fmt::print("  {:<20} {}\n", reports::printable_line(version),
               !answer ? "cannot be told: " + why_untold(cell)
                       : (*answer ? std::string("works") : "fails"));
    std::cout.flush();
    return answer;
  }

  const reports::PairCell* cell_in(const reports::InteropResult& result) const {
    const auto found =
        std::find_if(result.cells.begin(), result.cells.end(), [this](const auto& cell) {
          return cell.client == request_.client && cell.server == request_.server;
        });
    return found == result.cells.end() ? nullptr : &*found;
  }
  std::optional<bool> answer_in(const reports::PairCell* cell) const {
    if (cell == nullptr || !cell->not_run.empty()) return std::nullopt;
    const reports::PairAct* act = cell->act(request_.act);
    const reports::PairAct* connect = cell->act("connect");
    if (act == nullptr || connect == nullptr) return std::nullopt;
    if (act->seen == reports::ActSeen::kWorked) return true;
    // Who does not connect does nothing else either.
    const bool has_failed =
        act->seen == reports::ActSeen::kFailed || connect->seen == reports::ActSeen::kFailed;
    return has_failed ? std::optional(false) : std::nullopt;
  }
  std::string why_untold(const reports::PairCell* cell) const {
    if (cell != nullptr && !cell->not_run.empty()) return reports::printable_line(cell->not_run);
    const reports::PairAct* act = cell == nullptr ? nullptr : cell->act(request_.act);
    return act == nullptr || act->detail.empty() ? "the act was not reached"
                                                 : reports::printable_line(act->detail);
  }

  // " (not told: 1.3.0)", of those between the two.
  static std::string untold_between(const harness::Bisection& found,
                                    const std::vector<std::string>& releases) {
    const auto good = std::find(releases.begin(), releases.end(), found.last_good);
    const auto bad = std::find(good, releases.end(), found.first_bad);
    std::string out;
    for (auto each = good == bad ? bad : good + 1; each != bad; ++each) {
      out +=
          fmt::format("{}{}", out.empty() ? " (not told: " : ", ", reports::printable_line(*each));
    }
    return out.empty() ? out : out + ")";
  }

  int tell(const harness::Bisection& found, const std::vector<std::string>& releases) const {
    if (stop_.stop_requested()) return kInterrupted;
    const std::string package = reports::printable_line(package_);
    if (found.first_bad.empty()) {
      const bool works = !found.tried.empty() && found.tried.front().works == true;
      fmt::print("{}: {}@{}.\n",
                 works ? "There is nothing to find, because this release works"
                       : "Nothing was found, because nothing shows whether this release works",
                 package, reports::printable_line(bad_));
      return kNotTested;
    }
    if (found.last_good.empty()) {
      fmt::print("No release of {} was found that works: {} fails, too.\n", package,
                 found.first_bad);
      return kNotTested;
    }
    fmt::print("{}@{} works, and {}@{} is the first that fails{}.\n", package, found.last_good,
               package, found.first_bad, untold_between(found, releases));
    return kViolations;
  }

  const BisectRequest& request_;
  harness::MatrixOptions options_;
  const harness::PackageCache& cache_;
  const std::stop_token& stop_;
  std::string package_;  // without a version
  std::string bad_;      // the version that fails
};

}  // namespace

BisectRequest parse_bisect(const std::string& cell, const std::string& of,
                           const std::string& good) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t at = cell.find('/'); at != std::string::npos; at = cell.find('/', begin)) {
    parts.push_back(cell.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(cell.substr(begin));
  const bool is_cell = parts.size() == 4 && (parts[2] == "stdio" || parts[2] == "http");
  if (!is_cell) throw UsageError("--bisect takes CLIENT/SERVER/TRANSPORT/ACT");
  if (reports::find_pair_act(parts[3]) == nullptr) {
    std::string known;
    for (const reports::PairActInfo& act : reports::pair_acts()) {
      known += fmt::format("{}{}", known.empty() ? "" : ", ", act.id);
    }
    throw UsageError(fmt::format("--bisect: there is no act '{}'; known: {}",
                                 reports::printable_line(reports::cut(parts[3], 60)), known));
  }
  return {parts[0], parts[1], parts[2], parts[3], of == "server", good};
}

int run_bisect(const BisectRequest& request, harness::MatrixOptions options,
               const harness::PackageCache& cache, const std::stop_token& stop) {
  return Bisecting(request, std::move(options), cache, stop).run();
}

}  // namespace assay::cli
