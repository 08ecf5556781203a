#include <algorithm>
#include <utility>

#include "reference/server/faults/fault.h"
#include "reference/server/faults/stateless_faults.h"

namespace assay::server {
namespace {

bool is_among(const std::vector<std::string_view>& requirements, std::string_view id) {
  return std::find(requirements.begin(), requirements.end(), id) != requirements.end();
}

}  // namespace

bool Fault::surely_breaks(std::string_view requirement) const {
  return is_among(breaks, requirement);
}

bool Fault::concerns_any(std::span<const model::Revision> revisions) const {
  return std::any_of(revisions.begin(), revisions.end(),
                     [&](model::Revision revision) { return revision.satisfies(concerns); });
}

bool Fault::is_of_http() const {
  return seen_over == SeenOver::kHttpOnly || neglects || reply != nullptr || event != nullptr ||
         session_id != nullptr;
}

bool Fault::needs_nothing_else() const {
  return !needs_protection && !overlooks && !needs_signed_tokens && !needs_office &&
         !needs_upstream;
}

bool Fault::is_about_pages() const {
  return id.starts_with("cursor") || id.starts_with("page-") || id.starts_with("scope-of-");
}

bool Fault::can_break(std::string_view requirement) const {
  return surely_breaks(requirement) || is_among(may_break, requirement);
}

std::vector<Fault> of_stateless_era(std::initializer_list<std::vector<Fault> (*)()> tables) {
  std::vector<Fault> all;
  for (const auto table : tables) {
    for (Fault& fault : table()) {
      fault.concerns = &model::Revision::is_stateless;
      all.push_back(std::move(fault));
    }
  }
  return all;
}

const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> kAll = [] {
    std::vector<Fault> all;
    for (std::vector<Fault> (*table)() : {jsonrpc_faults,
                                          nameless_error_faults,
                                          message_faults,
                                          batch_faults,
                                          ending_faults,
                                          opening_faults,
                                          lifecycle_faults,
                                          served_faults,
                                          denial_faults,
                                          feature_faults,
                                          prompt_faults,
                                          seldom_faults,
                                          second_way_faults,
                                          name_faults,
                                          schema_faults,
                                          shape_faults,
                                          single_item_faults,
                                          afterthought_faults,
                                          narrow_faults,
                                          argument_faults,
                                          client_feature_faults,
                                          elicitation_faults,
                                          question_faults,
                                          list_faults,
                                          utility_faults,
                                          task_faults,
                                          task_result_faults,
                                          task_request_faults,
                                          task_detail_faults,
                                          stdio_faults,
                                          http_faults,
                                          http_detail_faults,
                                          authorization_faults,
                                          stateless_base_faults,
                                          stateless_message_faults,
                                          stateless_input_faults,
                                          stateless_question_faults,
                                          stateless_listening_faults,
                                          stateless_list_faults,
                                          stateless_tool_faults,
                                          stateless_header_faults,
                                          stateless_specimen_faults,
                                          stateless_method_faults,
                                          stateless_state_faults,
                                          stateless_narrow_faults,
                                          stateless_seldom_faults,
                                          stateless_second_way_faults,
                                          stateless_further_faults,
                                          stateless_endpoint_faults,
                                          stateless_support_faults,
                                          durable_task_faults,
                                          durable_request_faults,
                                          skill_faults,
                                          skill_entry_faults,
                                          app_faults}) {
      for (Fault& fault : table()) all.push_back(std::move(fault));
    }
    return all;
  }();
  return kAll;
}

const Fault* find_fault(std::string_view id) {
  const auto found = std::find_if(all_faults().begin(), all_faults().end(),
                                  [&](const Fault& fault) { return fault.id == id; });
  return found == all_faults().end() ? nullptr : &*found;
}

}  // namespace assay::server
