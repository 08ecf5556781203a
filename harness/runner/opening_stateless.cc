// How a run begins in the revisions without a handshake: `server/discover`, and what is said of a
// target that does not answer it.
//
// Specification of 2026-07-28: server/discover; basic/versioning, "Protocol Version Negotiation".
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/runner/extensions.h"
#include "harness/runner/opening.h"
#include "harness/runner/refusal.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"
#include "reports/escape.h"

namespace assay::harness {
namespace {

using reports::RunStatus;

constexpr std::int64_t kUnsupportedProtocolVersion = -32022;
constexpr int kFirstRefusal = 400;
constexpr std::size_t kMostVersionBytes = 40;
constexpr std::size_t kMostVersionsShown = 8;

// The strings of an array, as they may be shown.
std::vector<std::string> versions_of(const Json& array) {
  std::vector<std::string> versions;
  if (!array.is_array()) return versions;
  for (const Json& version : array) {
    if (!version.is_string() || versions.size() == kMostVersionsShown) continue;
    versions.push_back(reports::printable_line(
        reports::cut(version.get_ref<const std::string&>(), kMostVersionBytes)));
  }
  return versions;
}

bool names(const std::vector<std::string>& versions, model::Revision revision) {
  return std::find(versions.begin(), versions.end(), revision.text()) != versions.end();
}

}  // namespace

void Opening::choose_extensions() {
  context_.extensions = declared_by_server(context_.revision, state_.server) |
                        asked_for_in(context_.revision, record_.options().extensions);
}

bool Opening::begin_stateless(const Reply& reply) {
  if (reply.is_error(kUnsupportedProtocolVersion)) {
    const auto versions =
        versions_of(member(member(reply.message()->error(), "data"), "supported"));
    end_early(RunStatus::kUnsupported,
              versions.empty() ? "the server says that it does not support the version"
                               : fmt::format("the server supports {}", fmt::join(versions, ", ")));
    return false;
  }
  if (!reply.is_result()) return begin_without_discovery(reply);
  if (!first_->has_begun()) {
    end_early(RunStatus::kFailed,
              "server/discover was answered with a result that is not an object");
    return false;
  }
  state_.server = first_->server();
  choose_extensions();
  const auto versions = versions_of(member(state_.server, "supportedVersions"));
  if (!versions.empty() && !names(versions, context_.revision)) {
    end_early(RunStatus::kUnsupported,
              fmt::format("the server supports {}", fmt::join(versions, ", ")));
    return false;
  }
  take_survey();
  return true;
}

// A server that answers another request as only this era's servers do has no discovery.
bool Opening::answers_without_discovery(const Reply& reply) {
  const Reply list = first_->request("tools/list");
  const bool is_modern = list.is_result() && !text_member(list.result(), "resultType").empty();
  if (!is_modern) return false;
  Finding finding(catalogue::RequirementId("discover.implemented"), Finding::Kind::kBroke,
                  "opening", fmt::format("server/discover was answered with {}", reply.describe()));
  finding.events = reply.events();
  finding.proof = proof_of(reply, context_.patience.request);
  record_.keep_opening(std::move(finding));
  state_.cause = "the server does not answer server/discover, so it is unknown what it offers";
  state_.cause_verdict = "discover.implemented";
  end_early(RunStatus::kConformant, state_.cause);
  return true;
}

// Any other is of the older era.
bool Opening::begin_without_discovery(const Reply& reply) {
  if (answers_without_discovery(reply)) return false;
  if (is_about_access(reply.http_status())) {
    end_early(
        RunStatus::kFailed,
        fmt::format(
            "server/discover was answered with {}; --auth-token or --header sends credentials",
            reply.describe()));
    return false;
  }
  // What a server of the older era says to a question of today's is no business of today's rules.
  const bool is_refused = reply.is_error() || reply.http_status() >= kFirstRefusal;
  end_early(RunStatus::kUnsupported,
            fmt::format("server/discover was answered with {}, as by servers that begin with "
                        "initialize",
                        reply.describe()),
            !is_refused);
  return false;
}

}  // namespace assay::harness
