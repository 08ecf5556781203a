#include "harness/programs/reference_client_flaws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "reference/client/bugs/bug.h"
#include "reference/transport/http_fetch.h"

namespace assay::cli {

void fetch_linked(const std::vector<const client::Fault*>& faults, const Json& part) {
  constexpr std::chrono::seconds kLongestFetch{5};
  constexpr std::string_view kUiScheme = "ui://";
  if (!part.is_structured()) return;
  for (const auto& [key, value] : part.items()) {
    fetch_linked(faults, value);
    std::string url = value.is_string() ? value.get<std::string>() : "";
    // The URI of a user interface may look as one of HTTP does.
    if (url.starts_with(kUiScheme)) url.replace(0, kUiScheme.size(), "http://");
    const bool is_wanted =
        std::any_of(faults.begin(), faults.end(), [&key = key](const client::Fault* fault) {
          return !fault->fetches.empty() && fault->fetches == key;
        });
    const bool is_near =
        url.starts_with("http://localhost:") || url.starts_with("http://127.0.0.1:");
    if (!is_wanted || !is_near) continue;
    transport::HttpMessage request;
    request.method = "GET";
    transport::fetch(url, std::move(request), kLongestFetch);
  }
}

void ReferenceClientFlaws::declare(Arguments& arguments) {
  arguments.group("Faults and bugs");
  arguments.texts("--fault", fault_ids_, "ID",
                  "Break a rule in this way (repeatable); --list-faults shows all");
  arguments.flag("--list-faults", lists_faults_, "List the faults and what they break, and exit");
  arguments.text("--bug", bug_id_, "ID",
                 "Have this planted bug, for a fuzzer to find; --list-bugs shows all");
  arguments.flag("--list-bugs", lists_bugs_, "List the planted bugs and exit");
}

std::optional<int> ReferenceClientFlaws::list() const {
  if (lists_faults_) {
    for (const client::Fault& fault : client::all_faults()) {
      fmt::print("{:28} {}\n{:28} breaks {}\n", fault.id, fault.description, "",
                 fmt::join(fault.breaks, ", "));
    }
    return kConformant;
  }
  if (!lists_bugs_) return std::nullopt;
  for (const client::Bug& bug : client::all_bugs()) {
    fmt::print("{:32} {}\n{:32} shows as {}\n", bug.id, bug.description, "", bug.shows_as);
  }
  return kConformant;
}

std::vector<const client::Fault*> ReferenceClientFlaws::chosen(bool is_http) const {
  std::vector<const client::Fault*> out;
  for (const std::string& id : fault_ids_) {
    const client::Fault* fault = client::find_fault(id);
    if (fault == nullptr) {
      throw UsageError(
          fmt::format("unknown fault '{}'{}", id,
                      did_you_mean_or(id, ids_of(client::all_faults()), "--list-faults")));
    }
    out.push_back(fault);
  }
  if (bug_id_.empty()) return out;
  const client::Bug* bug = client::find_bug(bug_id_);
  if (bug == nullptr) {
    throw UsageError(
        fmt::format("unknown bug '{}'{}", bug_id_,
                    did_you_mean_or(bug_id_, ids_of(client::all_bugs()), "--list-bugs")));
  }
  const auto other = is_http ? client::SeenOver::kStdioOnly : client::SeenOver::kHttpOnly;
  if (bug->seen_over == other) {
    throw UsageError(
        fmt::format("the bug '{}' has no effect over {}", bug->id, is_http ? "HTTP" : "stdio"));
  }
  out.push_back(&bug->how);
  return out;
}

}  // namespace assay::cli
