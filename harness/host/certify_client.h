// Certifies a client: every scenario in every revision, and one Result.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "harness/host/performance.h"
#include "reference/model/extension.h"
#include "reports/events.h"
#include "reports/result.h"

namespace assay::harness {

struct CertifyClientOptions {
  ClientCommand command;
  std::vector<model::Revision> revisions;
  // Which scenarios are played.
  std::function<bool(std::string_view scenario)> wants = [](std::string_view) { return true; };
  // Judged though the client may not declare them; others are judged where it does.
  std::vector<const model::Extension*> extensions;
  bool binds_drafts = false;  // otherwise what drafts of extensions demand is told as advice
  // Only what this version of the catalogue required is judged; 0: everything.
  int catalogue_version = 0;
  ClientPatience patience;
  // How many scenarios are played at once; at least 1. Those of one topic follow each other,
  // because what a client did decides what it is asked next.
  int jobs = 1;
  // A run that exercises fewer of its rules, in percent, is not called conformant. 0: a handshake
  // and one list or call are enough.
  int min_exercised = 0;
  // Credentials that pass stand in it.
  std::shared_ptr<reports::Vault> vault;
  // Ctrl-C: what was found so far is still reported.
  std::stop_token stop;
  // Called with the transcript of each session, from several threads at once with several jobs; may
  // be empty.
  std::function<void(std::string_view run, std::string_view scenario, std::span<const EventPtr>)>
      on_transcript;
  reports::Target target;  // as the report shows it
};

// Plays to the end, or until `stop`. Every process is gone when it returns.
reports::Result certify_client(const CertifyClientOptions& options, reports::Events& events);

}  // namespace assay::harness
