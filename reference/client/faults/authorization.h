// The tables of what a client can get wrong when it logs in, and what they share.
//
// Specification: basic/authorization, 2025-03-26 and later.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/client/faults/fault.h"

namespace assay::client {

// Rules that a fault breaks.
using Rules = std::vector<std::string_view>;

// A fault of logins: only HTTP shows them. `login` changes how the client logs in.
Fault login_fault(std::string_view id, std::string_view description, Rules breaks,
                  model::Revision::Question concerns, void (*login)(LoginConduct& conduct));

// Leaves the field out where the value is empty.
void set_value(wire::Form& form, std::string_view name, std::string_view value);
std::string value_of(const wire::Form& form, std::string_view name);

std::vector<Fault> login_discovery_faults();
std::vector<Fault> own_office_login_faults();
std::vector<Fault> login_registration_faults();
std::vector<Fault> login_request_faults();
std::vector<Fault> login_issuer_faults();
std::vector<Fault> login_scope_faults();
std::vector<Fault> shown_token_faults();
std::vector<Fault> login_way_faults();
std::vector<Fault> login_near_miss_faults();
std::vector<Fault> login_pkce_faults();
std::vector<Fault> login_near_issuer_faults();
std::vector<Fault> login_again_faults();
std::vector<Fault> misshown_token_faults();
std::vector<Fault> login_carried_faults();
std::vector<Fault> login_oauth_faults();
std::vector<Fault> login_check_faults();
std::vector<Fault> login_place_faults();
std::vector<Fault> own_token_faults();
std::vector<Fault> identity_grant_faults();
std::vector<Fault> workload_faults();
std::vector<Fault> proof_faults();

}  // namespace assay::client
