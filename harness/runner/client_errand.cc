#include "harness/runner/client_errand.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/runner/client_scenario.h"
#include "harness/script/json_member.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

std::vector<ClientErrand>& registered_client_errands() {
  static std::vector<ClientErrand> all;
  return all;
}

}  // namespace

bool ClientErrand::holds_in(model::Revision revision) const {
  return binds_client_in(requirements, revision) && revision.satisfies(concerns);
}

bool ClientErrand::applies_to(model::Revision revision, TransportKind transport) const {
  const bool is_over_it = transports.empty() || std::find(transports.begin(), transports.end(),
                                                          transport) != transports.end();
  return is_over_it && holds_in(revision);
}

bool ClientErrand::is_done_by(const wire::Message& message) const {
  if (!method.empty() && message.method() != method) return false;
  const Json& params = message.params();
  if (!target.empty() && text_member(params, "name") != target &&
      text_member(params, "uri") != target) {
    return false;
  }
  const Json* at = &params;
  for (std::string_view rest = with; !rest.empty();) {
    const std::size_t dot = rest.find('.');
    at = &member(*at, rest.substr(0, dot));
    rest = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
  }
  return with.empty() || !at->is_null();
}

ClientErrandRegistration::ClientErrandRegistration(std::vector<ClientErrand> errands) {
  std::move(errands.begin(), errands.end(), std::back_inserter(registered_client_errands()));
}

std::span<const ClientErrand> client_errands() {
  return registered_client_errands();
}

}  // namespace assay::harness
