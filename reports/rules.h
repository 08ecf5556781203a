// One page for each rule: what it asks, where it stands, what keeping and breaking it look like.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/result.h"

namespace assay::reports {

// Where a rule stands in one revision.
struct RuleHolding {
  std::string revision;
  std::string level;  // "MUST"
  std::string spec;   // link to page and anchor
  std::string note;   // how it differs from other revisions; mostly empty
  std::string binds;  // "server", "client", "server and client", ...
};

// What was exchanged in a real run.
struct RuleExchange {
  std::string server;              // the command of the server that took part
  std::string run;                 // "2025-11-25 over stdio"
  std::string detail;              // what the suite says of it; empty where nothing is wrong
  std::vector<Evidence> evidence;  // empty: there is none to show
};

struct RulePage {
  std::string id;
  std::string summary;
  std::string transport;   // "any", ...
  std::string capability;  // empty if it depends on none
  std::string judged;      // "Judged as a whole.", "Judged in part: ...", "Not judged yet.", ...
  std::string fix;         // empty if nothing is known
  std::vector<std::string> judges;  // "the scenario ping_is_answered"
  std::vector<RuleHolding> in;      // oldest revision first
  std::string fault;                // "never answers a ping"; empty if none is shown
  RuleExchange right;
  RuleExchange wrong;

  std::string_view area() const { return std::string_view(id).substr(0, id.find('.')); }
};

// The file of a rule, beside the others and index.html.
std::string rule_file(std::string_view id);

// A page without a script. Links to other rules go to pages of `ids` only, which are sorted.
std::string render_rule(const RulePage& rule, std::span<const std::string> ids);
// The list of all, by area: index.html.
std::string render_rule_index(std::span<const RulePage> rules);

}  // namespace assay::reports
