// What the tests share that certify the reference client with a fault.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/host/certify_client.h"
#include "reference/client/faults/fault.h"

namespace assay::scenarios {

// Nobody is told how far it is.
struct NoClientEvents : reports::Events {
  void run_started(const reports::PlanSize&) override {}
  void scenario_finished(const reports::RunKey&, const std::string&, std::int64_t) override {}
  void verdict(const reports::RunKey&, const reports::Verdict&) override {}
  void run_finished(const reports::Result&) override {}
};

// The rule is of an extension about how clients get tokens.
bool is_of_login_extension(std::string_view rule);
// A fault of the login, which shows only where a client has to log in.
bool is_about_login(const client::Fault& fault);

// How the reference client is certified over that wire, with these words behind its name.
// `slowness`: how many times longer than usual an answer may take.
harness::CertifyClientOptions reference_client_options(const std::vector<std::string>& words,
                                                       harness::TransportKind transport,
                                                       int slowness = 1);

// The rules that are violated in the first run.
std::set<std::string> violated_rules(const reports::Result& result);

// What holds of clients in that revision over that wire.
bool binds_clients(std::string_view rule, model::Revision revision,
                   harness::TransportKind transport);

// The oldest and the newest revision that the fault concerns over the wire; each of them in a whole
// matrix.
std::vector<model::Revision> revisions_of(const client::Fault& fault,
                                          harness::TransportKind transport);

// What is wrong with the verdicts over a client with a fault, a line each.
struct Row {
  std::string missed;   // rules that it breaks, and that were not found violated, with the verdict
  std::string wrongly;  // others, which were

  // The first run of the result is of that revision over that wire.
  void take(const client::Fault& fault, const reports::Result& result, model::Revision revision,
            harness::TransportKind transport);
};

// Those whose rules the fault breaks: clients need not declare them.
std::vector<const model::Extension*> extensions_of(const client::Fault& fault);

// Certifies with each fault, several at once, and expects that it is caught and nothing else is
// blamed. What is missed is looked for once more, alone and with `slowness` above 1: on a busy
// machine a client may have been given up. What is blamed wrongly has no such excuse.
void expect_each_caught(const std::vector<const client::Fault*>& faults,
                        const std::function<Row(const client::Fault& fault, int slowness)>& play);

}  // namespace assay::scenarios
