// What keeping and breaking a rule looks like: real runs of the reference server, faultless and
// with a fault that breaks the rule.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"
#include "reports/rules.h"

namespace assay::cli {

struct RuleExample {
  std::string fault;  // what the faulty server does, in words
  reports::RuleExchange right;
  reports::RuleExchange wrong;
};
using RuleExamples = std::map<std::string_view, RuleExample>;

// Of the rules that a fault breaks. `program` is mcp-assay itself. `progress` is told how many of
// how many are done. After a stop it returns what it has.
RuleExamples make_rule_examples(std::span<const catalogue::Requirement* const> rules,
                                const std::string& program, std::stop_token stop,
                                const std::function<void(std::size_t, std::size_t)>& progress);

// Every event of one connection of a run.
struct RecordedSession {
  std::string scenario;
  std::vector<reports::Evidence> events;
};

// The exchange of a faultless server that answers to the one of a faulty server: the same request,
// or at least the same method, and what came of it. Empty if there is none.
std::vector<reports::Evidence> matching_exchange(std::span<const RecordedSession> sessions,
                                                 std::string_view scenario,
                                                 std::span<const reports::Evidence> wrong);

}  // namespace assay::cli
