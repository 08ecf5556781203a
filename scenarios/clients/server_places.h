// In which places a client looks for the metadata of an authorization server, and in what order.
//
// Specification: basic/authorization, "Authorization Server Metadata Discovery" (2025-06-18 and
// later).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/clients/login_review.h"

namespace assay::scenarios {

// The first of the steps at that path; null if there is none.
const LoginStep* first_at(const std::vector<const LoginStep*>& steps, std::string_view path);
// One was answered before the other was asked: two at a time may come in any order.
bool was_asked_before(const LoginStep& one, const LoginStep& other);

// The path of the issuer is `issuer_path`, "" for none, and the document is at `found` of its
// places.
void judge_server_places(LoginReview& login, const std::string& issuer_path, std::size_t found);

}  // namespace assay::scenarios
