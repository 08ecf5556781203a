// Certifies a target: every revision over every way to reach it, and one Result.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "harness/script/explorer.h"
#include "harness/script/script.h"
#include "reference/model/extension.h"
#include "reports/events.h"
#include "reports/result.h"

namespace assay::harness {

// What is known of the target before it is asked.
struct KnownProfiles {
  std::vector<Profile> given;  // the first outweighs the others
  bool detects = true;         // use the built-in ones that fit, too
};

// What was made of it, for the person who gave it.
struct ProfileNotes {
  bool was_made = false;          // at least one run came to list the target's tools
  std::vector<std::string> used;  // names of profiles that fit in at least one run
  // A tool or prompt that a given profile names and that no run lists: "line 7: ...".
  std::vector<std::string> lacking;
};

// Tools that were named and that are not there.
struct UnlistedTools {
  std::vector<std::string> names;
  std::vector<std::string> listed;  // what there is instead, each once
};

struct CertifyOptions {
  std::vector<TargetAccess> accesses;
  std::vector<model::Revision> revisions;
  // Nobody named a revision: a target that ends, or says nothing, when it is asked for one without
  // a handshake does not support it, as far as anybody can tell.
  bool is_any_revision = false;
  // Which scenarios run; the names come from list_scenarios().
  std::function<bool(std::string_view scenario)> wants = [](std::string_view) { return true; };
  // Only this part of each run's plan: the scenarios of a run are dealt out to the shards by their
  // place among all that apply to it, whatever `wants` says of them, and the same on every machine.
  // Those that share a session stay together.
  reports::Shard shard;
  ToolPolicy tools;
  ExplorerLimits exploration;  // without time no tool is tried
  KnownProfiles profiles;
  // Judged though the target may not declare them, in the revisions that they extend; others are
  // judged where it does.
  std::vector<const model::Extension*> extensions;
  bool binds_drafts = false;  // otherwise what drafts of extensions demand is told as advice
  // Only what this version of the catalogue required is judged; 0: everything.
  int catalogue_version = 0;
  Patience patience;
  // How many sessions at once; 0: what the cores and the first start allow (jobs.h).
  int jobs = 0;
  // Ctrl-C: what was found so far is still reported, and what was under way counts for nothing.
  std::stop_token stop;
  // Called with each connection's transcript once it is closed; may be empty. Called from several
  // threads at once.
  std::function<void(std::string_view run, std::string_view scenario, std::span<const EventPtr>)>
      on_transcript;
  // Called once, after the last run; may be empty.
  std::function<void(const ProfileNotes&)> on_profiles;
  // Called before the first scenario where `tools` names tools that no run lists; may be empty.
  // What it throws ends all.
  std::function<void(const UnlistedTools&)> on_unlisted_tools;
  reports::Target target;  // command and url as the report shows them
};

// Runs to the end, or until `stop`. Every child and connection is gone when it returns.
reports::Result certify(const CertifyOptions& options, reports::Events& events);

}  // namespace assay::harness
