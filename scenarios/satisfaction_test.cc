// A check that is never met says as little as one that cannot fail: each MUST and SHOULD that is
// judged of servers is satisfied by the reference server in some run. That each is broken by some
// fault is what mutation_test.cc proves.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/coverage.h"
#include "harness/runner/runner.h"
#include "harness/runner/target.h"
#include "scenarios/reference_target_testing.h"

namespace assay::scenarios {
namespace {

using RuleIds = std::set<std::string, std::less<>>;

// Rules that these runs of the reference cannot meet, each with the reason.
bool needs_more(std::string_view id) {
  static const RuleIds kExceptions = {
      "authorization.endpoints-over-https",  // of who is not on this machine alone
      "authorization.scope-hierarchy",       // where a profile says which scope includes which
      "completion.unsupported-error",        // only a server that offers no completion meets it
      "http-sse.connections-authenticated",  // where credentials are given: http_mutation_test.cc
      "http.get-stream-polling",  // of who closes GET streams; the reference keeps its own
      "stdio.exits-on-sigterm",   // of who stays when its input has ended
      "jsonrpc.new-codes-outside-reserved",  // of who has error codes of its own
      "meta.trace-context-format",           // of who sends trace contexts
      "tools.header-integer-safe",           // of who bounds a mirrored integer
      "versioning.extension-identifier",     // of who has extensions
      "versioning.extension-unsupported",    // the same
  };
  return kExceptions.contains(id);
}

// A server need not make use of what it may do.
bool is_only_allowed(const catalogue::Requirement& rule) {
  return std::all_of(rule.in.begin(), rule.in.end(), [](const catalogue::Holding& holding) {
    return reports::strength(holding.level) == reports::Strength::kMay;
  });
}

// What is judged of servers, by a scenario or a monitor, in a revision where it binds them.
RuleIds judged_of_servers() {
  RuleIds ids;
  for (const harness::Coverage& judge : harness::collect_coverage().judges) {
    const catalogue::Requirement& rule = *catalogue::find(judge.requirement);
    const bool binds =
        std::any_of(judge.revisions.begin(), judge.revisions.end(),
                    [&](model::Revision revision) { return rule.binds_server_in(revision); });
    if (judge.judges_servers && binds && rule.is_seen_of_server() && !is_only_allowed(rule)) {
      ids.insert(judge.requirement);
    }
  }
  return ids;
}

harness::CertifyOptions options_for(std::vector<harness::TargetAccess> accesses) {
  harness::CertifyOptions options;
  const auto revisions = model::Revision::all();
  options.revisions.assign(revisions.begin(), revisions.end());
  options.tools.kind = harness::ToolPolicy::Kind::kAll;
  options.accesses = std::move(accesses);
  options.jobs = 8;
  return options;
}

void add_satisfied(const harness::CertifyOptions& options, RuleIds& ids) {
  NoEvents events;
  for (const reports::Run& run : harness::certify(options, events).runs) {
    for (const reports::Verdict& verdict : run.verdicts) {
      if (verdict.outcome == reports::Outcome::kSatisfied) ids.insert(verdict.requirement);
    }
  }
}

TEST(Satisfaction, TheReferenceServerMeetsEveryRuleThatIsJudged) {
  RuleIds satisfied;
  // Short pages, and little patience with a client that does not answer.
  server::Options hasty;
  hasty.page_size = 4;
  hasty.client_timeout = std::chrono::milliseconds(300);
  add_satisfied(options_for({reference_over_pipe(hasty)}), satisfied);
  {
    const ReferenceOverHttp reference;
    add_satisfied(options_for({reference.http(), reference.http_sse()}), satisfied);
  }
  // Of one era alone: it tells older clients so.
  server::Options modern;
  modern.page_size = 4;
  modern.revisions.clear();
  add_satisfied(options_for({reference_over_pipe(modern)}), satisfied);
  {
    const ReferenceOverHttp reference(modern);
    add_satisfied(options_for({reference.http()}), satisfied);
  }
  {
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kSse);
    add_satisfied(options_for({reference.http()}), satisfied);
  }
  {
    const ReferenceOverHttp reference({}, ReferenceOverHttp::Answers::kAuto, {}, "127.0.0.1", true);
    auto tokens = options_for({reference.http_with(reference_tokens())});
    tokens.wants = [](std::string_view scenario) {
      return scenario.starts_with("authorization_") ||
             scenario == "http_authenticates_connections" ||
             scenario == "ext_tasks_are_kept_from_other_users" ||
             scenario == "ext_tasks_are_not_told_to_other_users";
    };
    add_satisfied(tokens, satisfied);
  }
  {
    const ReferenceOverHttp reference(ReferenceOverHttp::Trusting{.has_upstream = true});
    auto trusting = options_for({reference.http_with_issuer()});
    trusting.extensions = {model::find_extension("dpop")};
    trusting.wants = [](std::string_view scenario) {
      return scenario.starts_with("authorization_");
    };
    add_satisfied(trusting, satisfied);
  }
  for (const bool has_metadata : {true, false}) {
    const ReferenceOverHttp reference(ReferenceOverHttp::OwnOffice{has_metadata});
    auto own = options_for({reference.http()});
    own.wants = [](std::string_view scenario) {
      return scenario.starts_with("authorization_own_");
    };
    add_satisfied(own, satisfied);
  }
  // Somebody who limits how often one may ask.
  server::Options limited;
  limited.bounds.per_second = 4;
  auto bursts = options_for({reference_over_pipe(limited)});
  bursts.wants = [](std::string_view scenario) { return scenario.starts_with("rate_limits_"); };
  add_satisfied(bursts, satisfied);
  const std::vector<std::string> command = {ASSAY_PROGRAM, "reference-server"};
  auto process = options_for({harness::over_stdio({command, {}, ""})});
  process.wants = [](std::string_view scenario) { return scenario.starts_with("stdio_"); };
  add_satisfied(process, satisfied);

  for (const std::string& id : judged_of_servers()) {
    if (needs_more(id)) continue;
    EXPECT_TRUE(satisfied.contains(id)) << id << " is judged, and our own server never meets it";
  }
}

}  // namespace
}  // namespace assay::scenarios
