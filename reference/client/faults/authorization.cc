#include "reference/client/faults/authorization.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace assay::client {

Fault login_fault(std::string_view id, std::string_view description, Rules breaks,
                  model::Revision::Question concerns, void (*login)(LoginConduct& conduct)) {
  return {.id = id,
          .description = description,
          .breaks = std::move(breaks),
          .seen_over = SeenOver::kHttpOnly,
          .concerns = concerns,
          .login = login};
}

// Leaves the field out where the value is empty.
void set_value(wire::Form& form, std::string_view name, std::string_view value) {
  std::erase_if(form, [&](const auto& pair) { return pair.first == name; });
  if (!value.empty()) form.emplace_back(name, value);
}

std::string value_of(const wire::Form& form, std::string_view name) {
  return wire::form_value(form, name).value_or("");
}

std::vector<Fault> authorization_faults() {
  std::vector<Fault> all;
  for (auto table :
       {login_discovery_faults(),    login_way_faults(),       own_office_login_faults(),
        login_registration_faults(), login_near_miss_faults(), login_request_faults(),
        login_pkce_faults(),         login_issuer_faults(),    login_near_issuer_faults(),
        login_scope_faults(),        login_again_faults(),     shown_token_faults(),
        misshown_token_faults(),     login_carried_faults(),   login_oauth_faults(),
        login_check_faults(),        login_place_faults(),     own_token_faults(),
        identity_grant_faults(),     workload_faults(),        proof_faults()}) {
    std::move(table.begin(), table.end(), std::back_inserter(all));
  }
  // Whoever breaks a MUST of these pages does not log in as they say: no blame of its own.
  for (Fault& each : all) each.may_break.push_back("authorization.http-conforms");
  return all;
}

}  // namespace assay::client
