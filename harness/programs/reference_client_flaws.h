// In which ways the reference client is wrong, where it is told to be.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/frame/command.h"
#include "reference/client/faults/fault.h"

namespace assay::cli {

// Fetches what stands under the key that a fault fetches (client::Fault::fetches), on this machine.
void fetch_linked(const std::vector<const client::Fault*>& faults, const Json& part);

class ReferenceClientFlaws {
 public:
  // --fault, --list-faults, --bug and --list-bugs.
  void declare(Arguments& arguments);
  // Lists what there is, if that was asked for: the exit status.
  std::optional<int> list() const;
  // Those that were named. Throws UsageError.
  std::vector<const client::Fault*> chosen(bool is_http) const;

 private:
  std::vector<std::string> fault_ids_;
  bool lists_faults_ = false;
  std::string bug_id_;
  bool lists_bugs_ = false;
};

}  // namespace assay::cli
