// What a client can get wrong when it shows the JWT of its workload.
//
// Extension workload-identity-federation.
#include "reference/client/faults/authorization.h"
#include "reference/wire/json.h"
#include "reference/wire/pkce.h"

namespace assay::client {
namespace {

constexpr const char* kWorkloadBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

constexpr std::string_view kWorkloadBaseline = "ext-workload-identity-federation.baseline-conforms";
constexpr std::string_view kWorkloadGrant = "ext-workload-identity-federation.jwt-bearer-grant";
constexpr std::string_view kWorkloadSent = "ext-workload-identity-federation.assertion-sent";
constexpr std::string_view kWorkloadSigned = "ext-workload-identity-federation.jwt-signed";
constexpr std::string_view kWorkloadClaims = "ext-workload-identity-federation.jwt-claims";
constexpr std::string_view kWorkloadFor = "ext-workload-identity-federation.jwt-for-token-endpoint";
constexpr std::string_view kWorkloadSecurity = "ext-workload-identity-federation.security-followed";

Fault workload_fault(std::string_view id, std::string_view description, std::string_view rule,
                     void (*login)(LoginConduct& conduct)) {
  return login_fault(id, description, {rule}, nullptr, login);
}

bool shows_workload(const TokenRequest& request) {
  return value_of(request.form, "grant_type") == kWorkloadBearer;
}

// Its header and its signature, around other claims.
std::string without_id(std::string jwt) {
  const std::size_t first = jwt.find('.');
  const std::size_t last = jwt.rfind('.');
  Json claims = Json::parse(
      wire::decode_base64url(jwt.substr(first + 1, last - first - 1)).value_or(""), nullptr, false);
  if (claims.is_object()) claims.erase("jti");
  return jwt.substr(0, first + 1) + wire::encode_base64url(claims.dump()) + jwt.substr(last);
}

std::vector<Fault> shown_workloads() {
  return {
      workload_fault("workload-jwt-as-own", "Shows the JWT of its workload as a grant of its own",
                     kWorkloadGrant,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory&) {
                         if (!shows_workload(request)) return;
                         set_value(request.form, "grant_type", "client_credentials");
                       };
                     }),
      workload_fault("workload-jwt-as-exchange", "Shows the JWT of its workload as an exchange",
                     kWorkloadGrant,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory&) {
                         if (!shows_workload(request)) return;
                         set_value(request.form, "grant_type",
                                   "urn:ietf:params:oauth:grant-type:token-exchange");
                       };
                     }),
      workload_fault("workload-jwt-left-out", "Asks for a token by a JWT that it does not send",
                     kWorkloadSent,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory&) {
                         set_value(request.form, "assertion", "");
                       };
                     }),
      workload_fault("workload-jwt-misnamed", "Sends the JWT of its workload under another name",
                     kWorkloadSent,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory&) {
                         if (!shows_workload(request)) return;
                         set_value(request.form, "subject_token",
                                   value_of(request.form, "assertion"));
                         set_value(request.form, "assertion", "");
                       };
                     }),
      workload_fault("workload-without-resource", "Names no resource when it shows its workload",
                     kWorkloadBaseline,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory&) {
                         if (shows_workload(request)) set_value(request.form, "resource", "");
                       };
                     }),
  };
}

std::vector<Fault> spoilt_workloads() {
  std::vector<Fault> faults = {
      workload_fault("workload-jwt-for-another", "Shows the JWT that is for another place",
                     kWorkloadFor, [](LoginConduct& c) { c.picks_workload_jwt = false; }),
      workload_fault(
          "workload-jwt-unsigned", "Leaves the signature of the JWT out", kWorkloadSigned,
          [](LoginConduct& c) {
            c.workload_jwt = [](std::string jwt) { return jwt.substr(0, jwt.rfind('.') + 1); };
          }),
      workload_fault("workload-jwt-in-url", "Shows the JWT of its workload in the URL as well",
                     kWorkloadSecurity,
                     [](LoginConduct& c) {
                       c.token_request = [](TokenRequest& request, const LoginMemory& memory) {
                         if (!shows_workload(request)) return;
                         request.url += "?assertion=" + memory.identity_grant;
                       };
                     }),
      workload_fault("workload-jwt-to-server", "Shows the server the JWT of its workload",
                     kWorkloadSecurity,
                     [](LoginConduct& c) {
                       c.fields = [](transport::Headers& fields, const LoginMemory& memory) {
                         if (memory.access_token.empty()) return;
                         fields.emplace_back("X-Workload-Token", memory.identity_grant);
                       };
                     }),
  };
  faults.push_back(login_fault("workload-jwt-without-id", "Takes jti out of the JWT",
                               {kWorkloadClaims, kWorkloadSigned}, nullptr,
                               [](LoginConduct& c) { c.workload_jwt = without_id; }));
  return faults;
}

}  // namespace

std::vector<Fault> workload_faults() {
  std::vector<Fault> all = shown_workloads();
  for (Fault& each : spoilt_workloads()) all.push_back(std::move(each));
  return all;
}

}  // namespace assay::client
