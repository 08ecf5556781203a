// What the commands have in common that judge traffic which nobody provoked: of which party, by
// what, and where the verdicts go.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/frame/command.h"
#include "harness/frame/expectations.h"
#include "harness/frame/report_files.h"
#include "harness/runner/passive.h"
#include "reports/vault.h"

namespace assay::cli {

// One party that is judged, and where its verdicts go.
struct JudgedParty {
  transport::Party party;
  harness::PassiveJudge judge;
  ReportFiles reports;
  std::string write_expected;
};

class PassiveOptions {
 public:
  void declare(Arguments& arguments);
  // Checks every path before the work starts. Throws UsageError.
  void prepare();
  std::vector<JudgedParty>& parties() { return parties_; }
  // Judges a conversation for each of them. False if nothing tells its revision.
  bool judge(harness::RecordedSession conversation);
  // Why less was judged than there was.
  void cut_short(const std::string& why);
  // What else the reports say of how they came about.
  void remark(const std::string& text);
  // What stands in place of "{session}" in paths; before prepare(). Empty: nothing does.
  void set_session(std::string name) { session_ = std::move(name); }
  std::string path_of_session(const std::string& path) const;
  // Of a further file that the command writes; after prepare(). Throws UsageError.
  void claim(const std::string& path) { paths_.claim(path); }
  // There is a file to be written.
  bool writes_anything() const { return !report_files_.empty() || !write_expected_.empty(); }
  // The verdicts on each party, in the order of parties(). `target` is how reports show them.
  std::vector<reports::Result> finish(const reports::Target& target, const reports::Vault& vault,
                                      const char* subcommand);
  // Writes the reports; false if one could not be written, which standard error is told of.
  bool write(const std::vector<reports::Result>& results) const;
  // A report goes to standard output.
  bool claims_standard_output() const;

 private:
  std::string party_ = "both";
  std::string revision_name_;
  std::vector<std::string> report_files_;
  std::string rules_url_;
  std::string expected_failures_;
  std::string write_expected_;
  std::string catalogue_;
  bool is_strict_ = false;
  std::string session_;
  OutputPaths paths_;
  std::optional<model::Revision> revision_;
  std::unique_ptr<Expectations> expectations_;
  std::vector<JudgedParty> parties_;
};

}  // namespace assay::cli
