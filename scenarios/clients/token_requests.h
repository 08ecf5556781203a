// What token requests without a code have in common, for the plays about them.
#pragma once

#include <string>
#include <vector>

#include "scenarios/clients/login_review.h"

namespace assay::scenarios {

// Token requests are forms; other bodies are not read.
bool is_form_request(const LoginStep& step);
// In how many ways the client shows who it is: a secret in the header, one in the body, a JWT.
int ways_of_authentication(const LoginStep& step);
// The client that the request names, be it in the header or in the body; empty where it names none.
std::string client_of(const LoginReview& login, const LoginStep& step);
// Whether the URI is one of those by which the server is named.
bool names_server(const LoginReview& login, const std::string& resource);
// The resource parameter is there, and names the server.
void judge_named_resource(LoginReview& login, const LoginStep& step, catalogue::RequirementId rule);
// What the labels stand for is in no URL, and is shown to the authorization servers only. `asked`
// is a request that shows it where it belongs.
void judge_secret_places(LoginReview& login, const LoginStep& asked, catalogue::RequirementId rule,
                         const std::vector<std::string>& labels);

}  // namespace assay::scenarios
