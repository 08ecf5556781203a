// Where the verdicts of one run of scenarios go, and what they are held against: what the commands
// that certify a client or an authorization server have in common.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cli/transcript_writer.h"
#include "harness/frame/command.h"
#include "harness/frame/expectations.h"
#include "harness/frame/page.h"
#include "harness/frame/report_files.h"
#include "harness/transcript/transcript.h"
#include "reports/result.h"
#include "reports/vault.h"

namespace assay::cli {

class OutcomeOptions {
 public:
  // --report, --rules-url, --transcript, --expected-failures, --write-expected, --strict and
  // --catalogue; with the help of two that differ.
  void declare(Arguments& arguments, const char* transcript_help, const char* expected_help);
  // Checks every path before the work starts, and tells the page who has standard output. Throws
  // UsageError.
  void prepare(Page& page);
  // 0: the latest. Throws UsageError.
  int catalogue_version() const;
  // What keeps the transcript; empty where none is wanted. Lives as long as this does.
  using OnTranscript = std::function<void(std::string_view run, std::string_view scenario,
                                          std::span<const harness::EventPtr> events)>;
  OnTranscript on_transcript(const std::shared_ptr<reports::Vault>& vault);
  // How the result is to be read, and no secret in it.
  void complete(reports::Result& result, const reports::Vault& vault) const;
  // Shows and writes it; the exit status. `subcommand`: as the list of expected failures names it.
  int finish(reports::Result& result, const char* subcommand, const Page& page) const;

 private:
  std::vector<std::string> report_files_;
  std::string rules_url_;
  std::string transcript_;
  std::string expected_failures_;
  std::string write_expected_;
  bool is_strict_ = false;
  std::string catalogue_;
  std::unique_ptr<ReportFiles> reports_;
  std::unique_ptr<Expectations> expectations_;
  std::unique_ptr<TranscriptWriter> writer_;
};

}  // namespace assay::cli
