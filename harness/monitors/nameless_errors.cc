#include "harness/monitors/nameless_errors.h"

#include <algorithm>

#include "harness/script/json_member.h"
#include "reference/model/validate.h"
#include "reference/wire/message.h"

namespace assay::harness {
namespace {

using wire::MessageKind;

constexpr int kParseError = -32700;

// What cannot be parsed has no id that can be given back: why that is so is another rule's.
bool is_about_text(const EventPtr& error) {
  return member(member(error->message()->json(), "error"), "code") == kParseError;
}

bool is_sound(const wire::Message& message, model::Revision revision) {
  const auto deviations =
      model::validate_message(revision, model::Direction::kClientToServer, message.json());
  return std::none_of(deviations.begin(), deviations.end(), [](const model::Deviation& deviation) {
    return deviation.strength == model::Strength::kMust;
  });
}

// Of a party that sends many arrays, the latest are remembered.
constexpr std::size_t kMostBatches = 16;

bool is_nameless_error(const wire::Message& message) {
  return message.kind() == MessageKind::kError && (!message.id() || !message.id()->is_valid());
}

// The array holds a response with the id.
bool responds_to(const wire::Message& array, const wire::Id& id) {
  const auto& members = array.members();
  return std::any_of(members.begin(), members.end(), [&](const wire::Message& response) {
    return response.method().empty() && response.id() == id;
  });
}

bool is_sound_request(const wire::Message& message, model::Revision revision) {
  return message.kind() == MessageKind::kRequest && message.id()->is_valid() &&
         is_sound(message, revision);
}

}  // namespace

void NamelessErrors::note_sent(const Sighting& sighting) {
  last_sent_ = sighting.event;
  const wire::Message& message = sighting.message;
  if (message.kind() == MessageKind::kBatch) {
    if (batches_.size() == kMostBatches) batches_.erase(batches_.begin());
    batches_.push_back(sighting.event);
  }
  const bool is_plain = message.kind() == MessageKind::kRequest && message.id()->is_valid();
  if (sighting.is_batch_member || message.kind() == MessageKind::kMalformed) is_muddled_ = true;
  if (is_plain && !sighting.is_batch_member) {
    open_[*message.id()] = {sighting.event, nullptr};
  }
}

void NamelessErrors::note_answer(const wire::Id& id) {
  open_.erase(id);
}

std::optional<NamelessErrors::Pair> NamelessErrors::note_error(const EventPtr& error,
                                                               const HttpLane* lane,
                                                               model::Revision revision) {
  if (lane != nullptr) {
    // A refusal by status may say why without an id.
    const wire::Message* request = lane->request->message();
    if (!lane->is_success() || request == nullptr || !request->id()) return std::nullopt;
    const auto asked = open_.find(*request->id());
    const bool is_it = asked != open_.end() && asked->second.event == lane->request;
    if (!is_it || !is_sound(*request, revision)) return std::nullopt;
    return Pair{lane->request, error};
  }
  if (is_muddled_ || is_about_text(error) || open_.size() != 1) return std::nullopt;
  Asked& asked = open_.begin()->second;
  const bool is_latest = asked.event == last_sent_ && !asked.error;
  if (is_latest && is_sound(*asked.event->message(), revision)) asked.error = error;
  return std::nullopt;
}

void NamelessErrors::note_client_error(const EventPtr& error) {
  if (is_about_text(error)) is_muddled_ = true;
  if (of_client_.size() < 2) of_client_.push_back(error);
}

std::optional<NamelessErrors::Pair> NamelessErrors::note_batch(const EventPtr& answer,
                                                               const HttpLane* lane,
                                                               model::Revision revision) const {
  const wire::Message& array = *answer->message();
  if (std::none_of(array.members().begin(), array.members().end(), is_nameless_error)) {
    return std::nullopt;
  }
  for (const EventPtr& sent : batches_) {
    const auto& asked = sent->message()->members();
    const auto is_answered = [&](const wire::Message& message) {
      return message.kind() == MessageKind::kRequest && responds_to(array, *message.id());
    };
    const bool is_it = lane != nullptr ? lane->request == sent
                                       : std::any_of(asked.begin(), asked.end(), is_answered);
    if (!is_it) continue;
    const bool is_all_sound =
        std::all_of(asked.begin(), asked.end(), [&](const wire::Message& message) {
          return is_sound_request(message, revision) ||
                 (message.kind() == MessageKind::kNotification && is_sound(message, revision));
        });
    const bool is_one_missing =
        std::any_of(asked.begin(), asked.end(), [&](const wire::Message& message) {
          return message.kind() == MessageKind::kRequest && !is_answered(message);
        });
    if (is_all_sound && is_one_missing) return Pair{sent, answer};
    return std::nullopt;
  }
  return std::nullopt;
}

std::vector<NamelessErrors::Pair> NamelessErrors::unanswered() const {
  std::vector<Pair> pairs;
  const bool is_plain = of_client_.size() == 1 && open_.size() == 1 && !is_muddled_;
  if (is_plain && open_.begin()->second.event->n < of_client_.front()->n) {
    return {{open_.begin()->second.event, of_client_.front()}};
  }
  for (const auto& [id, asked] : open_) {
    if (asked.error && !is_muddled_) pairs.push_back({asked.event, asked.error});
  }
  return pairs;
}

}  // namespace assay::harness
