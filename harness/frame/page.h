// What people read of a run: how much of it, in which colours, and on which stream.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "reports/interop/interop_result.h"
#include "reports/progress.h"
#include "reports/result.h"
#include "reports/terminal.h"

namespace assay::cli {

class Page {
 public:
  // --verbose, --quiet and --color.
  void declare(Arguments& arguments);
  bool is_quiet() const { return is_quiet_; }

  // A file goes to standard output and is read by a program: people then read standard error.
  void leave_standard_output(bool does) { is_elsewhere_ = does; }
  std::ostream& stream() const;
  bool is_on_standard_error() const { return is_elsewhere_; }

  // How progress is shown, on standard error. `title`: of one among several targets.
  reports::ProgressOptions progress(const std::string& title = "") const;
  // `kept`: where the reports of the result are.
  void print(const reports::Result& result, const std::vector<std::string>& kept = {}) const;
  void print(const reports::InteropResult& result, const std::vector<std::string>& kept = {}) const;

 private:
  reports::TerminalOptions terminal(const std::vector<std::string>& kept) const;

  bool is_verbose_ = false;
  bool is_quiet_ = false;
  std::string color_ = "auto";
  bool is_elsewhere_ = false;
};

}  // namespace assay::cli
