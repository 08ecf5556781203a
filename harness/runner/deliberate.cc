#include "harness/runner/deliberate.h"

#include <algorithm>
#include <string_view>

#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

// In each name, URI and id that scenarios make up for what must not exist.
constexpr std::string_view kMadeUp = "no-such-";

model::Direction direction_of(Party speaker) {
  return speaker == Party::kClient ? model::Direction::kClientToServer
                                   : model::Direction::kServerToClient;
}

bool breaks_schema(const wire::Message& message, model::Revision revision, Party ours) {
  const model::Direction direction = direction_of(ours);
  const std::string_view method = message.method();
  if (!method.empty() && !model::known_method(revision, direction, method)) return true;
  const model::Deviations deviations = model::validate_message(revision, direction, message.json());
  return std::any_of(deviations.begin(), deviations.end(), [](const model::Deviation& each) {
    return each.strength == model::Strength::kMust;
  });
}

}  // namespace

bool is_wrong_on_purpose(const Event& event, model::Revision revision, Party ours) {
  if (!event.is_from(ours)) return false;
  if (event.decode_error() != nullptr) return true;
  const wire::Message* message = event.message();
  if (message == nullptr) return false;
  if (event.observation.bytes().find(kMadeUp) != std::string_view::npos) return true;
  return breaks_schema(*message, revision, ours);
}

}  // namespace assay::harness
