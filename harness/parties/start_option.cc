#include "harness/parties/start_option.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "harness/frame/command.h"
#include "harness/frame/target_words.h"
#include "reference/transport/http_url.h"

namespace assay::cli {
namespace {

// A way to a server that is not there.
class NoWay : public transport::ClientTransport {
 public:
  explicit NoWay(std::string why) : why_(std::move(why)) {}
  std::optional<transport::Failure> open() override {
    return transport::Failure{transport::Failure::Kind::kOther, why_};
  }
  transport::Lane send(std::string_view /*message*/) override { return {}; }
  transport::Lane send_raw(std::string_view /*bytes*/) override { return {}; }
  void close(transport::Deadline /*deadline*/) override {}

 private:
  std::string why_;
};

}  // namespace

Start start_server(const ServerOptions& options, std::chrono::milliseconds limit,
                   const std::stop_token& stop) {
  if (!options.is_started) return {};
  const auto url = transport::HttpUrl::parse(options.url.empty() ? options.sse_url : options.url);
  const auto& endpoint = std::get<transport::HttpUrl>(url);
  if (harness::StartedServer::is_answered(endpoint)) {
    throw UsageError(
        fmt::format("something answers at {} already, so --start starts nothing", endpoint.text()));
  }
  Start out;
  out.server = std::make_unique<harness::StartedServer>(
      options.command, parse_environment(options.environment), "", "the command of --start");
  out.problem = out.server->start(endpoint, limit, stop).value_or("");
  return out;
}

void close_ways(std::vector<harness::TargetAccess>& accesses, const std::string& problem) {
  for (harness::TargetAccess& access : accesses) {
    access.connect = [problem](transport::Observer&) {
      harness::Link link;
      link.transport = std::make_unique<NoWay>(problem);
      return link;
    };
  }
}

void mark_ended(reports::Result& result, const std::string& end) {
  using reports::RunStatus;
  for (reports::Run& run : result.runs) {
    if (run.status == RunStatus::kUnsupported) continue;  // it was there to say so
    const bool has_reason = run.status == RunStatus::kFailed && !run.reason.empty();
    run.reason = has_reason ? run.reason + "; " + end : end;
    run.status = RunStatus::kFailed;
    run.verdicts.clear();
    run.candidates.clear();
  }
}

}  // namespace assay::cli
